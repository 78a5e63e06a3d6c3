//! A job is one run of an operation: its limits, its progress, and whether it was cancelled.

use crate::{EngineError, Limits};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A handle that cancels a job. Any thread may use the handle.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the job.
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the job was cancelled.
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The progress of a job, in pages or images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of pages or images that are done.
    pub done: usize,
    /// The total number of pages or images.
    pub total: usize,
}

/// What was found out about the input document when it was loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputRecord {
    /// The number of pages.
    pub(crate) pages: usize,
    /// Whether the document was encrypted.
    pub(crate) encrypted: bool,
    /// Notes for the user: what was guessed, because the document is damaged.
    pub(crate) notes: Vec<String>,
}

type Report = dyn Fn(Progress) + Send + Sync;

/// One run of an operation.
#[derive(Clone)]
pub struct Job {
    limits: Limits,
    cancel: Cancel,
    started: Instant,
    report: Option<Arc<Report>>,
    office_program: Option<Arc<Path>>,
    programs_in_group: bool,
    input: Arc<Mutex<Option<InputRecord>>>,
}

impl Job {
    /// A job that starts now.
    pub fn new(limits: Limits, cancel: Cancel) -> Self {
        Self {
            limits,
            cancel,
            started: Instant::now(),
            report: None,
            office_program: None,
            programs_in_group: false,
            input: Arc::default(),
        }
    }

    /// The same job without a record of an input document.
    pub(crate) fn for_one_run(&self) -> Self {
        Self { input: Arc::default(), ..self.clone() }
    }

    /// Records what was found out about the input document. Only the first document that an operation loads is its
    /// input: later ones are its results, and attachments.
    pub(crate) fn record_input(&self, record: InputRecord) {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(record);
    }

    /// What was found out about the input document; `None` if no document was loaded.
    pub(crate) fn input_record(&self) -> Option<InputRecord> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls `report` with the progress of the job. The calls may come from any thread.
    #[must_use]
    pub fn on_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// Converts Office documents with this LibreOffice program (`soffice`) instead of the program on `PATH`.
    #[must_use]
    pub fn with_office_program(mut self, program: impl Into<PathBuf>) -> Self {
        let program: PathBuf = program.into();
        self.office_program = Some(program.into());
        self
    }

    /// Starts other programs, such as LibreOffice, in the process group of this process. Ending the process group then
    /// ends the programs too.
    #[must_use]
    pub fn with_programs_in_group(mut self) -> Self {
        self.programs_in_group = true;
        self
    }

    /// Whether other programs are started in the process group of this process.
    pub(crate) fn has_programs_in_group(&self) -> bool {
        self.programs_in_group
    }

    /// The LibreOffice program that the caller set; `None` if the caller set none.
    pub(crate) fn office_program(&self) -> Option<&Path> {
        self.office_program.as_deref()
    }

    /// The limits of the job.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Checks whether the job may continue. Every loop that may take long calls this function, at least every 100 ms.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], or [`EngineError::Limit`] if the job exceeds its time limit.
    pub fn proceed(&self) -> Result<(), EngineError> {
        if self.cancel.is_triggered() {
            return Err(EngineError::Cancelled);
        }
        if self.started.elapsed() > self.limits.time {
            return Err(EngineError::limit("time", format!("{} s", self.limits.time.as_secs())));
        }
        Ok(())
    }

    /// Reports the progress of the job.
    pub fn progress(&self, done: usize, total: usize) {
        if let Some(report) = &self.report {
            report(Progress { done, total });
        }
    }
}

impl Default for Job {
    fn default() -> Self {
        Self::new(Limits::default(), Cancel::default())
    }
}
