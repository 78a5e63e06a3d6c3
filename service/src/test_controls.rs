//! Test controls, off by default: they make the service's timing the test's own, and show what clients sent.
//!
//! - `GET` and `PUT /test/controls`: `{"finishAfterPolls": 3, "delayMs": 250, "faults": ["abort"]}`. A result is kept
//!   back from the first so many requests for it, and until so long after the operation was accepted. Workers fail in
//!   these ways at the next operations; `GET` shows those that are left.
//! - `GET /test/requests`: method, path and status of the requests answered since the reset, the latest 10,000.
//! - `POST /test/reset`: no controls, no log, no files, no operations.

use crate::isolation::{Fault, Faults};
use crate::registry::OperationEntry;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// How many requests the log keeps.
const LOGGED: usize = 10_000;

/// The controls in force, and what was counted since the reset.
#[derive(Default)]
pub(crate) struct TestControls(Mutex<Record>);

#[derive(Default)]
struct Record {
    controls: Controls,
    polls: HashMap<String, u32>,
    requests: VecDeque<Logged>,
}

/// What a test asks for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Controls {
    /// How many requests for a result are answered `inProgress` whatever the work does.
    finish_after_polls: u32,
    /// How long after it was accepted an operation is shown as finished at the earliest.
    delay_ms: u64,
    /// What the workers do in place of the next operations, in this order; those that are left.
    faults: VecDeque<Fault>,
}

/// One answered request.
#[derive(Clone, Debug, Serialize)]
struct Logged {
    method: String,
    path: String,
    status: u16,
}

/// The requests answered since the reset.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Log {
    requests: Vec<Logged>,
}

impl Faults for TestControls {
    fn next(&self) -> Option<Fault> {
        self.record().controls.faults.pop_front()
    }
}

impl TestControls {
    /// Counts a request for a result, and says for how long the result is kept back; `None`: from this request.
    pub(crate) fn polled(&self, operation: &str, entry: &OperationEntry) -> Option<Duration> {
        let mut record = self.record();
        let Controls { finish_after_polls, delay_ms, .. } = record.controls;
        let polls = record.polls.entry(operation.to_owned()).or_default();
        *polls = polls.saturating_add(1);
        if *polls <= finish_after_polls {
            return None;
        }
        let age = SystemTime::now().duration_since(entry.accepted).unwrap_or_default();
        Some(Duration::from_millis(delay_ms).saturating_sub(age))
    }

    /// The controls in force.
    pub(crate) fn controls(&self) -> Controls {
        self.record().controls.clone()
    }

    /// Puts other controls in force.
    pub(crate) fn set(&self, controls: Controls) {
        self.record().controls = controls;
    }

    /// The requests answered since the reset.
    pub(crate) fn requests(&self) -> Log {
        Log { requests: self.record().requests.iter().cloned().collect() }
    }

    /// Forgets the controls and the log.
    pub(crate) fn reset(&self) {
        *self.record() = Record::default();
    }

    /// Logs an answered request.
    pub(crate) fn log(&self, method: String, path: String, status: u16) {
        let request = Logged { method, path, status };
        let mut record = self.record();
        if record.requests.len() >= LOGGED {
            record.requests.pop_front();
        }
        record.requests.push_back(request);
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
