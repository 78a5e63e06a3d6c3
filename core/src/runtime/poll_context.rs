//! Where a call's future is polled: outside the runtime, where its own code runs, or inside, where its input and
//! output are driven.
//!
//! A thread that is inside holds the runtime, and no other thread's connections move. Code that may take long, or
//! that calls the client again (a document's reader, a result's writer, a callback), must not run there. So every
//! wait of the core for the network or the clock goes through [`inside`], which hands its outcome out again; what
//! stands between two such waits runs outside.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Where this thread is polling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Nowhere in particular: on another runtime, or within an [`inside`].
    Anywhere,
    /// In a call, without the runtime.
    Outside,
    /// In a call, holding the runtime.
    Inside,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Anywhere) };
    /// Whether the future that was polled inside wants to be polled outside.
    static WANTS_OUT: Cell<bool> = const { Cell::new(false) };
}

impl Place {
    /// Does `work` in this place.
    pub(super) fn of<T>(self, work: impl FnOnce() -> T) -> T {
        struct Back(Place);
        impl Drop for Back {
            fn drop(&mut self) {
                PLACE.set(self.0);
            }
        }
        let _back = Back(PLACE.replace(self));
        work()
    }
}

/// Whether code that is not the core's may run here.
pub(crate) fn is_free() -> bool {
    PLACE.get() != Place::Inside
}

/// Whether the future that was last polled inside wants to be polled outside; asked once.
pub(super) fn wants_out() -> bool {
    WANTS_OUT.take()
}

/// Drives `future`, which may only wait, inside the runtime, and hands its outcome out.
pub(crate) async fn inside<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut outcome = None;
    poll_fn(|context| {
        let place = PLACE.get();
        if outcome.is_none() && place != Place::Outside {
            match Place::Anywhere.of(|| future.as_mut().poll(context)) {
                Poll::Ready(done) => outcome = Some(done),
                Poll::Pending => return Poll::Pending,
            }
        }
        match outcome.take() {
            Some(done) if place != Place::Inside => Poll::Ready(done),
            kept => {
                outcome = kept;
                WANTS_OUT.set(place == Place::Inside);
                Poll::Pending
            }
        }
    })
    .await
}
