//! Interrupts the rendering of a page by code outside hayro.
//!
//! hayro offers no way to stop the rendering of a page. But hayro reads the document's bytes whenever it looks up an
//! object (a form, a font, an image, a colour space), even on a page whose forms call each other without end. When the
//! job has ended, or a page has looked up too many objects, this read unwinds to [`guarded`]. Expensive content that
//! looks up no objects gets look-ups inserted ([`interrupt_points`](super::interrupt_points)), and is painted in bands.
//! The cost of a single shape is limited by [`estimate`](super::cost::estimate).

use crate::{EngineError, Job};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of look-ups of objects on one page. Real pages have fewer than a hundred thousand look-ups. Forms
/// that call each other without end reach this limit within seconds.
const MAX_LOOK_UPS: u32 = 5_000_000;

thread_local! {
    /// The number of look-ups that are still allowed for the page that this thread renders.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// A flag that stops the rendering of a document's pages. All threads of a job share it.
#[derive(Clone)]
pub(crate) struct Stop {
    job: Job,
    requested: Arc<AtomicBool>,
}

impl Stop {
    pub fn new(job: &Job) -> Self {
        Self { job: job.clone(), requested: Arc::default() }
    }

    /// Requests a stop for a reason that the job itself does not know.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    pub fn is_requested(&self) -> bool {
        self.proceed().is_err()
    }

    /// Checks whether the rendering may continue.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`] if a stop was requested, and the errors of [`Job::proceed`].
    pub fn proceed(&self) -> Result<(), EngineError> {
        if self.requested.load(Ordering::Relaxed) {
            return Err(EngineError::Cancelled);
        }
        self.job.proceed()
    }

    pub fn job(&self) -> &Job {
        &self.job
    }
}

/// The bytes of a document. Reading them unwinds when the rendering must stop.
pub(super) struct InterruptibleBytes {
    bytes: Vec<u8>,
    stop: Stop,
}

impl InterruptibleBytes {
    pub fn new(bytes: Vec<u8>, stop: Stop) -> Self {
        Self { bytes, stop }
    }
}

/// The reason why the rendering is interrupted.
enum Interrupt {
    Stopped,
    Endless,
    TooHeavy { max_bytes: f64 },
}

/// Interrupts a page whose shapes take too much memory or time, from within hayro.
pub(super) fn interrupt_too_heavy(max_bytes: f64) -> ! {
    resume_unwind(Box::new(Interrupt::TooHeavy { max_bytes }))
}

/// Interrupts a page because a stop was requested.
pub(super) fn interrupt_stopped() -> ! {
    resume_unwind(Box::new(Interrupt::Stopped))
}

impl AsRef<[u8]> for InterruptibleBytes {
    fn as_ref(&self) -> &[u8] {
        let left = LEFT.get();
        if left == 0 {
            resume_unwind(Box::new(Interrupt::Endless));
        }
        LEFT.set(left - 1);
        if self.stop.is_requested() {
            resume_unwind(Box::new(Interrupt::Stopped));
        }
        &self.bytes
    }
}

/// Calls `render`, which renders a page, in such a way that it can be interrupted, and that a panic of hayro becomes an
/// error of this page only.
///
/// # Errors
/// The errors of `render`, [`EngineError::Limit`] if the page exceeds the limits, [`EngineError::Cancelled`] if the
/// rendering was stopped, [`EngineError::Damaged`] if hayro panicked.
pub(super) fn guarded<T>(
    number: usize,
    render: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    LEFT.set(MAX_LOOK_UPS);
    let result = catch_unwind(AssertUnwindSafe(render));
    LEFT.set(u32::MAX);
    result.unwrap_or_else(|reason| {
        Err(match reason.downcast_ref::<Interrupt>() {
            Some(Interrupt::Stopped) => EngineError::Cancelled,
            Some(Interrupt::Endless) => EngineError::limit(
                "objects used by a page",
                format!("{MAX_LOOK_UPS}; page {number} exceeds it, probably because its forms call each other without end"),
            ),
            Some(Interrupt::TooHeavy { max_bytes }) => EngineError::limit(
                "memory and time for the shapes of a page",
                format!("{:.0} MiB; page {number} has too many shapes", max_bytes / 1024.0 / 1024.0),
            ),
            None => EngineError::Damaged(format!("page {number} cannot be rendered")),
        })
    })
}
