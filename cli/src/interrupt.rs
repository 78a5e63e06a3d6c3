//! Ctrl-C and SIGTERM: the first asks the running call to stop, the second ends the program.

use recto::Cancel;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static CANCEL: OnceLock<Cancel> = OnceLock::new();
static ASKED: AtomicBool = AtomicBool::new(false);

/// A cancel that the first signal triggers. The handler is the process's: it is set once.
pub fn cancel() -> Cancel {
    CANCEL
        .get_or_init(|| {
            let cancel = Cancel::new();
            let triggered = cancel.clone();
            let handler = move || {
                if ASKED.swap(true, Ordering::SeqCst) {
                    std::process::exit(i32::from(crate::exit::INTERRUPTED));
                }
                triggered.trigger();
            };
            // Without a handler a signal ends the process at once, as ever.
            if let Err(error) = ctrlc::set_handler(handler) {
                crate::report::warning(&format!("Ctrl-C cannot be handled: {error}"));
            }
            cancel
        })
        .clone()
}
