//! Where there is neither `setrlimit` nor `seccomp`: a process of its own, and the service's clock.

use super::protocol::{Confined, Confinement, Lack};
use std::time::Duration;

/// Tells what is not kept.
pub(super) fn enter(_: &Confinement) -> Confined {
    let lack = |what: &str| Lack {
        what: what.to_owned(),
        why: "there is no means for it on this system".to_owned(),
    };
    let lacking = ["memory limit", "no network", "no other files", "no other programs"].map(lack);
    Confined { lacking: lacking.into(), ..Confined::default() }
}

pub(super) fn handed_on() -> Option<Confinement> {
    None
}

pub(super) fn have_own(_: &mut Confinement) -> Option<u8> {
    None
}

pub(super) fn allow_cpu(_: Duration) {}

pub(super) fn end_programs(_: bool) {}
