//! Ctrl-C and SIGTERM: the first signal cancels the running call, and the second signal ends the program.

use recto::Cancel;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static CANCEL: OnceLock<Cancel> = OnceLock::new();
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns the `Cancel` that the first signal triggers. All calls return the same `Cancel`, because a process has only
/// one signal handler.
pub fn cancel() -> Cancel {
    CANCEL
        .get_or_init(|| {
            let cancel = Cancel::new();
            let triggered = cancel.clone();
            let handler = move || {
                if INTERRUPTED.swap(true, Ordering::SeqCst) {
                    #[cfg(feature = "local")]
                    recto_service::remove_folders_at_exit();
                    std::process::exit(i32::from(crate::exit::INTERRUPTED));
                }
                triggered.trigger();
            };
            // Without a signal handler, a signal ends the process at once, which is the default of the system.
            if let Err(error) = ctrlc::set_handler(handler) {
                crate::report::warning(&format!(
                    "cannot install a handler for Ctrl-C, so Ctrl-C ends the program at once: {error}"
                ));
            }
            cancel
        })
        .clone()
}
