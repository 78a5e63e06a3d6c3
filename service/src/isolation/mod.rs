//! Workers: the engine in processes of its own, so that a hostile document costs one operation and not the service.
//!
//! - `in_workers` hands an operation to a worker; `pool` keeps workers that wait and starts new ones; `process` is one worker as the service sees it;
//! - `child` is the worker itself, which `sandbox` shuts in before it looks at a document;
//! - `protocol` is what they say to each other; `faults` is what tests have a worker do.

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

/// The environment variable that names the `recto` program to start workers from, or `none` for no workers.
pub const WORKER_VARIABLE: &str = "RECTO_WORKER";

/// The hidden command of `recto` that is a worker.
pub const WORKER_COMMAND: &str = "engine-worker";

/// How operations are kept apart from the service and from each other.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// How much of it there must be.
    pub mode: IsolationMode,
    /// What workers are started from; [`WorkerProgram::usual`] by default. Without one, operations run in this process.
    pub program: Option<WorkerProgram>,
    /// The most memory that a process of a worker may take for data; 4 GiB by default.
    pub memory: u64,
    /// The most processor time that an operation may take, all threads together; 20 minutes by default.
    pub cpu: Duration,
    /// After how many operations a worker is replaced; 1 has a fresh one for each. 200 by default.
    pub operations_per_worker: u32,
    /// After how long without work a worker is ended; 60 s by default.
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

/// How far workers are shut in on this system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// The means that are in force, such as `landlock`.
    pub by: Vec<String>,
    /// What is not kept, and why.
    pub lacking: Vec<String>,
}

impl Isolation {
    /// Starts workers to see how far they are shut in; `None` where operations run in this process.
    ///
    /// # Errors
    /// Why no worker can be started.
    pub fn probe(&self) -> Result<Option<Protection>, String> {
        let (limits, parent) = (recto_engine::Limits::default(), std::env::temp_dir());
        pool::Pool::new(self.clone(), limits, parent).probe()
    }
}

/// How much isolation there must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IsolationMode {
    /// None: operations run in the service's own process.
    None,
    /// As much as the system gives; what it does not give is logged once.
    #[default]
    Best,
    /// All of it: limits of memory and time, no network, no files but the document's. Else the service does not start.
    Strict,
}

impl IsolationMode {
    /// The modes by their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("best", Self::Best), ("strict", Self::Strict)];
}

impl std::str::FromStr for IsolationMode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode);
        found.ok_or_else(|| format!("{name:?} is none of none, best, strict"))
    }
}

/// A program that is a worker when started with these arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    path: PathBuf,
    arguments: Vec<OsString>,
}

/// What a face of Recto said that workers are started from.
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

    /// Says, for this process, what workers are started from where nothing else is set.
    pub fn announce(self) {
        *ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// What [`WORKER_VARIABLE`] names, else what was [announced](Self::announce).
    pub fn usual() -> Option<Self> {
        match std::env::var_os(WORKER_VARIABLE).filter(|value| !value.is_empty()) {
            Some(none) if none == "none" => None,
            Some(path) => Some(Self::recto(path)),
            None => ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// The program's file.
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
        assert!("tight".parse::<IsolationMode>().unwrap_err().contains("none, best, strict"));
    }
}
