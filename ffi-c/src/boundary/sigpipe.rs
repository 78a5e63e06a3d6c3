//! Blocks SIGPIPE, which would end a C program when a peer closes the connection. Rust programs ignore the signal, C
//! programs do not.
//!
//! It is blocked in the calling thread during a call, as libpq and libcurl do. Threads that the library starts inherit
//! the mask, so it is blocked there too. After the call, the caller's signal handler and mask are as before.

/// Blocks SIGPIPE until it is dropped.
pub(crate) struct SigpipeBlock {
    #[cfg(unix)]
    before: Option<unix::Before>,
}

impl SigpipeBlock {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            before: unix::block(),
        }
    }
}

#[cfg(unix)]
impl Drop for SigpipeBlock {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            unix::restore(&before);
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::ptr;

    /// The state before the call.
    pub(super) struct Before {
        mask: libc::sigset_t,
        was_pending: bool,
    }

    pub(super) fn block() -> Option<Before> {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: both sets are our own; the call fills `mask` when it succeeds.
        let blocked = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &sigpipe(), mask.as_mut_ptr()) };
        if blocked != 0 {
            return None;
        }
        // SAFETY: the call succeeded.
        let mask = unsafe { mask.assume_init() };
        // A signal can be pending only if the caller had blocked it already.
        let was_pending = contains(&mask) && is_pending();
        Some(Before { mask, was_pending })
    }

    pub(super) fn restore(before: &Before) {
        if !before.was_pending && is_pending() {
            let mut taken = 0;
            // SAFETY: the set and the number are our own; the signal is pending, so that this does not wait.
            unsafe { libc::sigwait(&sigpipe(), &mut taken) };
        }
        // SAFETY: the mask is the one that the system returned.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before.mask, ptr::null_mut()) };
    }

    fn sigpipe() -> libc::sigset_t {
        let mut set = MaybeUninit::uninit();
        // SAFETY: the set is our own, and `sigemptyset` initialises it.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
            set.assume_init()
        }
    }

    fn contains(set: &libc::sigset_t) -> bool {
        // SAFETY: `set` is initialised.
        unsafe { libc::sigismember(set, libc::SIGPIPE) == 1 }
    }

    fn is_pending() -> bool {
        let mut set = MaybeUninit::uninit();
        // SAFETY: the call fills the set when it succeeds.
        unsafe { libc::sigpending(set.as_mut_ptr()) == 0 && contains(&set.assume_init()) }
    }

    #[cfg(test)]
    mod tests {
        use super::super::SigpipeBlock;
        use super::*;

        fn mask() -> libc::sigset_t {
            let mut mask = MaybeUninit::uninit();
            // SAFETY: no set is given, and the call fills `mask`.
            unsafe {
                libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr());
                mask.assume_init()
            }
        }

        /// Writes to a pipe whose other end is closed.
        fn write_to_closed_pipe() {
            let mut ends = [0; 2];
            // SAFETY: the array and the byte are our own.
            unsafe {
                assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
                libc::close(ends[0]);
                assert_eq!(libc::write(ends[1], b"x".as_ptr().cast(), 1), -1);
                libc::close(ends[1]);
            }
            assert_eq!(std::io::Error::last_os_error().kind(), std::io::ErrorKind::BrokenPipe);
        }

        #[test]
        fn a_closed_pipe_does_not_end_the_process_nor_leave_the_signal_pending() {
            // SAFETY: this sets the default action, which C programs have.
            let rust_action = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            {
                let _blocked = SigpipeBlock::new();
                write_to_closed_pipe();
                assert!(is_pending());
                let inherited = std::thread::spawn(|| {
                    write_to_closed_pipe();
                    contains(&mask())
                });
                assert!(inherited.join().unwrap(), "the threads of the library block it");
            }
            assert!(!is_pending() && !contains(&mask()));
            // SAFETY: this restores the action from before.
            unsafe { libc::signal(libc::SIGPIPE, rust_action) };
        }
    }
}
