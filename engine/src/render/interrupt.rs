//! Ending the rendering of a page from outside.
//!
//! hayro runs a page to its end and cannot be told to stop. But it asks for the document's bytes whenever it looks up an
//! object (a form, a font, an image, a colour space), also of a page whose forms call each other without end. Here they
//! are refused by unwinding to [`guarded`], once the job is over or a page has asked too often. Content that looks nothing
//! up is given look-ups where it is heavy ([`checkpoints`](super::checkpoints)), and is painted in bands; a single shape
//! is bounded by what [`weigh`](super::weight::weigh) lets pass.

use super::cost::MOST_BYTES;
use crate::{EngineError, Job};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most objects that one page may look up, counting repeats: real pages stay below a hundred thousand, and forms that
/// call each other without end get here in seconds.
const MOST_LOOK_UPS: u32 = 5_000_000;

thread_local! {
    /// How often the page that this thread renders may still look up an object.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Whether what renders a document's pages should end; shared by all of its threads.
#[derive(Clone)]
pub(crate) struct Stop {
    job: Job,
    asked: Arc<AtomicBool>,
}

impl Stop {
    pub fn new(job: &Job) -> Self {
        Self { job: job.clone(), asked: Arc::default() }
    }

    /// Ends it for a reason that the job does not know of.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    pub fn is_asked(&self) -> bool {
        self.proceed().is_err()
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`] when asked to end, [`Job::proceed`]'s.
    pub fn proceed(&self) -> Result<(), EngineError> {
        if self.asked.load(Ordering::Relaxed) {
            return Err(EngineError::Cancelled);
        }
        self.job.proceed()
    }

    pub fn job(&self) -> &Job {
        &self.job
    }
}

/// The bytes of a document, as long as its rendering goes on.
pub(super) struct Watched {
    bytes: Vec<u8>,
    stop: Stop,
}

impl Watched {
    pub fn new(bytes: Vec<u8>, stop: Stop) -> Self {
        Self { bytes, stop }
    }
}

/// Why the bytes are refused.
enum Refused {
    Stopped,
    Endless,
    TooHeavy,
}

/// Leaves a page whose shapes take too much, from within the renderer's walk.
pub(super) fn refuse_as_too_heavy() -> ! {
    resume_unwind(Box::new(Refused::TooHeavy))
}

/// Leaves a page that is no longer wanted.
pub(super) fn stop_here() -> ! {
    resume_unwind(Box::new(Refused::Stopped))
}

impl AsRef<[u8]> for Watched {
    fn as_ref(&self) -> &[u8] {
        let left = LEFT.get();
        if left == 0 {
            resume_unwind(Box::new(Refused::Endless));
        }
        LEFT.set(left - 1);
        if self.stop.is_asked() {
            resume_unwind(Box::new(Refused::Stopped));
        }
        &self.bytes
    }
}

/// Renders a page: with an end, and so that a panic of the renderer costs no more than this page.
///
/// # Errors
/// What `render` fails with, [`EngineError::Limit`] for a page without end, [`EngineError::Cancelled`] when it was stopped,
/// [`EngineError::Damaged`] when the renderer gave up.
pub(super) fn guarded<T>(
    number: usize,
    render: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    LEFT.set(MOST_LOOK_UPS);
    let made = catch_unwind(AssertUnwindSafe(render));
    LEFT.set(u32::MAX);
    made.unwrap_or_else(|reason| {
        Err(match reason.downcast_ref::<Refused>() {
            Some(Refused::Stopped) => EngineError::Cancelled,
            Some(Refused::Endless) => EngineError::limit(
                "objects that a page looks up",
                format!("{MOST_LOOK_UPS}; page {number} has more, its forms may call each other without end"),
            ),
            Some(Refused::TooHeavy) => EngineError::limit(
                "memory and time for the shapes of a page",
                format!("{:.0} MiB; page {number} has too many of them", MOST_BYTES / 1024.0 / 1024.0),
            ),
            None => EngineError::Damaged(format!("page {number} cannot be rendered")),
        })
    })
}
