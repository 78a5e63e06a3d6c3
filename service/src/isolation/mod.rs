//! Runs the engine in sandboxed worker processes, so that a hostile document can harm only its own operation.
//!
//! - In the service, `in_workers` executes an operation in a worker, `pool` keeps idle workers and starts new ones, and
//!   `process` controls one worker.
//! - In the worker, `child` runs operations, after `sandbox` has restricted the process.
//! - `protocol` has the messages between them. `faults`, in builds for tests, makes workers fail.

mod child;
#[cfg(feature = "test-controls")]
mod faults;
mod in_workers;
mod pool;
mod process;
mod protocol;
#[cfg(unix)]
mod sandbox;
#[cfg(not(unix))]
#[path = "sandbox/unsupported.rs"]
mod sandbox;

pub use child::run as run_worker;
#[cfg(feature = "test-controls")]
pub(crate) use faults::{Fault, Faults};
pub(crate) use in_workers::InWorkers;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The environment variable with the path of the `recto` program to start workers from, or `none` for no workers.
pub const WORKER_VARIABLE: &str = "RECTO_WORKER";

/// The hidden command of `recto` that runs a worker.
pub const WORKER_COMMAND: &str = "engine-worker";

/// How operations are isolated from the service and from each other.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// How much isolation is required.
    pub mode: IsolationMode,
    /// The program to start workers from; [`WorkerProgram::usual`] by default. Without one, operations run in this process.
    pub program: Option<WorkerProgram>,
    /// The most memory for data of each worker process; 4 GiB by default.
    pub memory: u64,
    /// The most processor time of an operation, all threads together; 20 minutes by default.
    pub cpu: Duration,
    /// After how many operations a worker is replaced; with 1, each operation gets a new one. 200 by default.
    pub operations_per_worker: u32,
    /// After how long without an operation a worker is ended; 60 s by default.
    pub idle: Duration,
}

impl Default for Isolation {
    fn default() -> Self {
        Self {
            mode: IsolationMode::default(),
            program: WorkerProgram::usual(),
            memory: 4 << 30,
            cpu: Duration::from_secs(20 * 60),
            operations_per_worker: 200,
            idle: Duration::from_secs(60),
        }
    }
}

/// How far workers are sandboxed on this system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// The active mechanisms, such as `landlock`.
    pub by: Vec<String>,
    /// The missing protections, each with the reason.
    pub lacking: Vec<String>,
}

impl Isolation {
    /// Starts workers to find out how far they are sandboxed; `None` if operations run in this process.
    ///
    /// # Errors
    /// Why no worker can be started.
    pub fn probe(&self) -> Result<Option<Protection>, String> {
        let (limits, parent) = (recto_engine::Limits::default(), std::env::temp_dir());
        pool::Pool::new(self.clone(), limits, parent).probe()
    }
}

/// How much isolation is required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IsolationMode {
    /// None: operations run in the process of the service.
    None,
    /// As much as the system supports; what is missing is logged once.
    #[default]
    Best,
    /// All of it, or the service does not start: limits of memory and time, no network, no files but those of the operation.
    Strict,
}

impl IsolationMode {
    /// The modes with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("best", Self::Best), ("strict", Self::Strict)];
}

impl std::str::FromStr for IsolationMode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode);
        found.ok_or_else(|| format!("unknown isolation mode {name:?}: use none, best or strict"))
    }
}

/// A program that runs a worker when it is started with these arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    path: PathBuf,
    arguments: Vec<OsString>,
}

/// The program that was announced for this process.
static ANNOUNCED: Mutex<Option<WorkerProgram>> = Mutex::new(None);

impl WorkerProgram {
    /// The `recto` program at `path`.
    pub fn recto(path: impl Into<PathBuf>) -> Self {
        Self::new(path, [WORKER_COMMAND])
    }

    /// Any program that calls [`run_worker`] when it is started with these arguments.
    pub fn new(path: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { path: path.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// Makes this the default program of this process to start workers from.
    pub fn announce(self) {
        *ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// The program that [`WORKER_VARIABLE`] names, else the one that was [announced](Self::announce).
    pub fn usual() -> Option<Self> {
        match std::env::var_os(WORKER_VARIABLE).filter(|value| !value.is_empty()) {
            Some(none) if none == "none" => None,
            Some(path) => Some(Self::recto(path)),
            None => ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// The path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        assert_eq!("strict".parse(), Ok(IsolationMode::Strict));
        assert!("tight".parse::<IsolationMode>().unwrap_err().contains("none, best or strict"));
    }
}
