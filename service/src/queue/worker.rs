//! The workers of the queue. A worker takes an operation under a lease, has the operation executed, and records its
//! outcome.

use crate::execution::{AfterFailedStart, Failure, JobOutput, RunningOperation, Task};
use crate::http::file_name;
use crate::ids::identifier;
use crate::registry::{FileEntry, Lease, Origin, Outcome, Work};
use crate::state::Service;
use recto_engine::{Cancel, EngineError};
use recto_interface::{ValidationReport, printable};
use std::io;
use std::time::{Duration, Instant, SystemTime};

/// The pause until the registry is tried again after it has failed.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of attempts to record an outcome while the registry fails. After these attempts the lease
/// expires, and another worker repeats the operation.
const MAX_RECORD_ATTEMPTS: u32 = 5;

/// Executes one operation of the queue after the other, until the service stops.
pub(crate) async fn work(service: Service) {
    while !*service.stopping.borrow() {
        match service.registry.claim(Box::pin(service.stop_requested())).await {
            Ok(Some(work)) => run_one(&service, work).await,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "could not take work from the queue");
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
            tracing::info!(%operation, "operation abandoned: its lease was lost");
            return;
        }
    };
    service.running.end(&operation);
    if service.running.is_stopped() && matches!(&executed, Err(Failure::Engine(EngineError::Cancelled))) {
        release(service, &lease, "the service stops").await;
        return;
    }
    if let Err(Failure::Unavailable { may_pass: true, .. }) = &executed {
        let patience = service.config.isolation.start_time;
        match service.put_back.after_failed_start(&operation, Instant::now(), patience) {
            AfterFailedStart::PutBack(pause) => return put_back(service, &lease, pause).await,
            AfterFailedStart::Fail => {}
        }
    }
    service.put_back.forget(&operation);
    let (outcome, file) = match executed.and_then(|output| outcome_of(output, &input_name)) {
        Ok(ended) => ended,
        Err(failure) => (failure.into(), None),
    };
    let failure = if let Outcome::Failed { code, .. } = &outcome { Some(code.clone()) } else { None };
    service.metrics.operation_ended(kind, failure.as_deref(), began.elapsed());
    tracing::info!(%operation, failure, elapsed_ms = began.elapsed().as_millis(), "operation ended");
    record_outcome(service, &lease, outcome, file).await;
}

/// Renews the lease regularly while the operation runs. If the lease is lost, triggers `cancel` and returns. A lease is
/// lost if the operation was cancelled, or was given to another worker.
async fn keep_lease(service: &Service, lease: &Lease, cancel: &Cancel) {
    let Some(period) = service.registry.renewal() else { return std::future::pending().await };
    loop {
        tokio::time::sleep(period).await;
        match service.registry.renew(lease).await {
            Ok(true) => {}
            Ok(false) => return cancel.trigger(),
            // The next renewal may succeed. If no renewal succeeds in time, another worker gets the operation, and the
            // outcome of this worker is not recorded.
            Err(error) => {
                tracing::warn!(operation = %lease.operation, %error, "could not renew a lease")
            }
        }
    }
}

/// Returns an operation to the queue, because no worker could be started for it. Then pauses, so that the system can
/// recover.
async fn put_back(service: &Service, lease: &Lease, pause: Duration) {
    release(service, lease, "no worker could be started").await;
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = service.stop_requested() => {}
    }
}

async fn release(service: &Service, lease: &Lease, why: &str) {
    match service.registry.release(lease).await {
        Ok(()) => {
            tracing::info!(operation = %lease.operation, why, "operation put back into the queue")
        }
        Err(error) => {
            tracing::warn!(operation = %lease.operation, %error, "could not put an operation back into the queue")
        }
    }
}

