//! Test controls: tests set the timing of results, make workers fail, and read which requests clients have sent.
//!
//! The test controls are compiled only with the feature `test-controls`, which no release build has. In a build with
//! this feature, they are off by default.
//!
//! - `GET` and `PUT /test/controls`: `{"finishAfterPolls": 3, "delayMs": 250, "faults": ["abort"]}`. The first
//!   `finishAfterPolls` requests for a result get `inProgress`, and so do requests within `delayMs` after the operation
//!   was accepted. The workers of the next operations fail as `faults` lists; `GET` shows the faults that are left.
//! - `GET /test/requests`: method, path and status of the requests since the reset, at most the last 10,000.
//! - `POST /test/reset`: removes the controls, the log, all files and all operations.

use crate::isolation::{Fault, Faults};
use crate::registry::OperationEntry;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The maximum number of requests in the log.
const LOGGED: usize = 10_000;

/// The current controls, and the requests that were recorded since the reset.
#[derive(Default)]
pub(crate) struct TestControls(Mutex<Record>);

#[derive(Default)]
struct Record {
    controls: Controls,
    polls: HashMap<String, u32>,
    requests: VecDeque<Logged>,
}

/// The controls that a test sets.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Controls {
    /// The number of requests for a result that get `inProgress`, even if the operation has ended.
    finish_after_polls: u32,
    /// The minimum time between the acceptance of an operation and the first response that shows it as finished, in
    /// milliseconds.
    delay_ms: u64,
    /// The faults that the workers of the next operations cause, in this order.
    faults: VecDeque<Fault>,
}

/// A request that was handled.
#[derive(Clone, Debug, Serialize)]
struct Logged {
    method: String,
    path: String,
    status: u16,
}

/// The requests since the reset.
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
    /// Counts a request for a result, and returns how long the result is delayed. `None` if the response to this
    /// request must be `inProgress`.
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

    /// The current controls.
    pub(crate) fn controls(&self) -> Controls {
        self.record().controls.clone()
    }

    /// Replaces the controls.
    pub(crate) fn set(&self, controls: Controls) {
        self.record().controls = controls;
    }

    /// The requests since the reset.
    pub(crate) fn requests(&self) -> Log {
        Log { requests: self.record().requests.iter().cloned().collect() }
    }

    /// Removes the controls and the log.
    pub(crate) fn reset(&self) {
        *self.record() = Record::default();
    }

    /// Logs a request that was handled.
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
