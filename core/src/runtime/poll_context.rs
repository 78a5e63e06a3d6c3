//! Where the future of a call is polled: outside the runtime, where code of the caller may run, or inside the
//! runtime, where network and timers work.
//!
//! Inside the runtime, another call cannot drive a runtime on the same thread, and code of the caller would find the
//! runtime of this crate instead of its own. So code that may take long or that makes another call (the reader of a
//! document, the writer of a result, a callback) must not run there. Every wait for the network or the clock uses
//! [`inside_runtime`], which returns its output outside the runtime again. The code between two such waits runs outside
//! the runtime.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Where this thread is polling a future.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PollContext {
    /// No rule applies: the thread polls on another runtime, or within [`inside_runtime`].
    NoCall,
    /// The thread polls the future of a call, outside the runtime.
    OutsideRuntime,
    /// The thread polls the future of a call, inside the runtime.
    InsideRuntime,
}

thread_local! {
    static CURRENT: Cell<PollContext> = const { Cell::new(PollContext::NoCall) };
    /// Whether the future that was last polled inside the runtime has to be polled outside the runtime next.
    static WANTS_TO_LEAVE: Cell<bool> = const { Cell::new(false) };
}

impl PollContext {
    /// Runs `work` while this is the context of the thread.
    pub(super) fn enter<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(PollContext);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _restore = Restore(CURRENT.replace(self));
        work()
    }
}

/// Whether code may run here that may block, or that does not belong to this crate.
pub(crate) fn may_block() -> bool {
    CURRENT.get() != PollContext::InsideRuntime
}

/// Returns whether the future that was last polled inside the runtime has to be polled outside next, and resets this
/// value.
pub(super) fn wants_to_leave() -> bool {
    WANTS_TO_LEAVE.take()
}

/// Drives `future` inside the runtime, and returns its output outside the runtime. The future must only wait.
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
