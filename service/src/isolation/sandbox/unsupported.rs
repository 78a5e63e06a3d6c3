//! The sandbox on systems other than Unix, where no sandbox is available. The service only limits the time of the
//! worker process.

use super::protocol::{MissingProtection, SandboxReport, SandboxSettings};
use std::time::Duration;

/// Enters no sandbox, and reports which protections are missing.
pub(super) fn enter(_: &SandboxSettings) -> SandboxReport {
    let missing = |what: &str| MissingProtection {
        what: what.to_owned(),
        why: "this system does not support it".to_owned(),
    };
    let lacking = ["memory limit", "no network", "no other files", "no other programs"].map(missing);
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
