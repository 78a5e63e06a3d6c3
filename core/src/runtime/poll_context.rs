//! Where a call's future is polled: outside the runtime, where its own code runs, or inside, where its input and
//! output are driven.
//!
//! A thread that is inside holds the runtime, and no other thread's connections move. Code that may take long, or
//! that calls the client again (a document's reader, a result's writer, a callback), must not run there. So every
//! wait of the core for the network or the clock goes through [`inside_runtime`], which hands its outcome out again; what
//! stands between two such waits runs outside.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Where this thread is polling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PollContext {
    /// Nowhere in particular: on another runtime, or within an [`inside_runtime`].
    NoCall,
    /// In a call, without the runtime.
    OutsideRuntime,
    /// In a call, holding the runtime.
    InsideRuntime,
}

thread_local! {
    static CURRENT: Cell<PollContext> = const { Cell::new(PollContext::NoCall) };
    /// Whether the future that was polled inside wants to be polled outside.
    static WANTS_TO_LEAVE: Cell<bool> = const { Cell::new(false) };
}

impl PollContext {
    /// Does `work` in this place.
    pub(super) fn enter<T>(self, work: impl FnOnce() -> T) -> T {
        struct Back(PollContext);
        impl Drop for Back {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _back = Back(CURRENT.replace(self));
        work()
    }
}

/// Whether code that is not the core's may run here.
pub(crate) fn may_block() -> bool {
    CURRENT.get() != PollContext::InsideRuntime
}

/// Whether the future that was last polled inside wants to be polled outside; asked once.
pub(super) fn wants_to_leave() -> bool {
    WANTS_TO_LEAVE.take()
}

/// Drives `future`, which may only wait, inside the runtime, and hands its outcome out.
pub(crate) async fn inside_runtime<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut outcome = None;
    poll_fn(|context| {
        let current = CURRENT.get();
        if outcome.is_none() && current != PollContext::OutsideRuntime {
            match PollContext::NoCall.enter(|| future.as_mut().poll(context)) {
                Poll::Ready(done) => outcome = Some(done),
                Poll::Pending => return Poll::Pending,
            }
        }
        match outcome.take() {
            Some(done) if current != PollContext::InsideRuntime => Poll::Ready(done),
            kept => {
                outcome = kept;
                WANTS_TO_LEAVE.set(current == PollContext::InsideRuntime);
                Poll::Pending
            }
        }
    })
    .await
}
