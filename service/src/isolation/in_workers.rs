//! Executes operations in worker processes. Only if no program to start workers from is configured, and isolation is
//! not required, the operations are executed in this process.

use super::Isolation;
#[cfg(feature = "test-controls")]
use super::faults::Faults;
use super::handover::JobFiles;
use super::pool::{Leased, Parent, Pool};
use super::process::{Failed, Work, WorkerOutput};
use super::start::{NextStart, StartAttempts, StartError, is_shortage};
use crate::error::ServiceError;
use crate::execution::{
    CancelOnDrop, Executor, Failure, InProcess, JobOutput, Task, WorkerCounts, within_input_limit,
};
use crate::storage::{Content, Storage};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use recto_engine::{Cancel, EngineError, Limits};
use recto_interface::OperationKind;
use std::io;
use std::sync::Arc;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::task::spawn_blocking;

/// The number of bytes that are read from a result at a time.
const CHUNK: usize = 256 << 10;

/// Executes operations in the workers of a pool.
pub(crate) struct InWorkers {
    pool: Arc<Pool>,
    here: InProcess,
    limits: Limits,
    takes_work: bool,
    #[cfg(feature = "test-controls")]
    faults: Option<Arc<dyn Faults>>,
}

impl InWorkers {
    /// Creates an executor whose workers have their folders below `parent`. `here` executes the operations if there are
    /// no workers.
    pub(crate) fn new(
        isolation: Isolation,
        limits: Limits,
        parent: Parent,
        here: InProcess,
        takes_work: bool,
    ) -> Self {
        Self {
            pool: Arc::new(Pool::new(isolation, limits.clone(), parent)),
            here,
            limits,
            takes_work,
            #[cfg(feature = "test-controls")]
            faults: None,
        }
    }

    /// Sets the faults that the workers cause. Only for tests.
    #[cfg(feature = "test-controls")]
    pub(crate) fn with_faults(mut self, faults: Option<Arc<dyn Faults>>) -> Self {
        self.faults = faults;
        self
    }

    /// Checks that the required isolation is available.
    ///
    /// # Errors
    /// A message that names what is missing.
    pub(crate) fn check(&self) -> Result<(), ServiceError> {
        if self.takes_work { self.pool.check() } else { Ok(()) }
    }