/// Records the outcome of an operation, with its result file. If the operation was cancelled or another worker has its
/// lease, the result file is deleted.
async fn record_outcome(service: &Service, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) {
    let operation = &lease.operation;
    let content = file.as_ref().and_then(|file| file.content.clone());
    for attempt in 1..=MAX_RECORD_ATTEMPTS {
        match service.registry.finish(lease, outcome.clone(), file.clone()).await {
            Ok(true) => return,
            Ok(false) => break,
            Err(error) if attempt < MAX_RECORD_ATTEMPTS => {
                tracing::warn!(%operation, %error, "could not record the outcome of an operation; trying again");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            Err(error) => {
                // The service does not know whether the outcome was recorded. So the result file is kept until it
                // expires.
                tracing::error!(%operation, %error, "could not record the outcome of an operation");
                return;
            }
        }
    }
    if let Some(unused) = content
        && let Err(error) = service.storage.delete(&unused).await
    {
        tracing::warn!(%error, "could not delete the result of a cancelled operation");
    }
}

fn outcome_of(output: JobOutput, input_name: &str) -> Result<(Outcome, Option<FileEntry>), Failure> {
    match output {
        // A worker that a hostile document controls may report anything.
        JobOutput::Report(report) => {
            let conformance = report.conformance.as_deref().map(printable::finding);
            let report = ValidationReport {
                errors: printable::findings(report.errors),
                is_conforming: report.is_conforming,
                conformance,
                ..ValidationReport::default()
            };
            Ok((Outcome::Report(report), None))
        }
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
            Ok((Outcome::File { id, name, notes: printable::findings(notes) }, Some(file)))
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        let (code, detail) = match failure {
            Failure::Engine(error) => (error.code(), error.to_string()),
            Failure::Reported { code, detail } => {
                let (code, detail) = (printable::finding(&code), printable::finding(&detail));
                return Self::Failed { code, detail };
            }
            Failure::Crashed { code, detail } => (code, detail),
            Failure::Unavailable { detail, .. } => ("worker_unavailable", detail),
            Failure::Storage(error) if error.kind() == io::ErrorKind::StorageFull => (
                "storage_full",
                "the storage of the service is full; delete files that are no longer needed, then try again"
                    .to_owned(),
            ),
            Failure::Storage(error) => {
                tracing::error!(%error, "could not read the input or write the result of an operation");
                ("internal", "the service could not read the input or write the result; try again".to_owned())
            }
        };
        // The explanation may quote the document.
        Self::Failed { code: code.to_owned(), detail: printable::finding(&detail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Content;

    const HOSTILE: &str = "\u{1b}]0;title\u{7}\r\n\u{202e}fdp";

    #[test]
    fn a_hostile_worker_cannot_send_control_characters_or_endless_texts() {
        let mut report = ValidationReport {
            errors: vec![HOSTILE.repeat(500); 1000],
            is_conforming: Some(false),
            conformance: Some(HOSTILE.repeat(500)),
            ..ValidationReport::default()
        };
        report.extra.insert("more".to_owned(), HOSTILE.into());
        let Ok((Outcome::Report(kept), None)) = outcome_of(JobOutput::Report(report), "a.pdf") else {
            panic!("no report");
        };
        assert_eq!((kept.is_conforming, kept.extra.len()), (Some(false), 0));
        assert_eq!(kept.errors.len(), printable::MOST_FINDINGS);
        let is_clean = |text: &str| {
            text.len() <= printable::MOST_FINDING + 3 && !text.contains(printable::is_unprintable)
        };
        assert!(kept.errors.iter().chain(&kept.conformance).all(|text| is_clean(text)));
        let failure = Failure::Reported { code: HOSTILE.to_owned(), detail: HOSTILE.repeat(500) };
        let Outcome::Failed { code, detail } = failure.into() else { panic!("no failure") };
        assert!(is_clean(&code) && is_clean(&detail));
        let content = Content { key: "k".to_owned(), size: 1 };
        let file = JobOutput::File { content, extension: "zip".to_owned(), notes: vec![HOSTILE.repeat(500)] };
        let Ok((Outcome::File { notes, .. }, Some(_))) = outcome_of(file, "a.pdf") else { panic!("no file") };
        assert!(notes.iter().all(|text| is_clean(text)));
    }
}
