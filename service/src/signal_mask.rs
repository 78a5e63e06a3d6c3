//! Starts threads of the embedded service that receive no signals of the process.
//!
//! The system delivers a signal of the process to any thread that does not block it. The signals of a program that
//! embeds the service are for its own threads: some programs wait for signals with `signalfd` or `sigwait`. A thread
//! inherits the mask of the thread that starts it, so all threads of the embedded service inherit this mask.

/// Runs `start`, which starts a thread, while all signals are blocked in the calling thread. Signals that report an
/// error of the thread itself stay unblocked: if such a signal is blocked, the system ends the process without a
/// message.
#[cfg(unix)]
pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};
    let mut blocked = SigSet::all();
    for error in
        [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL, Signal::SIGTRAP, Signal::SIGSYS]
    {
        blocked.remove(error);
    }
    // The only possible error is an invalid argument.
    let before = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let started = start();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    started
}

/// Runs `start`. Only Unix has signals.
#[cfg(not(unix))]
pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    start()
}
