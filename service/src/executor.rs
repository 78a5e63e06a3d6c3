//! How one operation is executed: the trait, and its form in this process.
//!
//! The worker loop (`worker.rs`) takes work from the queue and hands it to an executor, which reads the input from the
//! storage, does what the options say and leaves the result in the storage. It knows no queue; the loop knows no engine.

use crate::config::Config;
use crate::storage::{Content, Storage};
use crate::threads::Threads;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output};
use recto_interface::{Options, ValidationReport};
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

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
}

/// What an operation made.
#[derive(Debug)]
pub(crate) enum Product {
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
    /// What executed it broke down: a panic, a crash. The detail is for the client.
    Broken { code: &'static str, detail: String },
    /// Its bytes could not be read or written.
    Storage(io::Error),
}

/// Executes operations. Dropping the future gives the operation up: nothing of it goes on for longer than the engine
/// takes to see that it is cancelled, and nothing of it stays in the storage.
pub(crate) trait Executor: Send + Sync {
    /// Executes one operation to its end.
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<Product, Failure>>;
}

type Run = dyn Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync;

/// What does the work: [`recto_engine::run`], or a test's own.
#[derive(Clone)]
pub struct Engine(Arc<Run>);

impl Engine {
    /// An engine of one's own.
    pub fn new(
        run: impl Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(run))
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(recto_engine::run)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}

/// Executes operations in this process, on threads where they may block.
pub(crate) struct InProcess {
    engine: Engine,
    limits: Limits,
    workers: usize,
    threads: Arc<Threads>,
}

impl InProcess {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            engine: config.engine.clone(),
            limits: config.engine_limits.clone(),
            workers: config.workers().max(1),
            threads: Arc::default(),
        }
    }

    async fn run(&self, task: Task<'_>) -> Result<Product, Failure> {
        let Task { options, input, input_name, storage, cancel } = task;
        let limits = self.limits.clone();
        if input.size > limits.input_bytes {
            let limit = format!("{} bytes", limits.input_bytes);
            return Err(Failure::Engine(EngineError::limit("input size", limit)));
        }
        let bytes = read(storage, &input).await.map_err(Failure::Storage)?;
        let (engine, threads, workers) = (self.engine.clone(), Arc::clone(&self.threads), self.workers);
        let given_up = GivenUp(cancel.clone());
        let run = tokio::task::spawn_blocking(move || {
            let job = Job::new(limits, cancel);
            let input = Input { bytes: &bytes, name: &input_name };
            // The engine's state is its own: after a panic nothing of it is used again.
            let run = || catch_unwind(AssertUnwindSafe(|| (engine.0)(&options, input, &job)));
            threads.run(workers, run)
        });
        let ran = run.await;
        std::mem::forget(given_up);
        let output = match ran {
            Ok(Ok(output)) => output.map_err(Failure::Engine)?,
            Ok(Err(panic)) => {
                tracing::error!(panic = message(&*panic), "the engine panicked");
                return Err(broken());
            }
            Err(_) => return Err(broken()),
        };
        match output {
            Output::Report(report) => Ok(Product::Report(report)),
            Output::File(made) => {
                let content = write(storage, made.bytes).await.map_err(Failure::Storage)?;
                Ok(Product::File { content, extension: made.extension.to_owned(), notes: made.notes })
            }
        }
    }
}

impl Executor for InProcess {
    fn execute<'s>(&'s self, task: Task<'s>) -> BoxFuture<'s, Result<Product, Failure>> {
        Box::pin(self.run(task))
    }
}

/// Asks the engine to stop when nobody waits for it any more.
struct GivenUp(Cancel);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.trigger();
    }
}

fn broken() -> Failure {
    let detail = "the engine failed on this document; please report the document".to_owned();
    Failure::Broken { code: "internal", detail }
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
