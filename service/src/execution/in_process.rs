//! Executes operations in the process of the service.

use super::threads::Threads;
use super::{CancelOnDrop, Engine, Executor, Failure, JobOutput, PANICKED, Task, within_input_limit};
use crate::storage::{Content, Storage};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use recto_engine::{Input, Job, Limits, Output};
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Executes operations in this process, on threads that may block.
pub(crate) struct InProcess {
    engine: Engine,
    limits: Limits,
    workers: usize,
    threads: Arc<Threads>,
}

impl InProcess {
    /// Creates an executor that executes at most `workers` operations at the same time. A document may decode to at
    /// most `decoded_bytes`.
    pub(crate) fn new(engine: Engine, limits: &Limits, decoded_bytes: u64, workers: usize) -> Self {
        Self {
            engine,
            limits: in_process(limits, decoded_bytes),
            workers: workers.max(1),
            threads: Arc::default(),
        }
    }

    async fn run(&self, task: Task<'_>) -> Result<JobOutput, Failure> {
        let Task { options, input, input_name, storage, cancel, progress } = task;
        let limits = self.limits.clone();
        within_input_limit(&input, &limits)?;
        let bytes = read(storage, &input).await.map_err(Failure::Storage)?;
        let (engine, threads, workers) = (self.engine.clone(), Arc::clone(&self.threads), self.workers);
        let cancel_on_drop = CancelOnDrop::new(&cancel);
        let run = spawn_blocking(move || {
            let job = Job::new(limits, cancel).on_progress(move |done| progress.set(done));
            let input = Input { bytes: &bytes, name: &input_name };
            // This is unwind safe: the engine shares no state between operations, so no state of the engine is used
            // after a panic.
            let run = || catch_unwind(AssertUnwindSafe(|| (engine.run)(&options, input, &job)));
            threads.run(workers, run)
        });
        let ran = run.await;
        cancel_on_drop.disarm();
        let output = match ran {
            Ok(Ok(output)) => output.map_err(Failure::Engine)?,
            Ok(Err(panic)) => {
                tracing::error!(panic = message(&*panic), "the engine panicked");
                return Err(broken());
            }
            Err(_) => return Err(broken()),
        };
        match output {
            Output::Report(report) => Ok(JobOutput::Report(report)),
            Output::File(file) => {
                let content = write(storage, file.bytes).await.map_err(Failure::Storage)?;
                Ok(JobOutput::File { content, extension: file.extension.to_owned(), notes: file.notes })
            }
        }
    }
}

/// The limits of an operation in a process that it shares with the program: nothing else limits its memory there.
fn in_process(limits: &Limits, decoded_bytes: u64) -> Limits {
    Limits {
        decoded_bytes: limits.decoded_bytes.min(decoded_bytes),
        // A decoded pixel has at most four bytes.
        pixels: limits.pixels.min(decoded_bytes / 4),
        ..limits.clone()
    }
}

impl Executor for InProcess {
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<JobOutput, Failure>> {
        Box::pin(self.run(task))
    }

    fn maintain(&self) {
        self.threads.end_idle();
    }
}

fn broken() -> Failure {
    Failure::Crashed { code: "internal", detail: PANICKED.to_owned() }
}

async fn read(storage: &dyn Storage, content: &Content) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(content.size).unwrap_or_default());
    let mut chunks = storage.read(content, 0..content.size);
    while let Some(chunk) = chunks.try_next().await? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn write(storage: &dyn Storage, bytes: Vec<u8>) -> io::Result<Content> {
    let mut writer = storage.create().await?;
    writer.write(Bytes::from(bytes)).await?;
    writer.finish().await
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
