//! Workers that wait for the next operation, and starting new ones.

use super::process::{Start, WorkerProcess};
use super::protocol::{MissingProtection, SandboxReport};
use super::{Isolation, IsolationMode, Protection, WorkerProgram};
use crate::storage::PrivateFolder;
use recto_engine::Limits;
use recto_interface::OperationKind;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// After how long a program from which no worker could be started is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Where an operation runs.
pub(crate) enum Checkout {
    /// In a worker.
    Worker(Box<Leased>),
    /// In this process: that is what was asked for, or no worker can be started and none must be.
    InProcess,
    /// Nowhere: a worker must be, and none can be started.
    Unavailable,
}

/// The workers of a service.
pub(crate) struct Pool {
    isolation: Isolation,
    limits: Limits,
    /// Below which workers have their directories.
    parent: PathBuf,
    /// WorkerOutput with the first worker.
    directory: OnceLock<Arc<PrivateFolder>>,
    idle: Mutex<Vec<Idle>>,
    failed: Mutex<Option<Instant>>,
    /// Namespaces were tried and went half-way: they are left alone.
    no_namespaces: AtomicBool,
    reported: Mutex<HashSet<MissingProtection>>,
    closed: AtomicBool,
    /// Held while a worker is started ahead of the work.
    ahead: Mutex<()>,
    begun: AtomicBool,
    started: AtomicU64,
    lost: AtomicU64,
}

