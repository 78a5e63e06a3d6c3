//! The pool of worker processes: keeps idle workers, and starts new workers.

use super::process::{Start, WorkerProcess};
use super::protocol::{MissingProtection, SandboxReport};
use super::spare::SpareDescriptors;
use super::start::StartError;
use super::watch::FolderWatch;
use super::{Isolation, IsolationMode, Protection, WorkerProgram};
use crate::error::ServiceError;
use crate::execution::WorkerCounts;
use crate::storage::PrivateFolder;
use recto_engine::Limits;
use recto_interface::OperationKind;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The time after which the same failure to start a worker is logged again.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// The workers of a service.
pub(crate) struct Pool {
    isolation: Isolation,
    limits: Limits,
    parent: Parent,
    /// The private folder of the pool. The first worker creates this folder.
    directory: OnceLock<Arc<PrivateFolder>>,
    idle: Mutex<Vec<Idle>>,
    /// The failure to start a worker that was logged last.
    logged: Mutex<Option<(Instant, String)>>,
    spare: SpareDescriptors,
    /// Whether a worker has failed while it entered namespaces and could not be used. Later workers do not try to enter
    /// namespaces.
    no_namespaces: AtomicBool,
    reported: Mutex<HashSet<MissingProtection>>,
    closed: AtomicBool,
    /// This lock is held while a worker is started in advance.
    ahead: Mutex<()>,
    begun: AtomicBool,
    started: AtomicU64,
    lost: AtomicU64,
    not_started: AtomicU64,
    /// The watch process, which removes the private folder if this process is killed. It starts with the first worker
    /// that is used. `None` if it could not be started.
    watch: OnceLock<Option<FolderWatch>>,
}

/// The folder that contains the private folder of a pool.
pub(crate) enum Parent {
    /// The private folder of the service.
    Private(PathBuf),
    /// A folder that other programs use too.
    Shared(PathBuf),
}

struct Idle {
    worker: WorkerProcess,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(isolation: Isolation, limits: Limits, parent: Parent) -> Self {
        Self {
            isolation,
            limits,
            parent,
            directory: OnceLock::new(),
            idle: Mutex::default(),
            logged: Mutex::default(),
            spare: SpareDescriptors::default(),
            no_namespaces: AtomicBool::new(false),
            reported: Mutex::default(),
            closed: AtomicBool::new(false),
            ahead: Mutex::default(),
            begun: AtomicBool::new(false),
            started: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            not_started: AtomicU64::new(0),
            watch: OnceLock::new(),
        }
    }

    /// The private folder of the pool. It exists if a worker was started. No worker can reach its files.
    pub(crate) fn folder(&self) -> io::Result<Arc<PrivateFolder>> {
        self.directory.get().cloned().ok_or_else(|| io::Error::other("no worker was started"))
    }

    /// The maximum processor time of an operation.
    pub(crate) fn cpu(&self) -> Duration {
        self.isolation.cpu
    }

