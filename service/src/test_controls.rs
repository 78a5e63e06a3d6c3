//! Test controls, off by default: they make the service's timing the test's own, and show what clients sent.
//!
//! - `GET` and `PUT /test/controls`: `{"finishAfterPolls": 3, "delayMs": 250, "faults": ["abort"]}`. A result is kept
//!   back from the first so many requests for it, and until so long after the operation was accepted. Workers fail in
//!   these ways at the next operations; `GET` shows those that are left.
//! - `GET /test/requests`: method, path and status of the requests answered since the reset, the latest 10,000.
//! - `POST /test/reset`: no controls, no log, no files, no operations.

use crate::isolation::Fault;
use crate::json::Json;
use crate::operations::Held;
use crate::problem::Refusal;
use crate::registry::OperationEntry;
use crate::state::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};
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
pub(crate) struct Logged {
    method: String,
    path: String,
    status: u16,
}

/// The requests answered since the reset.
#[derive(Debug, Serialize)]
pub(crate) struct Log {
    requests: Vec<Logged>,
}

impl TestControls {
    /// Counts a request for a result, and says whether it is kept back.
    pub(crate) fn polled(&self, operation: &str, entry: &OperationEntry) -> Held {
        let mut record = self.record();
        let Controls { finish_after_polls, delay_ms, .. } = record.controls;
        let polls = record.polls.entry(operation.to_owned()).or_default();
        *polls = polls.saturating_add(1);
        if *polls <= finish_after_polls {
            return Held::Always;
        }
        let age = SystemTime::now().duration_since(entry.accepted).unwrap_or_default();
        match Duration::from_millis(delay_ms).saturating_sub(age) {
            Duration::ZERO => Held::No,
            left => Held::For(left),
        }
    }

    /// What a worker is to do in place of the operation that it is given now.
    pub(crate) fn next_fault(&self) -> Option<Fault> {
        self.record().controls.faults.pop_front()
    }

    fn log(&self, request: Logged) {
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

/// The addresses of the controls.
pub(crate) fn router() -> Router<Service> {
    Router::new()
        .route("/test/controls", get(controls).put(set_controls))
        .route("/test/requests", get(requests))
        .route("/test/reset", post(reset))
}

/// Logs a request where test controls are on; those to the controls themselves are not logged.
pub(crate) async fn logged(State(service): State<Service>, request: Request, next: Next) -> Response {
    let Some(controls) =
        service.test_controls.as_ref().filter(|_| !request.uri().path().starts_with("/test/"))
    else {
        return next.run(request).await;
    };
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let response = next.run(request).await;
    controls.log(Logged { method, path, status: response.status().as_u16() });
    response
}

async fn controls(State(service): State<Service>) -> Json<Controls> {
    Json(
        service.test_controls.as_ref().map(|controls| controls.record().controls.clone()).unwrap_or_default(),
    )
}

async fn set_controls(State(service): State<Service>, Json(wanted): Json<Controls>) -> Json<Controls> {
    if let Some(controls) = &service.test_controls {
        controls.record().controls = wanted.clone();
    }
    Json(wanted)
}

async fn requests(State(service): State<Service>) -> Json<Log> {
    let requests =
        service.test_controls.as_ref().map(|controls| controls.record().requests.iter().cloned().collect());
    Json(Log { requests: requests.unwrap_or_default() })
}

async fn reset(State(service): State<Service>) -> Result<Json<Controls>, Refusal> {
    if let Some(controls) = &service.test_controls {
        *controls.record() = Record::default();
    }
    let removed = service.registry.clear().await?;
    service.discard(removed).await;
    Ok(Json(Controls::default()))
}
