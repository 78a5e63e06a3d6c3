//! Where there is neither `setrlimit` nor `seccomp`: a process of its own, and the service's clock.

use super::protocol::{MissingProtection, SandboxReport, SandboxSettings};
use std::time::Duration;

/// Tells what is not kept.
pub(super) fn enter(_: &SandboxSettings) -> SandboxReport {
    let lack = |what: &str| MissingProtection {
        what: what.to_owned(),
        why: "there is no means for it on this system".to_owned(),
    };
    let lacking = ["memory limit", "no network", "no other files", "no other programs"].map(lack);
    SandboxReport { lacking: lacking.into(), ..SandboxReport::default() }
}

pub(super) fn from_parent() -> Option<SandboxSettings> {
    None
}

pub(super) fn start_in_pid_namespace(_: &mut SandboxSettings) -> Option<u8> {
    None
}

pub(super) fn allow_cpu(_: Duration) {}

pub(super) fn end_programs(_: bool) {}
