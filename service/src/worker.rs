//! The work: takes operations from the queue and runs the engine on them, on threads where it may block.

use crate::ids::identifier;
use crate::names;
use crate::registry::{FileEntry, Origin, Outcome, Work};
use crate::state::Service;
use crate::storage::Content;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use recto_engine::{Cancel, EngineError, Input, Job, Output};
use recto_interface::Options;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

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

/// The operations that run here, each with the means to stop it.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<String, Cancel>>);

impl Running {
    /// Asks an operation to stop, if it runs here.
    pub(crate) fn cancel(&self, operation: &str) {
        if let Some(cancel) = self.all().get(operation) {
            cancel.trigger();
        }
    }

    /// Asks every operation to stop.
    pub(crate) fn cancel_all(&self) {
        self.all().values().for_each(Cancel::trigger);
    }

    fn begin(&self, operation: &str) -> Cancel {
        let cancel = Cancel::default();
        self.all().insert(operation.to_owned(), cancel.clone());
        cancel
    }

    fn end(&self, operation: &str) {
        self.all().remove(operation);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Cancel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One worker: one operation after the other, until the service is told to stop.
pub(crate) async fn work(service: Service) {
    loop {
        let claimed = tokio::select! {
            claimed = service.registry.claim() => claimed,
            () = service.told_to_stop() => return,
        };
        match claimed {
            Ok(work) => run_one(&service, work).await,
            Err(error) => {
                tracing::error!(%error, "no work could be taken");
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    }
}

async fn run_one(service: &Service, work: Work) {
    let operation = work.operation.clone();
    let began = std::time::Instant::now();
    let cancel = service.running.begin(&operation);
    let (outcome, file) = match attempt(service, work, cancel).await {
        Ok((outcome, file)) => (outcome, file),
        Err(failure) => (failure.into(), None),
    };
    service.running.end(&operation);
    let failure = if let Outcome::Failed { code, .. } = &outcome { Some(code.clone()) } else { None };
    tracing::info!(%operation, failure, elapsed_ms = began.elapsed().as_millis(), "operation ended");
    let made = file.as_ref().and_then(|file| file.content.clone());
    let unused = match service.registry.finish(&operation, outcome, file).await {
        Ok(true) => None,
        Ok(false) => made,
        Err(error) => {
            tracing::error!(%operation, %error, "the end of an operation could not be recorded");
            made
        }
    };
    if let Some(unused) = unused
        && let Err(error) = service.storage.delete(&unused).await
    {
        tracing::warn!(%error, "a result that nobody waits for could not be removed");
    }
}

/// Why an operation failed.
enum Failure {
    Engine(EngineError),
    Panic,
    Storage(io::Error),
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        let (code, detail) = match failure {
            Failure::Engine(error) => (error.code(), error.to_string()),
            Failure::Panic => ("internal", "the engine failed on this document; please report the document".to_owned()),
            Failure::Storage(error) if error.kind() == io::ErrorKind::StorageFull => {
                ("storage_full", "the service has no room for the result; delete files that are no longer needed, then try again".to_owned())
            }
            Failure::Storage(error) => {
                tracing::error!(%error, "an operation's bytes could not be read or written");
                ("internal", "the service could not read the input or write the result; try again".to_owned())
            }
        };
        Self::Failed { code: code.to_owned(), detail }
    }
}

async fn attempt(
    service: &Service,
    work: Work,
    cancel: Cancel,
) -> Result<(Outcome, Option<FileEntry>), Failure> {
    let Work { options, input_name, input, .. } = work;
    let limits = service.config.engine_limits.clone();
    if input.size > limits.input_bytes {
        return Err(Failure::Engine(EngineError::limit(
            "input size",
            format!("{} bytes", limits.input_bytes),
        )));
    }
    let bytes = read(service, &input).await.map_err(Failure::Storage)?;
    let (name, of) = (input_name.clone(), service.clone());
    let run = tokio::task::spawn_blocking(move || {
        let job = Job::new(limits, cancel);
        let input = Input { bytes: &bytes, name: &name };
        let engine = &of.config.engine;
        // The engine's state is its own: after a panic nothing of it is used again.
        let run = || catch_unwind(AssertUnwindSafe(|| (engine.0)(&options, input, &job)));
        of.threads.run(of.config.workers(), run)
    });
    let output = match run.await {
        Ok(Ok(output)) => output.map_err(Failure::Engine)?,
        Ok(Err(panic)) => {
            tracing::error!(panic = message(&*panic), "the engine panicked");
            return Err(Failure::Panic);
        }
        Err(_) => return Err(Failure::Panic),
    };
    match output {
        Output::Report(report) => Ok((Outcome::Report(report), None)),
        Output::File(made) => {
            let content = write(service, made.bytes).await.map_err(Failure::Storage)?;
            let id = identifier().map_err(Failure::Storage)?;
            let name = names::with_extension(&input_name, made.extension);
            let file = FileEntry {
                id: id.clone(),
                created: SystemTime::now(),
                origin: Origin::Result,
                name: name.clone(),
                content: Some(content),
            };
            Ok((Outcome::File { id, name, notes: made.notes }, Some(file)))
        }
    }
}

async fn read(service: &Service, content: &Content) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(content.size).unwrap_or_default());
    let mut chunks = service.storage.read(content, 0..content.size);
    while let Some(chunk) = chunks.try_next().await? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn write(service: &Service, bytes: Vec<u8>) -> io::Result<Content> {
    let mut writer = service.storage.create().await?;
    writer.write(Bytes::from(bytes)).await?;
    writer.finish().await
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