    pub(crate) fn counts(&self) -> WorkerCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        WorkerCounts {
            started: read(&self.started),
            lost: read(&self.lost),
            not_started: read(&self.not_started),
        }
    }

    /// Whether the pool may start workers, but has not started any worker yet.
    pub(crate) fn is_cold(&self) -> bool {
        !self.begun.load(Ordering::Relaxed) && self.program().is_some()
    }

    fn program(&self) -> Option<&WorkerProgram> {
        self.isolation.program.as_ref().filter(|_| self.isolation.mode != IsolationMode::None)
    }

    /// Gets a worker for an operation of the kind `kind`. Blocks for some milliseconds if a worker must be started.
    /// `None` if the operation is to be executed in this process: no program to start workers from is configured, and
    /// workers are not required.
    pub(crate) fn checkout(self: &Arc<Self>, kind: OperationKind) -> Result<Option<Box<Leased>>, StartError> {
        let Some(program) = self.program() else {
            return match self.isolation.mode.requires_workers() {
                true => Err(StartError::NoProgram),
                false => Ok(None),
            };
        };
        // A worker that may start programs is used for one document only.
        let programs = needs_programs(kind);
        let waiting = if programs { None } else { self.waiting() };
        let worker = waiting.map_or_else(|| self.start(program, programs), Ok)?;
        self.watch_folder(program);
        Ok(Some(self.lease(worker)))
    }

    /// Returns an idle worker. If a worker is being started in advance, waits for that worker. `None` if there is no
    /// idle worker.
    fn waiting(&self) -> Option<WorkerProcess> {
        loop {
            let Some(Idle { mut worker, .. }) = self.idle().pop() else { break };
            // A worker that was killed while it was idle is not counted as lost.
            if worker.is_alive() {
                return Some(worker);
            }
        }
        let _started = lock(&self.ahead);
        self.idle().pop().map(|idle| idle.worker)
    }

    /// Starts a worker in advance for the first operation. Blocks for some milliseconds, like
    /// [`checkout`](Self::checkout).
    pub(crate) fn prewarm(&self) {
        let Ok(_starting) = self.ahead.try_lock() else { return };
        if !self.is_cold() || self.closed.load(Ordering::Relaxed) {
            return;
        }
        let Some(program) = self.program() else { return };
        if let Ok(worker) = self.start(program, false) {
            self.keep(worker);
            self.watch_folder(program);
        }
    }

    /// Starts the watch process for the private folder, unless it was started before.
    fn watch_folder(&self, program: &WorkerProgram) {
        self.watch.get_or_init(|| {
            let folder = match &self.parent {
                Parent::Private(folder) => folder.as_path(),
                Parent::Shared(_) => self.directory.get()?.path(),
            };
            let started = FolderWatch::start(program, folder);
            if let Err(error) = &started {
                tracing::warn!(
                    %error,
                    "could not start the watch process; if this process is killed, its temporary folder stays until the next service starts"
                );
            }
            started.ok()
        });
    }

    /// Checks that the program to start workers from exists. If workers are required, also starts one worker that may
    /// start programs and one worker that may not. With [`IsolationMode::Strict`], no protection may be missing.
    pub(crate) fn check(&self) -> Result<(), ServiceError> {
        if let Some(program) = self.program() {
            program.check().map_err(|source| ServiceError::WorkerProgram {
                program: program.path().to_owned(),
                why: source.to_string(),
            })?;
        }
        let mode = self.isolation.mode;
        if !mode.requires_workers() {
            return Ok(());
        }
        let why = match self.probe() {
            Ok(Some(found)) if found.lacking.is_empty() || mode != IsolationMode::Strict => return Ok(()),
            Ok(Some(found)) => format!("missing protections of workers: {}", found.lacking.join(", ")),
            Ok(None) => StartError::NoProgram.to_string(),
            Err(why) => why,
        };
        Err(ServiceError::Isolation(format!(
            "isolation `{}` is not available here: {why}; use `best` to run with the isolation that is available",
            mode.name()
        )))
    }

    /// Starts one worker that may start programs and one worker that may not, to find out which protections their
    /// sandbox has. `None` if the pool starts no workers.
    pub(crate) fn probe(&self) -> Result<Option<Protection>, String> {
        let Some(program) = self.program() else { return Ok(None) };
        let mut found = Protection::default();
        // Without LibreOffice, no operation needs a worker that starts programs.
        let kinds: &[bool] = if recto_engine::office_program().is_ok() { &[true, false] } else { &[false] };
        for &programs in kinds {
            let worker = self.try_start(program, programs).map_err(|error| unstartable(program, &error))?;
            found.by.clone_from(&worker.sandboxed.by);
            for lack in worker.sandboxed.lacking_in_words() {
                if !found.lacking.contains(&lack) {
                    found.lacking.push(lack);
                }
            }
            if !programs {
                self.keep(worker);
            }
        }
        Ok(Some(found))
    }

    /// Ends workers that have been idle for longer than [`Isolation::idle`].
    pub(crate) fn end_idle(&self) {
        let mut idle = self.idle();
        let (keep, end) = std::mem::take(&mut *idle)
            .into_iter()
            .partition(|idle: &Idle| idle.since.elapsed() < self.isolation.idle);
        *idle = keep;
        drop(idle);
        drop(end);
    }

    /// Ends all idle workers. Workers that become idle later are ended too.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // Waits for a worker that is being started in advance, so that this worker is ended too.
        let _started = lock(&self.ahead);
        let ended = std::mem::take(&mut *self.idle());
        drop(ended);
    }

    fn lease(self: &Arc<Self>, worker: WorkerProcess) -> Box<Leased> {
        Box::new(Leased { pool: Arc::clone(self), worker })
    }

    fn keep(&self, worker: WorkerProcess) {
        let spent = worker.runs >= self.isolation.operations_per_worker.max(1);
        if spent || self.closed.load(Ordering::Relaxed) {
            return;
        }
        self.idle().push(Idle { worker, since: Instant::now() });
        if self.closed.load(Ordering::Relaxed) {
            self.idle().clear();
        }
    }

    /// Starts a worker. With [`IsolationMode::Strict`], refuses a worker that lacks a protection.
    fn start(&self, program: &WorkerProgram, programs: bool) -> Result<WorkerProcess, StartError> {
        let started = self.try_start(program, programs).and_then(|worker| {
            let strict = self.isolation.mode == IsolationMode::Strict;
            if strict && !worker.sandboxed.lacking.is_empty() {
                return Err(StartError::Unprotected(worker.sandboxed.lacking_in_words().join(", ")));
            }
            Ok(worker)
        });
        match &started {
            Ok(worker) => self.report(&worker.sandboxed),
            Err(error) => {
                self.not_started.fetch_add(1, Ordering::Relaxed);
                self.log(unstartable(program, error));
            }
        }
        started
    }

    /// Logs why a worker could not be started, unless the same reason was logged a short time ago.
    fn log(&self, why: String) {
        let mut logged = lock(&self.logged);
        if logged.as_ref().is_some_and(|(when, last)| *last == why && when.elapsed() < LOG_INTERVAL) {
            return;
        }
        tracing::error!(
            why,
            "no worker for operations: they wait or fail, and are not processed without isolation"
        );
        *logged = Some((Instant::now(), why));
    }

    fn try_start(&self, program: &WorkerProgram, programs: bool) -> Result<WorkerProcess, StartError> {
        self.spare.fill();
        match self.try_start_once(program, programs) {
            Err(error) if error.lacks_descriptors() && self.spare.give_up() => {
                self.try_start_once(program, programs)
            }
            tried => tried,
        }
    }

    fn try_start_once(&self, program: &WorkerProgram, programs: bool) -> Result<WorkerProcess, StartError> {
        self.begun.store(true, Ordering::Relaxed);
        let directory = match self.directory.get() {
            Some(directory) => Arc::clone(directory),
            None => {
                let created = match &self.parent {
                    Parent::Private(folder) => PrivateFolder::create_inside(folder)?,
                    Parent::Shared(folder) => PrivateFolder::create_in(folder)?,
                };
                let created = Arc::new(created);
                Arc::clone(self.directory.get_or_init(|| created))
            }
        };
        let attempt = |namespaces| {
            WorkerProcess::start(&Start {
                program,
                isolation: &self.isolation,
                limits: &self.limits,
                parent: directory.path(),
                programs,
                namespaces,
            })
        };
        let mut worker = attempt(!self.no_namespaces.load(Ordering::Relaxed))?;
        if worker.sandboxed.namespaces_unusable {
            self.no_namespaces.store(true, Ordering::Relaxed);
            worker = attempt(false)?;
        }
        self.started.fetch_add(1, Ordering::Relaxed);
        Ok(worker)
    }

    /// Logs each missing protection once.
    fn report(&self, sandboxed: &SandboxReport) {
        let mut reported = lock(&self.reported);
        if reported.is_empty() {
            tracing::info!(by = sandboxed.by.join(", "), "workers are sandboxed");
        }
        for lack in &sandboxed.lacking {
            if reported.insert(lack.clone()) {
                tracing::warn!(
                    what = lack.what,
                    why = lack.why,
                    "the system lacks a sandbox feature for workers"
                );
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        lock(&self.idle)
    }
}

/// A worker that was taken from the pool to execute one operation.
pub(crate) struct Leased {
    pool: Arc<Pool>,
    pub(crate) worker: WorkerProcess,
}

impl Leased {
    /// Whether [`give_back`](Self::give_back) ends the worker, and so blocks until its process has ended.
    pub(crate) fn ends_when_given_back(&self) -> bool {
        self.worker.is_single_use() || self.worker.runs >= self.pool.isolation.operations_per_worker.max(1)
    }

    /// Returns the worker to the pool, unless the worker may execute only one operation.
    pub(crate) fn give_back(self) {
        if !self.worker.is_single_use() {
            self.pool.keep(self.worker);
        }
    }

    /// Ends a worker that has crashed or was stopped, and starts another worker in advance.
    pub(crate) fn discard(self) {
        let Self { pool, worker } = self;
        let single_use = worker.is_single_use();
        drop(worker);
        pool.lost.fetch_add(1, Ordering::Relaxed);
        if !single_use && let Some(Ok(worker)) = pool.program().map(|program| pool.start(program, false)) {
            pool.keep(worker);
        }
    }
}

/// Whether the engine starts another program for an operation of this kind.
fn needs_programs(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::DocToPdf | OperationKind::PresentationToPdf | OperationKind::SpreadsheetToPdf
    )
}

fn unstartable(program: &WorkerProgram, error: &StartError) -> String {
    format!("cannot start a worker from {}: {error}", program.path().display())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
