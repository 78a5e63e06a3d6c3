//! One run of an operation: its limits, its progress, and whether it is still wanted.

use crate::{EngineError, Limits};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Asks a job to stop, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks.
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked.
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a job is, in pages or images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many are done.
    pub done: usize,
    /// How many there are.
    pub total: usize,
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
        }
    }

    /// Tells `report` of the job's progress, from any thread.
    #[must_use]
    pub fn on_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// Converts Office documents by this LibreOffice (`soffice`) instead of the one on `PATH`.
    #[must_use]
    pub fn with_office_program(mut self, program: impl Into<PathBuf>) -> Self {
        let program: PathBuf = program.into();
        self.office_program = Some(program.into());
        self
    }

    /// Leaves programs in this process's group: whoever ends the group ends them too.
    #[must_use]
    pub fn with_programs_in_group(mut self) -> Self {
        self.programs_in_group = true;
        self
    }

    /// Whether programs stay in this process's group.
    pub(crate) fn has_programs_in_group(&self) -> bool {
        self.programs_in_group
    }

    /// The LibreOffice that the caller named.
    pub(crate) fn office_program(&self) -> Option<&Path> {
        self.office_program.as_deref()
    }

    /// The bounds to keep.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether to go on; to be asked in every loop that may be long, at least every 100 ms.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], or [`EngineError::Limit`] when the time is up.
    pub fn proceed(&self) -> Result<(), EngineError> {
        if self.cancel.is_triggered() {
            return Err(EngineError::Cancelled);
        }
        if self.started.elapsed() > self.limits.time {
            return Err(EngineError::limit("time", format!("{} s", self.limits.time.as_secs())));
        }
        Ok(())
    }

    /// Says how far the job is.
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