    /// Gets a worker for an operation of the kind `kind`, and its files, still without the input. If a worker cannot be
    /// started for a temporary reason, tries again. `None` if the operation is to be executed in this process.
    async fn worker_for(
        &self,
        kind: OperationKind,
        cancel: &Cancel,
    ) -> Result<Option<(Box<Leased>, JobFiles)>, Failure> {
        let mut attempts = StartAttempts::default();
        loop {
            let pool = Arc::clone(&self.pool);
            let tried = spawn_blocking(move || checkout(&pool, kind)).await;
            let error = match tried.map_err(|error| Failure::Storage(error.into()))? {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            match attempts.next(&error) {
                NextStart::RetryAfter(_) if cancel.is_triggered() => {
                    return Err(Failure::Engine(EngineError::Cancelled));
                }
                NextStart::RetryAfter(pause) => tokio::time::sleep(pause).await,
                NextStart::GiveUp => return Err(unavailable(&error)),
            }
        }
    }

    async fn run(&self, task: Task<'_>) -> Result<JobOutput, Failure> {
        within_input_limit(&task.input, &self.limits)?;
        let Some((leased, mut files)) = self.worker_for(task.options.kind(), &task.cancel).await? else {
            return self.here.execute(task).await;
        };
        let Task { options, input, input_name, storage, cancel, progress } = task;
        let folder = self.pool.folder().map_err(Failure::Storage)?;
        let programs = leased.worker.is_single_use();
        if let Err(error) = files.provide_input(storage, &input, folder.path(), programs).await {
            give_back(leased).await;
            let shortage = is_shortage(&error) && error.kind() != io::ErrorKind::StorageFull;
            return Err(if shortage { unavailable(&error.into()) } else { Failure::Storage(error) });
        }
        #[cfg(feature = "test-controls")]
        let fault = self.faults.as_ref().and_then(|faults| faults.next());
        let (limits, cpu) = (self.limits.clone(), self.pool.cpu());
        let cancel_on_drop = CancelOnDrop::new(&cancel);
        let ran = spawn_blocking(move || {
            let mut leased = leased;
            let report = |done| progress.set(done);
            let work = Work {
                options: &options,
                name: &input_name,
                limits: &limits,
                cancel: &cancel,
                progress: &report,
                #[cfg(feature = "test-controls")]
                fault,
            };
            let outcome = leased.worker.run(files, &work, cpu);
            if matches!(outcome, Err(Failed::Stopped(_) | Failed::Crashed(_))) {
                leased.discard();
                return (outcome, None);
            }
            (outcome, Some(leased))
        });
        let outcome = ran.await;
        cancel_on_drop.disarm();
        let (outcome, leased) = outcome.map_err(|error| Failure::Storage(error.into()))?;
        let output = output_of(outcome, storage).await;
        // The worker is given back only now, because its next operation overwrites the file of the result.
        if let Some(leased) = leased {
            give_back(leased).await;
        }
        output
    }
}

/// Gives a worker back to its pool. If the worker ends, a thread that may block waits for its process.
async fn give_back(leased: Box<Leased>) {
    if !leased.ends_when_given_back() {
        leased.give_back();
    } else if let Err(error) = spawn_blocking(move || leased.give_back()).await {
        tracing::warn!(%error, "could not wait for a worker to end");
    }
}

/// Takes the output of a worker into the storage.
async fn output_of(
    outcome: Result<WorkerOutput, Failed>,
    storage: &dyn Storage,
) -> Result<JobOutput, Failure> {
    match outcome {
        Ok(WorkerOutput::Report(report)) => Ok(JobOutput::Report(report)),
        Ok(WorkerOutput::File { file, size, extension, notes }) => {
            let content = take(storage, File::from_std(file), size).await.map_err(Failure::Storage)?;
            Ok(JobOutput::File { content, extension, notes })
        }
        Err(Failed::Engine { code, .. }) if code == EngineError::Cancelled.code() => {
            Err(Failure::Engine(EngineError::Cancelled))
        }
        Err(Failed::Engine { code, detail }) => Err(Failure::Reported { code, detail }),
        Err(Failed::Stopped(error)) => Err(Failure::Engine(error)),
        Err(Failed::Crashed(how)) => Err(Failure::Crashed {
            code: "worker_crashed",
            detail: format!(
                "the worker process of this operation ended unexpectedly: {how}; no other operation is affected. Try again; if it \
                     happens again with the same document, please report the document"
            ),
        }),
    }
}

impl Executor for InWorkers {
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<JobOutput, Failure>> {
        Box::pin(self.run(task))
    }

    fn prewarm(&self) {
        // A service that runs no operations itself leaves operations to other processes, so the service needs no worker
        // process.
        if self.takes_work && self.pool.is_cold() {
            let pool = Arc::clone(&self.pool);
            spawn_blocking(move || pool.prewarm());
        }
    }

    fn maintain(&self) {
        self.pool.end_idle();
        self.here.maintain();
    }

    fn workers(&self) -> WorkerCounts {
        self.pool.counts()
    }

    fn close(&self) {
        self.pool.close();
    }
}

/// Gets a worker from the pool, and the files of the operation, still without the input.
fn checkout(pool: &Arc<Pool>, kind: OperationKind) -> Result<Option<(Box<Leased>, JobFiles)>, StartError> {
    let Some(leased) = pool.checkout(kind)? else { return Ok(None) };
    let files = leased.worker.next_files()?;
    Ok(Some((leased, files)))
}

fn unavailable(error: &StartError) -> Failure {
    Failure::Unavailable {
        detail: format!(
            "the service cannot start a worker process: {}. It does not process documents without one; try again later, \
             and look into the log of the service",
            error.for_clients()
        ),
        may_pass: error.may_pass(),
    }
}

/// Copies `size` bytes of the result file into the storage. Bytes that the worker appends later are ignored.
async fn take(storage: &dyn Storage, mut file: File, size: u64) -> io::Result<Content> {
    let mut writer = storage.create().await?;
    let mut left = usize::try_from(size).map_err(io::Error::other)?;
    while left > 0 {
        let mut chunk = vec![0; CHUNK.min(left)];
        file.read_exact(&mut chunk).await?;
        left -= chunk.len();
        writer.write(Bytes::from(chunk)).await?;
    }
    writer.finish().await
}
