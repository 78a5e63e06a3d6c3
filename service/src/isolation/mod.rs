//! Runs the engine in sandboxed worker processes, so that a malicious document can harm only its own operation.
//!
//! - In the service, `in_workers` executes an operation in a worker, `pool` keeps idle workers and starts new workers,
//!   and `process` controls one worker. `start` decides what follows a failed start, and `spare` keeps descriptors in
//!   reserve for starts.
//! - `watch` starts a process that removes the folder of the service if the service is killed.
//! - In the worker, `sandbox` restricts the process, then `child` runs operations.
//! - `protocol` has the messages between the service and a worker, and `handover` sends them together with the files of
//!   an operation. `unlinked` measures files without a name. `faults` and `hostile`, in builds for tests, make workers
//!   fail and attack.

mod child;
mod exit;
#[cfg(feature = "test-controls")]
mod faults;
#[cfg(unix)]
mod handover;
#[cfg(not(unix))]
#[path = "handover/by_path.rs"]
mod handover;
#[cfg(feature = "test-controls")]
mod hostile;
mod in_workers;
mod installed;
mod pool;
mod process;
mod protocol;
#[cfg(unix)]
mod sandbox;
#[cfg(not(unix))]
#[path = "sandbox/unsupported.rs"]
mod sandbox;
mod spare;
mod start;
#[cfg(target_os = "linux")]
mod unlinked;
mod watch;

pub use child::run as run_worker;
#[cfg(feature = "test-controls")]
pub(crate) use faults::{Fault, Faults};
#[cfg(feature = "test-controls")]
pub use hostile::{attack_with, signal_refused_calls};
pub(crate) use in_workers::InWorkers;
pub(crate) use pool::Parent;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The environment variable that contains the path of the `recto` program to start workers from. The value `none` means
/// that there are no workers.
pub const WORKER_VARIABLE: &str = "RECTO_WORKER";

/// The hidden command of `recto` that runs a worker.
pub const WORKER_COMMAND: &str = "engine-worker";

/// How operations are isolated from the service and from each other.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// How much isolation is required.
    pub mode: IsolationMode,
    /// The program to start workers from. The default is [`WorkerProgram::usual`]. With `None`, operations run in this
    /// process. With a program, no operation ever runs in this process.
    pub program: Option<WorkerProgram>,
    /// The maximum memory for data of each worker process, in bytes. The default is 4 GiB.
    pub memory: u64,
    /// The maximum processor time of an operation, summed over all threads. The default is 20 minutes.
    pub cpu: Duration,
    /// The number of operations after which a worker is replaced. With 1, each operation gets a new worker. The default
    /// is 200.
    pub operations_per_worker: u32,
    /// The time without an operation after which a worker is ended. The default is 60 s.
    pub idle: Duration,
    /// How long an operation waits for a worker that cannot be started for a temporary reason, such as a lack of
    /// memory. Then the operation fails. The default is 30 s.
    pub start_time: Duration,
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
            start_time: Duration::from_secs(30),
        }
    }
}

/// Which parts of the sandbox workers have on this system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// The active mechanisms, such as `landlock`.
    pub by: Vec<String>,
    /// The missing protections, each with the reason why it is missing.
    pub lacking: Vec<String>,
}

impl Isolation {
    /// Starts workers to find out which protections their sandbox has. `None` if operations run in this process.
    ///
    /// # Errors
    /// The reason why no worker can be started.
    pub fn probe(&self) -> Result<Option<Protection>, String> {
        let (limits, parent) = (recto_engine::Limits::default(), Parent::Shared(std::env::temp_dir()));
        pool::Pool::new(self.clone(), limits, parent).probe()
    }
}

/// How much isolation is required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IsolationMode {
    /// No isolation: operations run in the process of the service.
    None,
    /// Worker processes with as much isolation as the system supports. Each missing protection is logged once.
    #[default]
    Best,
    /// Like [`Best`](Self::Best), but the service does not start if no worker can be started, or if it does not know a
    /// program to start workers from.
    Workers,
    /// Complete isolation: limits of memory and time, no network, and no files except the files of the operation. If a
    /// part is missing, the service does not start, and a worker that lacks a part is not used.
    Strict,
}

impl IsolationMode {
    /// All modes, each with its name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("best", Self::Best), ("workers", Self::Workers), ("strict", Self::Strict)];

    /// The name of the mode.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }

    /// Whether operations must run in worker processes.
    pub(crate) fn requires_workers(self) -> bool {
        matches!(self, Self::Workers | Self::Strict)
    }
}

impl std::str::FromStr for IsolationMode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode);
        found.ok_or_else(|| format!("unknown isolation mode {name:?}: use none, best, workers or strict"))
    }
}

/// A program, and the arguments with which it runs a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgram {
    path: PathBuf,
    arguments: Vec<OsString>,
}

/// The program that [`WorkerProgram::announce`] has set for this process.
static ANNOUNCED: Mutex<Option<WorkerProgram>> = Mutex::new(None);

impl WorkerProgram {
    /// The `recto` program at `path`.
    pub fn recto(path: impl Into<PathBuf>) -> Self {
        Self::new(path, [WORKER_COMMAND])
    }

    /// Any program that calls [`run_worker`] when it is started with `arguments`.
    pub fn new(path: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { path: path.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// Makes this program the default program of this process to start workers from.
    pub fn announce(self) {
        *ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// The program that the environment variable [`WORKER_VARIABLE`] names. If the variable is not set, the program
    /// that was [announced](Self::announce), or else the `recto` program that is
    /// [installed with](Self::installed_with) the program of this process. `None` if the variable is `none`, or if
    /// there is no such program.
    pub fn usual() -> Option<Self> {
        match std::env::var_os(WORKER_VARIABLE).filter(|value| !value.is_empty()) {
            Some(none) if none == "none" => None,
            // A worker is started in another folder, so a relative path would mean another file there.
            Some(path) => Some(Self::recto(std::path::absolute(&path).unwrap_or_else(|_| path.into()))),
            None => {
                let announced = ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).clone();
                announced.or_else(|| Self::installed_with(&std::env::current_exe().ok()?))
            }
        }
    }

    /// The path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the program exists and may be executed. A name without a folder is not checked.
    pub(crate) fn check(&self) -> std::io::Result<()> {
        if self.path.parent().is_none_or(|folder| folder.as_os_str().is_empty()) {
            return Ok(());
        }
        let found = std::fs::metadata(&self.path)?;
        if !found.is_file() {
            return Err(std::io::Error::other("it is not a file"));
        }
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 == 0 {
            return Err(std::io::Error::other("it is not executable"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        assert_eq!("strict".parse(), Ok(IsolationMode::Strict));
        assert!("tight".parse::<IsolationMode>().unwrap_err().contains("none, best, workers or strict"));
    }
}
