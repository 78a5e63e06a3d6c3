//! What the test `hostile` needs: a worker that makes system calls of the test's choice from inside its sandbox, and a
//! filter that reports refused system calls by a signal.
//!
//! This module is compiled only with the feature `test-controls`, which no release build has.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes system calls, and returns a report about them.
pub type Attack = fn() -> String;

static ATTACK: OnceLock<Attack> = OnceLock::new();

/// Whether a system call that is not on the list of a worker causes the signal SIGSYS instead of an error.
pub(super) static SIGNAL_REFUSED_CALLS: AtomicBool = AtomicBool::new(false);

/// Sets what this process does as a worker if a test requests the fault `attack`.
pub fn attack_with(attack: Attack) {
    // Only the first call has an effect: a test program has one attack.
    let _ = ATTACK.set(attack);
}

/// As a worker, this process gets the signal SIGSYS at each system call that is not on the list.
pub fn signal_refused_calls() {
    SIGNAL_REFUSED_CALLS.store(true, Ordering::Relaxed);
}

/// The report of the attack.
pub(super) fn attack() -> String {
    ATTACK.get().map_or_else(|| "this program has no attack".to_owned(), |attack| attack())
}
