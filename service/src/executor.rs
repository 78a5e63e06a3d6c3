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
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, Progress};
use recto_interface::{Options, ValidationReport};
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    pub(crate) progress: Progressed,
}

/// How far an operation is; clones are of the same operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progressed(Arc<AtomicU64>);

impl Progressed {
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
    /// The engine says so, from another process.
    Told { code: String, detail: String },
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
    /// Work will come soon: what has to be started can be started now. Returns at once.
    fn expect_work(&self) {}
    /// Called every few seconds: what has been idle for long can be given up.
    fn tend(&self) {}
    /// How many worker processes were started, and how many lost.
    fn workers(&self) -> (u64, u64) {
        (0, 0)
    }
    /// Ends what waits for work. May block for as long as a process takes to end.
    fn close(&self) {}
}

type Run = dyn Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync;

/// What does the work: [`recto_engine::run`], or a test's own.
#[derive(Clone)]
pub struct Engine {
    pub(crate) run: Arc<Run>,
    /// Whether it is the engine itself, which workers have too.
    pub(crate) is_the_engine: bool,
}

impl Engine {
    /// An engine of one's own.
    pub fn new(
        run: impl Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self { run: Arc::new(run), is_the_engine: false }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self { is_the_engine: true, ..Self::new(recto_engine::run) }
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
        let Task { options, input, input_name, storage, cancel, progress } = task;
        let limits = self.limits.clone();
        within_input_limit(&input, &limits)?;
        let bytes = read(storage, &input).await.map_err(Failure::Storage)?;
        let (engine, threads, workers) = (self.engine.clone(), Arc::clone(&self.threads), self.workers);
        let given_up = GivenUp::armed(&cancel);
        let run = tokio::task::spawn_blocking(move || {
            let job = Job::new(limits, cancel).on_progress(move |done| progress.set(done));
            let input = Input { bytes: &bytes, name: &input_name };
            // The engine's state is its own: after a panic nothing of it is used again.
            let run = || catch_unwind(AssertUnwindSafe(|| (engine.run)(&options, input, &job)));
            threads.run(workers, run)
        });
        let ran = run.await;
        given_up.disarm();
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
pub(crate) struct GivenUp(Option<Cancel>);

impl GivenUp {
    /// Until it is disarmed.
    pub(crate) fn armed(cancel: &Cancel) -> Self {
        Self(Some(cancel.clone()))
    }

    /// It has ended by itself.
    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for GivenUp {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.trigger();
        }
    }
}

/// What clients are told of a panic.
pub(crate) const PANICKED: &str = "the engine failed on this document; please report the document";

fn broken() -> Failure {
    Failure::Broken { code: "internal", detail: PANICKED.to_owned() }
}

/// Refuses an input that is larger than the engine may be given.
pub(crate) fn within_input_limit(input: &Content, limits: &Limits) -> Result<(), Failure> {
    if input.size <= limits.input_bytes {
        return Ok(());
    }
    let limit = format!("{} bytes", limits.input_bytes);
    Err(Failure::Engine(EngineError::limit("input size", limit)))
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
