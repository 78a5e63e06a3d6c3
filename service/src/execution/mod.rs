//! Executes one operation: this module has the trait, and the implementation that executes operations in this process.
//! The module `isolation` has the implementation that executes operations in worker processes.
//!
//! The queue gives an operation to an executor. The executor reads the input from the storage, runs the engine, and
//! writes the result to the storage. Executors do not use the queue, and the queue does not use the engine.

mod engine;
mod in_process;
mod put_back;
mod running;
mod threads;
pub(crate) mod wipe;

pub use engine::Engine;
pub(crate) use in_process::InProcess;
pub(crate) use put_back::{AfterFailedStart, PutBack};
pub(crate) use running::{Running, RunningOperation};
pub(crate) use threads::STACK;

use crate::storage::{Content, Storage};
use futures_util::future::BoxFuture;
use recto_engine::{Cancel, EngineError, Limits, Progress};
use recto_interface::{Options, ValidationReport};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One operation, as the executor receives it.
pub(crate) struct Task<'s> {
    pub(crate) options: Arc<Options>,
    pub(crate) input: Content,
    /// The file name of the input. The extension of this name selects the input format.
    pub(crate) input_name: String,
    /// The storage that contains the input and receives the result.
    pub(crate) storage: &'s dyn Storage,
    /// This `Cancel` is triggered when the result is no longer wanted.
    pub(crate) cancel: Cancel,
    /// The executor writes the progress of the operation to this value.
    pub(crate) progress: SharedProgress,
}

/// The progress of an operation. All clones share one value.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedProgress(Arc<AtomicU64>);

impl SharedProgress {
    /// Sets the progress.
    pub(crate) fn set(&self, progress: Progress) {
        let [done, total] =
            [progress.done, progress.total].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        self.0.store(u64::from(done) << 32 | u64::from(total), Ordering::Relaxed);
    }

    /// The number of finished pages or images, and the total number. `None` while the total is unknown.
    pub(crate) fn get(&self) -> Option<(u32, u32)> {
        let packed = self.0.load(Ordering::Relaxed);
        let halves = (u32::try_from(packed >> 32).ok()?, u32::try_from(packed & u64::from(u32::MAX)).ok()?);
        (halves.1 > 0).then_some(halves)
    }
}

/// The output of a successful operation.
#[derive(Debug)]
pub(crate) enum JobOutput {
    /// A file in the storage. This file has no name and no identifier yet.
    File { content: Content, extension: String, notes: Vec<String> },
    /// A validation report.
    Report(ValidationReport),
}

/// Why an operation failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine reported an error.
    Engine(EngineError),
    /// The engine in a worker process reported an error.
    Reported { code: String, detail: String },
    /// The engine panicked, or its worker process crashed. `detail` is shown to the client.
    Crashed { code: &'static str, detail: String },
    /// No worker could be started for the operation, so nothing was processed. If the reason is temporary, the
    /// operation may return to the queue. `detail` is shown to the client.
    Unavailable { detail: String, may_pass: bool },
    /// The storage failed.
    Storage(io::Error),
}

/// How many workers were started, how many of them crashed or were killed, and how many could not be started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerCounts {
    pub(crate) started: u64,
    pub(crate) lost: u64,
    pub(crate) not_started: u64,
}

/// Executes operations. Dropping the future of [`execute`](Self::execute) cancels the operation: the engine stops as
/// soon as it notices the cancellation, and no file of the operation remains in the storage.
pub(crate) trait Executor: Send + Sync {
    /// Executes one operation.
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<JobOutput, Failure>>;
    /// Announces that an operation will follow soon, so that worker processes can be started in advance. Does not
    /// block.
    fn prewarm(&self) {}
    /// Ends workers and threads that have been idle for too long. The service calls this method every few seconds.
    fn maintain(&self) {}
    /// The numbers of worker processes.
    fn workers(&self) -> WorkerCounts {
        WorkerCounts::default()
    }
    /// Ends all idle workers. May block until their processes have ended.
    fn close(&self) {}
}

/// Cancels an operation when this value is dropped, unless [`disarm`](Self::disarm) was called.
pub(crate) struct CancelOnDrop(Option<Cancel>);

impl CancelOnDrop {
    /// Creates a value that triggers `cancel` when the value is dropped.
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Self(Some(cancel.clone()))
    }

    /// To be called when the operation has ended: dropping the value then cancels nothing.
    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.trigger();
        }
    }
}

/// The error message for a client after a panic of the engine.
pub(crate) const PANICKED: &str = "the engine crashed on this document; please report the document";

/// Returns an error if the input is larger than the engine accepts.
pub(crate) fn within_input_limit(input: &Content, limits: &Limits) -> Result<(), Failure> {
    if input.size <= limits.input_bytes {
        return Ok(());
    }
    let limit = format!("{} bytes", limits.input_bytes);
    Err(Failure::Engine(EngineError::limit("input size", limit)))
}
