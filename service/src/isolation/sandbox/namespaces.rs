//! Linux namespaces of a worker: an empty network, its own mounts, and PIDs that end with it.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;

/// Why the worker could not enter namespaces.
pub(super) enum Failure {
    /// The system does not allow it; the process is unchanged.
    Refused(String),
    /// The process is in a user namespace without an identity, and must end.
    Incomplete,
}

/// Enters new network and IPC namespaces, and a mount namespace if the worker starts programs.
pub(super) fn enter(programs: bool) -> Result<(), Failure> {
    let mounts = if programs { CloneFlags::CLONE_NEWNS } else { CloneFlags::empty() };
    unshare_or_fail(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | mounts)
}

/// The next process that this one starts becomes the first of a PID namespace. When it ends, the kernel kills all others
/// in the namespace.
pub(super) fn prepare_pid() -> Result<(), Failure> {
    unshare_or_fail(CloneFlags::CLONE_NEWPID)
}

/// Enters namespaces, with a user namespace unless the process is privileged.
fn unshare_or_fail(namespaces: CloneFlags) -> Result<(), Failure> {
    let (user, group) = (geteuid(), getegid());
    match unshare(namespaces | CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            let mapped = fs::write("/proc/self/setgroups", "deny")
                .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
                .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
            mapped.map_err(|_| Failure::Incomplete)
        }
        // Root in a container may not be allowed to create a user namespace, but may create the others.
        Err(error) => {
            unshare(namespaces).map_err(|_| Failure::Refused(format!("namespaces: {}", error.desc())))
        }
    }
}
