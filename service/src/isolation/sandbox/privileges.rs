//! Drops the privileges of a worker, so that it can never get them back. Also makes the worker the first process that
//! the kernel ends when memory runs out, and hides its memory from other processes.

use super::SandboxReport;
use caps::errors::CapsError;
use caps::{CapSet, Capability};
use std::fs;

/// Makes this process the first one that the kernel ends when memory runs out. Programs of the worker inherit this.
/// Must be called before Landlock applies.
pub(super) fn end_first_without_memory(sandboxed: &mut SandboxReport) {
    match fs::write("/proc/self/oom_score_adj", "1000") {
        Ok(()) => sandboxed.applied("ended first when memory runs out"),
        Err(error) => sandboxed.missing("ended first when memory runs out", error),
    }
}

/// From now on, no program that this process executes gains privileges.
pub(super) fn allow_no_new(sandboxed: &mut SandboxReport) {
    match nix::sys::prctl::set_no_new_privs() {
        Ok(()) => sandboxed.applied("no new privileges"),
        Err(error) => sandboxed.missing("no new privileges", error.desc()),
    }
}

/// Drops all capabilities, also those that programs would inherit, and those that a program could get from its file.
pub(super) fn drop_capabilities(sandboxed: &mut SandboxReport) {
    match try_drop_capabilities() {
        Ok(()) => sandboxed.applied("no capabilities"),
        Err(error) => sandboxed.missing("no capabilities", error),
    }
}

fn try_drop_capabilities() -> Result<(), CapsError> {
    // Only a process that has `CAP_SETPCAP` may reduce the bounding set. A process that has no capabilities and can get
    // no new privileges does not need this.
    if caps::has_cap(None, CapSet::Effective, Capability::CAP_SETPCAP)? {
        for capability in caps::all() {
            // An error means that the kernel does not have this capability.
            if caps::has_cap(None, CapSet::Bounding, capability).unwrap_or(false) {
                caps::drop(None, CapSet::Bounding, capability)?;
            }
        }
    }
    [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable]
        .into_iter()
        .try_for_each(|set| caps::clear(None, set))
}

/// Other processes of this user can no longer read the memory of this process, nor see its open files.
pub(super) fn hide_memory(sandboxed: &mut SandboxReport) {
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        sandboxed.missing("private memory", error.desc());
    }
}