struct Idle {
    worker: WorkerProcess,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(isolation: Isolation, limits: Limits, parent: PathBuf) -> Self {
        Self {
            isolation,
            limits,
            parent,
            directory: OnceLock::new(),
            idle: Mutex::default(),
            failed: Mutex::default(),
            no_namespaces: AtomicBool::new(false),
            reported: Mutex::default(),
            closed: AtomicBool::new(false),
            ahead: Mutex::default(),
            begun: AtomicBool::new(false),
            started: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// The most processor time of an operation.
    pub(crate) fn cpu(&self) -> Duration {
        self.isolation.cpu
    }

    /// How many workers were started, and how many were lost to a document.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.started.load(Ordering::Relaxed), self.lost.load(Ordering::Relaxed))
    }

    /// Whether no worker was ever begun to be started, and one could be.
    pub(crate) fn is_cold(&self) -> bool {
        !self.begun.load(Ordering::Relaxed) && self.program().is_some()
    }

    fn program(&self) -> Option<&WorkerProgram> {
        self.isolation.program.as_ref().filter(|_| self.isolation.mode != IsolationMode::None)
    }

    /// A worker for an operation of this kind. Blocks for the milliseconds that a start takes.
    pub(crate) fn checkout(self: &Arc<Self>, kind: OperationKind) -> Checkout {
        let Some(program) = self.program() else {
            return if self.isolation.mode == IsolationMode::Strict {
                Checkout::Unavailable
            } else {
                Checkout::InProcess
            };
        };
        // A worker that may start programs serves one document.
        let programs = needs_programs(kind);
        let waiting = if programs { None } else { self.waiting() };
        if let Some(worker) = waiting {
            return Checkout::Worker(self.lease(worker));
        }
        let failed = *lock(&self.failed);
        let started = match failed.filter(|failed| failed.elapsed() < RETRY_AFTER) {
            Some(_) => None,
            None => self.start(program, programs),
        };
        match started {
            Some(worker) => Checkout::Worker(self.lease(worker)),
            None if self.isolation.mode == IsolationMode::Strict => Checkout::Unavailable,
            None => Checkout::InProcess,
        }
    }

    /// A worker that waits; the one that is being started ahead, if there is one.
    fn waiting(&self) -> Option<WorkerProcess> {
        loop {
            let Some(Idle { mut worker, .. }) = self.idle().pop() else { break };
            // What somebody killed meanwhile is no loss.
            if worker.is_alive() {
                return Some(worker);
            }
        }
        let _started = lock(&self.ahead);
        self.idle().pop().map(|idle| idle.worker)
    }

    /// Has a worker wait, so that the first operation need not. Blocks as [`checkout`](Self::checkout).
    pub(crate) fn prewarm(&self) {
        let Ok(_starting) = self.ahead.try_lock() else { return };
        if !self.is_cold() || self.closed.load(Ordering::Relaxed) {
            return;
        }
        if let Some(worker) = self.program().and_then(|program| self.start(program, false)) {
            self.keep(worker);
        }
    }

    /// Whether workers are all that [`IsolationMode::Strict`] asks for, where it does; tried out with one of each sort.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.isolation.mode != IsolationMode::Strict {
            return Ok(());
        }
        match self.probe()? {
            None => Err("there is no program to start workers from; name the recto program in RECTO_WORKER"
                .to_owned()),
            Some(found) if found.lacking.is_empty() => Ok(()),
            Some(found) => Err(format!("workers would have to do without: {}", found.lacking.join(", "))),
        }
    }

    /// How far workers are shut in, by a look at one of each sort; `None` where there are none.
    pub(crate) fn probe(&self) -> Result<Option<Protection>, String> {
        let Some(program) = self.program() else { return Ok(None) };
        let mut found = Protection::default();
        // Without LibreOffice there is no program to start.
        let sorts: &[bool] = if recto_engine::office_program().is_ok() { &[true, false] } else { &[false] };
        for &programs in sorts {
            let worker = self.try_start(program, programs).map_err(|error| unstartable(program, &error))?;
            found.by.clone_from(&worker.sandboxed.by);
            for lack in &worker.sandboxed.lacking {
                let lack = format!("{} ({})", lack.what, lack.why);
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

    /// Ends the workers that have waited for long.
    pub(crate) fn end_idle(&self) {
        let mut idle = self.idle();
        let (keep, end) = std::mem::take(&mut *idle)
            .into_iter()
            .partition(|idle: &Idle| idle.since.elapsed() < self.isolation.idle);
        *idle = keep;
        drop(idle);
        drop(end);
    }

    /// Ends all workers that wait, now and from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // One that is being started ahead is ended, too.
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

    fn start(&self, program: &WorkerProgram, programs: bool) -> Option<WorkerProcess> {
        match self.try_start(program, programs) {
            Ok(worker) => {
                *lock(&self.failed) = None;
                self.report(&worker.sandboxed);
                Some(worker)
            }
            Err(error) => {
                *lock(&self.failed) = Some(Instant::now());
                tracing::error!(
                    why = unstartable(program, &error),
                    "operations are not kept apart from the service"
                );
                None
            }
        }
    }

    fn try_start(&self, program: &WorkerProgram, programs: bool) -> io::Result<WorkerProcess> {
        self.begun.store(true, Ordering::Relaxed);
        let directory = match self.directory.get() {
            Some(directory) => Arc::clone(directory),
            None => {
                let made = Arc::new(PrivateFolder::create_in(&self.parent)?);
                Arc::clone(self.directory.get_or_init(|| made))
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

    /// Says once what is not kept.
    fn report(&self, sandboxed: &SandboxReport) {
        let mut reported = lock(&self.reported);
        if reported.is_empty() {
            tracing::info!(by = sandboxed.by.join(", "), "workers are shut in");
        }
        for lack in &sandboxed.lacking {
            if reported.insert(lack.clone()) {
                tracing::warn!(what = lack.what, why = lack.why, "workers have to do without a protection");
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        lock(&self.idle)
    }
}

/// A worker in the hands of one operation.
pub(crate) struct Leased {
    pool: Arc<Pool>,
    pub(crate) worker: WorkerProcess,
}

impl Leased {
    /// Gives the worker back for the next operation.
    pub(crate) fn give_back(self) {
        if !self.worker.is_single_use() {
            self.pool.keep(self.worker);
        }
    }

    /// Ends the worker, which has gone wrong; another one is started ahead of the next operation.
    pub(crate) fn discard(self) {
        let Self { pool, worker } = self;
        let once = worker.is_single_use();
        drop(worker);
        pool.lost.fetch_add(1, Ordering::Relaxed);
        if !once && let Some(worker) = pool.program().and_then(|program| pool.start(program, false)) {
            pool.keep(worker);
        }
    }
}

/// Whether an operation is done by a program that the engine starts.
fn needs_programs(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::DocToPdf | OperationKind::PresentationToPdf | OperationKind::SpreadsheetToPdf
    )
}

fn unstartable(program: &WorkerProgram, error: &io::Error) -> String {
    format!("no worker can be started from {}: {error}", program.path().display())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
