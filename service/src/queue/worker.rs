//! The work: takes operations from the queue, has them executed, and records how they ended.

use super::running::RunningOperation;
use crate::execution::{Failure, JobOutput, Task};
use crate::http::file_name;
use crate::ids::identifier;
use crate::registry::{FileEntry, Lease, Origin, Outcome, Work};
use crate::state::Service;
use recto_engine::{Cancel, EngineError};
use std::io;
use std::time::{Duration, Instant, SystemTime};

/// How long to wait before the registry is asked again that failed.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// How often the end of an operation is recorded anew when the registry fails. After that the lease runs out, and
/// another worker does the work again.
const MAX_RECORD_ATTEMPTS: u32 = 5;

/// One worker: one operation after the other, until the service is told to stop.
pub(crate) async fn work(service: Service) {
    while !*service.stopping.borrow() {
        match service.registry.claim(Box::pin(service.stop_requested())).await {
            Ok(Some(work)) => run_one(&service, work).await,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "no work could be taken");
                tokio::select! {
                    () = tokio::time::sleep(RETRY_PAUSE) => {}
                    () = service.stop_requested() => return,
                }
            }
        }
    }
}

async fn run_one(service: &Service, work: Work) {
    let Work { lease, options, input_name, input } = work;
    let operation = lease.operation.clone();
    let (kind, began) = (options.kind(), Instant::now());
    let RunningOperation { cancel, progress } = service.running.begin(&operation);
    let task = Task {
        options,
        input,
        input_name: input_name.clone(),
        storage: &*service.storage,
        cancel: cancel.clone(),
        progress,
    };
    let executed = tokio::select! {
        executed = service.executor.execute(task) => executed,
        () = keep_lease(service, &lease, &cancel) => {
            service.running.end(&operation);
            tracing::info!(%operation, "operation given up: it is no longer this worker's");
            return;
        }
    };
    service.running.end(&operation);
    if service.running.is_stopped() && matches!(&executed, Err(Failure::Engine(EngineError::Cancelled))) {
        release(service, &lease).await;
        return;
    }
    let (outcome, file) = match executed.and_then(|output| outcome_of(output, &input_name)) {
        Ok(ended) => ended,
        Err(failure) => (failure.into(), None),
    };
    let failure = if let Outcome::Failed { code, .. } = &outcome { Some(code.clone()) } else { None };
    service.metrics.operation_ended(kind, failure.as_deref(), began.elapsed());
    tracing::info!(%operation, failure, elapsed_ms = began.elapsed().as_millis(), "operation ended");
    record_outcome(service, &lease, outcome, file).await;
}

/// Keeps the lease while the work goes on; returns when it is lost: the operation was cancelled, or is another's.
async fn keep_lease(service: &Service, lease: &Lease, cancel: &Cancel) {
    let Some(period) = service.registry.renewal() else { return std::future::pending().await };
    loop {
        tokio::time::sleep(period).await;
        match service.registry.renew(lease).await {
            Ok(true) => {}
            Ok(false) => return cancel.trigger(),
            // The next renewal may succeed; if none does in time, the work is another's, and this one's end is refused.
            Err(error) => {
                tracing::warn!(operation = %lease.operation, %error, "a lease could not be renewed")
            }
        }
    }
}

async fn release(service: &Service, lease: &Lease) {
    match service.registry.release(lease).await {
        Ok(()) => tracing::info!(operation = %lease.operation, "operation put back: the service stops"),
        Err(error) => {
            tracing::warn!(operation = %lease.operation, %error, "an operation could not be put back")
        }
    }
}

/// Records the end of an operation, with the file that it made; a file that nobody waits for is removed.
async fn record_outcome(service: &Service, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) {
    let operation = &lease.operation;
    let made = file.as_ref().and_then(|file| file.content.clone());
    for attempt in 1..=MAX_RECORD_ATTEMPTS {
        match service.registry.finish(lease, outcome.clone(), file.clone()).await {
            Ok(true) => return,
            Ok(false) => break,
            Err(error) if attempt < MAX_RECORD_ATTEMPTS => {
                tracing::warn!(%operation, %error, "the end of an operation could not be recorded yet");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            Err(error) => {
                // Whether it was recorded is not known: the file stays, and goes when its time is over.
                tracing::error!(%operation, %error, "the end of an operation could not be recorded");
                return;
            }
        }
    }
    if let Some(unused) = made
        && let Err(error) = service.storage.delete(&unused).await
    {
        tracing::warn!(%error, "a result that nobody waits for could not be removed");
    }
}

fn outcome_of(output: JobOutput, input_name: &str) -> Result<(Outcome, Option<FileEntry>), Failure> {
    match output {
        JobOutput::Report(report) => Ok((Outcome::Report(report), None)),
        JobOutput::File { content, extension, notes } => {
            let id = identifier().map_err(Failure::Storage)?;
            let name = file_name::with_extension(input_name, &extension);
            let file = FileEntry {
                id: id.clone(),
                created: SystemTime::now(),
                origin: Origin::Result,
                name: name.clone(),
                content: Some(content),
            };
            Ok((Outcome::File { id, name, notes }, Some(file)))
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        let (code, detail) = match failure {
            Failure::Engine(error) => (error.code(), error.to_string()),
            Failure::Reported { code, detail } => return Self::Failed { code, detail },
            Failure::Crashed { code, detail } => (code, detail),
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
