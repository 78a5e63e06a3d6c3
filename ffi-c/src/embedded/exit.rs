//! Removes the folders of embedded services when the program exits without freeing its clients.

use std::sync::Once;

/// Registers a handler that removes the folders of the services that still run when this process exits. The handler
/// does not run if a signal or `_exit` ends the process.
pub(super) fn remove_folders() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the library is never unloaded, so the function exists until the process exits. An error means that
        // the function is not called, and the next service removes the folders.
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    // A panic must not prevent the exit of the process.
    let _ = std::panic::catch_unwind(recto_service::remove_folders_at_exit);
}
