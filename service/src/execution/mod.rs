//! How one operation is executed: the trait, and its form in this process; `isolation` has the one in worker processes.
//!
//! The queue's worker hands an operation to an executor, which reads the input from the storage, does what the options
//! say and leaves the result in the storage. It knows no queue; the queue knows no engine.

mod engine;
mod in_process;
mod threads;
pub(crate) mod wipe;

pub use engine::Engine;
pub(crate) use in_process::InProcess;
pub(crate) use threads::STACK;

use crate::storage::{Content, Storage};
use futures_util::future::BoxFuture;
use recto_engine::{Cancel, EngineError, Limits, Progress};
use recto_interface::{Options, ValidationReport};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One operation to execute.
pub(crate) struct Task<'s> {
    pub(crate) options: Options,
    pub(crate) input: Content,
    /// The name of the input, which tells its format.
    pub(crate) input_name: String,
    /// Where the input is, and where the result is to be.
    pub(crate) storage: &'s dyn Storage,
    /// Triggered when nobody waits for the result any more.
    pub(crate) cancel: Cancel,
    /// Told how far it is.
    pub(crate) progress: SharedProgress,
}

/// How far an operation is; clones are of the same operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedProgress(Arc<AtomicU64>);

impl SharedProgress {
    /// Notes it.
    pub(crate) fn set(&self, progress: Progress) {
        let [done, total] =
            [progress.done, progress.total].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        self.0.store(u64::from(done) << 32 | u64::from(total), Ordering::Relaxed);
    }

    /// Pages or images done, of how many; `None` while nothing is known.
    pub(crate) fn get(&self) -> Option<(u32, u32)> {
        let noted = self.0.load(Ordering::Relaxed);
        let halves = (u32::try_from(noted >> 32).ok()?, u32::try_from(noted & u64::from(u32::MAX)).ok()?);
        (halves.1 > 0).then_some(halves)
    }
}

/// What an operation made.
#[derive(Debug)]
pub(crate) enum JobOutput {
    /// A file, which is in the storage; the operation's end gives it a name and an identifier.
    File { content: Content, extension: String, notes: Vec<String> },
    /// A report.
    Report(ValidationReport),
}

/// Why an operation failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine says so.
    Engine(EngineError),
    /// The engine says so, from another process.
    Reported { code: String, detail: String },
    /// What executed it broke down: a panic, a crash. The detail is for the client.
    Crashed { code: &'static str, detail: String },
    /// Its bytes could not be read or written.
    Storage(io::Error),
}

/// Executes operations. Dropping the future gives the operation up: nothing of it goes on for longer than the engine
/// takes to see that it is cancelled, and nothing of it stays in the storage.
pub(crate) trait Executor: Send + Sync {
    /// Executes one operation to its end.
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<JobOutput, Failure>>;
    /// Work will come soon: what has to be started can be started now. Returns at once.
    fn prewarm(&self) {}
    /// Called every few seconds: what has been idle for long can be given up.
    fn maintain(&self) {}
    /// How many worker processes were started, and how many lost.
    fn workers(&self) -> (u64, u64) {
        (0, 0)
    }
    /// Ends what waits for work. May block for as long as a process takes to end.
    fn close(&self) {}
}

/// Asks the engine to stop when nobody waits for it any more.
pub(crate) struct CancelOnDrop(Option<Cancel>);

impl CancelOnDrop {
    /// Until it is disarmed.
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Self(Some(cancel.clone()))
    }

    /// It has ended by itself.
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

/// What clients are told of a panic.
pub(crate) const PANICKED: &str = "the engine failed on this document; please report the document";

/// Refuses an input that is larger than the engine may be given.
pub(crate) fn within_input_limit(input: &Content, limits: &Limits) -> Result<(), Failure> {
    if input.size <= limits.input_bytes {
        return Ok(());
    }
    let limit = format!("{} bytes", limits.input_bytes);
    Err(Failure::Engine(EngineError::limit("input size", limit)))
}
