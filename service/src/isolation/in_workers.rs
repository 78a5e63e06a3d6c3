//! Executes operations in worker processes. If there are no workers and isolation is not required, the operations are
//! executed in this process.

use super::Isolation;
#[cfg(feature = "test-controls")]
use super::faults::Faults;
use super::handover::JobFiles;
use super::pool::{Checkout, Leased, Pool};
use super::process::{Failed, Work, WorkerOutput};
use crate::execution::{CancelOnDrop, Executor, Failure, InProcess, JobOutput, Task, within_input_limit};
use crate::storage::{Content, Storage};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use recto_engine::{EngineError, Limits};
use std::io;
use std::path::PathBuf;
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
        parent: PathBuf,
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
    pub(crate) fn check(&self) -> Result<(), String> {
        self.pool.check()
    }

    async fn run(&self, task: Task<'_>) -> Result<JobOutput, Failure> {
        within_input_limit(&task.input, &self.limits)?;
        let (pool, kind) = (Arc::clone(&self.pool), task.options.kind());
        let leased = match spawn_blocking(move || checkout(&pool, kind)).await.map_err(io::Error::from) {
            Ok(Ok(Some(leased))) => leased,
            Ok(Ok(None)) => return self.here.execute(task).await,
            Ok(Err(failure)) => return Err(failure),
            Err(error) => return Err(Failure::Storage(error)),
        };
        let (leased, mut files) = leased;
        let Task { options, input, input_name, storage, cancel, progress } = task;
        let folder = self.pool.folder().map_err(Failure::Storage)?;
        let programs = leased.worker.is_single_use();
        let provided = files.provide_input(storage, &input, folder.path(), programs).await;
        provided.map_err(Failure::Storage)?;
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
            leased.give_back();
        }
        output
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

    fn workers(&self) -> (u64, u64) {
        self.pool.counts()
    }

    fn close(&self) {
        self.pool.close();
    }
}

/// Gets a worker from the pool, and the files of the operation, still without the input. `None` if the operation is to be
/// executed in this process.
fn checkout(
    pool: &Arc<Pool>,
    kind: recto_interface::OperationKind,
) -> Result<Option<(Box<Leased>, JobFiles)>, Failure> {
    match pool.checkout(kind) {
        Checkout::Worker(leased) => {
            let files = leased.worker.next_files().map_err(Failure::Storage)?;
            Ok(Some((leased, files)))
        }
        Checkout::InProcess => Ok(None),
        Checkout::Unavailable => Err(Failure::Crashed {
            code: "worker_unavailable",
            detail: "the service cannot start a worker process, and does not process documents without one; try again \
                     later, and look into the log of the service"
                .to_owned(),
        }),
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
