//! Removes the folders of embedded services when the program exits without freeing its clients.

use std::sync::Once;

/// Makes the exit of this process remove the folders of the services that still run. It has no effect if the process is
/// ended by a signal or by `_exit`.
pub(super) fn remove_folders() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the library is never unloaded, so the function exists until the process exits. An error means that the
        // function is not called, and the next service removes the folders.
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    // The exit of the process must not be prevented.
    let _ = std::panic::catch_unwind(recto_service::remove_folders_at_exit);
}
