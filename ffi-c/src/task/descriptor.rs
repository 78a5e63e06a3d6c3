//! A descriptor that becomes readable when a task has ended: an eventfd on Linux, a pipe on other Unix systems, an
//! event on Windows.

use std::io;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::io;
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::{AsRawFd as _, FromRawFd as _};

    pub(super) struct Descriptor(File);

    impl Descriptor {
        pub(super) fn new() -> io::Result<Self> {
            // SAFETY: the call takes no pointers.
            let number = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the descriptor is new, and belongs to nobody else.
            Ok(Self(unsafe { File::from_raw_fd(number) }))
        }

        pub(super) fn signal(&self) {
            // Writing to an eventfd fails only if its counter is at its maximum; it is readable then.
            let _ = (&self.0).write(&1_u64.to_ne_bytes());
        }

        pub(super) fn number(&self) -> isize {
            self.0.as_raw_fd() as isize
        }
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod system {
    use super::io;
    use std::io::{PipeReader, PipeWriter, Write as _};
    use std::os::fd::AsRawFd as _;

    pub(super) struct Descriptor(PipeReader, PipeWriter);

    impl Descriptor {
        pub(super) fn new() -> io::Result<Self> {
            io::pipe().map(|(reader, writer)| Self(reader, writer))
        }

        pub(super) fn signal(&self) {
            // One byte always fits into the pipe, and its reader is open.
            let _ = (&self.1).write(&[1]);
        }

        pub(super) fn number(&self) -> isize {
            self.0.as_raw_fd() as isize
        }
    }
}

#[cfg(windows)]
mod system {
    use super::io;
    use std::ffi::c_void;
    use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
    use std::ptr::null;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateEventW(
            attributes: *const c_void,
            manual_reset: i32,
            initial: i32,
            name: *const u16,
        ) -> *mut c_void;
        fn SetEvent(event: *mut c_void) -> i32;
    }

    pub(super) struct Descriptor(OwnedHandle);

    impl Descriptor {
        pub(super) fn new() -> io::Result<Self> {
            // SAFETY: attributes and name may be NULL.
            let event = unsafe { CreateEventW(null(), 1, 0, null()) };
            if event.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is new, and belongs to nobody else.
            Ok(Self(unsafe { OwnedHandle::from_raw_handle(event) }))
        }

        pub(super) fn signal(&self) {
            // SAFETY: the handle is an open event.
            unsafe { SetEvent(self.0.as_raw_handle()) };
        }

        pub(super) fn number(&self) -> isize {
            self.0.as_raw_handle() as isize
        }
    }
}

/// The descriptor of a task.
pub(super) struct Descriptor(system::Descriptor);

impl Descriptor {
    pub(super) fn new() -> io::Result<Self> {
        system::Descriptor::new().map(Self)
    }

    /// Makes the descriptor readable, for ever.
    pub(super) fn signal(&self) {
        self.0.signal();
    }

    pub(super) fn number(&self) -> isize {
        self.0.number()
    }
}
