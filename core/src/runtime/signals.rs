//! Starts threads that receive no signals of the process.
//!
//! The system delivers a signal of the process to any thread that does not block it. A host that waits for signals with
//! `signalfd` or `sigwait` blocks them in its own threads, and would be ended by a signal that a thread of this library
//! received. A thread inherits the mask of the thread that starts it. So the starting thread blocks all signals for
//! this moment, and the new thread never has another mask.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Runs `start`, which starts threads of another library: they receive no signals of the process.
#[cfg(feature = "watch")]
pub(crate) fn blocked<T>(start: impl FnOnce() -> T) -> T {
    let _blocked = Blocked::new();
    start()
}

/// Starts a thread called `name`, in which all signals are blocked.
///
/// # Errors
/// The system cannot start another thread.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let _blocked = Blocked::new();
    Builder::new().name(name.to_owned()).spawn(work)
}

#[cfg(unix)]
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Blocks all signals in the calling thread, except those that report an error of the thread itself: if such a signal
/// is blocked, the system ends the process without a message.
#[cfg(unix)]
pub(crate) fn block_all() {
    // The only possible error is an invalid argument.
    let _ = all().thread_block();
}

#[cfg(unix)]
fn all() -> SigSet {
    let mut set = SigSet::all();
    for error in
        [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL, Signal::SIGTRAP, Signal::SIGSYS]
    {
        set.remove(error);
    }
    set
}

/// Blocks all signals in the calling thread until it is dropped.
#[cfg(unix)]
struct Blocked(Option<SigSet>);

#[cfg(unix)]
impl Blocked {
    fn new() -> Self {
        Self(all().thread_swap_mask(SigmaskHow::SIG_BLOCK).ok())
    }
}

#[cfg(unix)]
impl Drop for Blocked {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = before.thread_set_mask();
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn block_all() {}

#[cfg(not(unix))]
struct Blocked;

#[cfg(not(unix))]
impl Blocked {
    fn new() -> Self {
        Self
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_the_library_blocks_all_signals_and_its_starter_does_not() {
        let before = SigSet::thread_get_mask().unwrap();
        let in_thread = spawn("test", || SigSet::thread_get_mask().unwrap()).unwrap().join().unwrap();
        for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGCHLD, Signal::SIGUSR1, Signal::SIGPIPE] {
            assert!(in_thread.contains(signal), "{signal}");
        }
        assert!(!in_thread.contains(Signal::SIGSEGV));
        assert_eq!(SigSet::thread_get_mask().unwrap(), before);
    }
}
