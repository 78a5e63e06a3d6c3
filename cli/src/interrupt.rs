//! Ctrl-C and SIGTERM: each signal triggers the next `Cancel` of the command, and one more signal ends the program.

use recto::Cancel;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

static STEPS: OnceLock<Vec<Cancel>> = OnceLock::new();
static SIGNALS: AtomicUsize = AtomicUsize::new(0);

/// Returns the `Cancel` that the first signal triggers. All calls return the same `Cancel`, because a process has only
/// one signal handler.
pub fn cancel() -> Cancel {
    steps(1).last().cloned().unwrap_or_default()
}

/// Returns the `Cancel` that the first signal triggers, and the one that the second signal triggers, for a command that
/// ends in two steps.
pub fn stop_and_cancel() -> (Cancel, Cancel) {
    let steps = steps(2);
    (steps.first().cloned().unwrap_or_default(), steps.last().cloned().unwrap_or_default())
}

/// Installs the signal handler, if there is none yet.
fn steps(count: usize) -> &'static [Cancel] {
    STEPS.get_or_init(|| {
        let steps: Vec<_> = (0..count).map(|_| Cancel::new()).collect();
        let triggered = steps.clone();
        let handler = move || match triggered.get(SIGNALS.fetch_add(1, Ordering::SeqCst)) {
            Some(step) => step.trigger(),
            None => {
                #[cfg(feature = "local")]
                recto_service::remove_folders_at_exit();
                std::process::exit(i32::from(crate::exit::INTERRUPTED));
            }
        };
        // Without a signal handler, a signal ends the process at once, which is the default of the system.
        if let Err(error) = ctrlc::set_handler(handler) {
            crate::report::warning(&format!(
                "cannot install a handler for Ctrl-C, so Ctrl-C ends the program at once: {error}"
            ));
        }
        steps
    })
}
