//! The Linux namespaces of a worker: a network without connections, the worker's own mounts, and a PID namespace whose
//! processes end with the worker.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;

/// Why the worker could not enter namespaces.
pub(super) enum Failure {
    /// The system does not allow the namespaces. The process is unchanged.
    Refused(String),
    /// The process is in a user namespace, but has no user id there. The process must end.
    Incomplete,
}

/// Enters a new network namespace and a new IPC namespace. A worker that starts programs also enters a new mount
/// namespace.
pub(super) fn enter(programs: bool) -> Result<(), Failure> {
    let mounts = if programs { CloneFlags::CLONE_NEWNS } else { CloneFlags::empty() };
    unshare_or_fail(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | mounts)
}

/// The next process that this process starts becomes the first process of a new PID namespace. When that first process
/// ends, the kernel kills all other processes in the namespace.
pub(super) fn prepare_pid() -> Result<(), Failure> {
    unshare_or_fail(CloneFlags::CLONE_NEWPID)
}

/// Enters `namespaces`, together with a new user namespace. If the system does not allow this, enters `namespaces`
/// without a new user namespace, which a privileged process may do.
fn unshare_or_fail(namespaces: CloneFlags) -> Result<(), Failure> {
    let (user, group) = (geteuid(), getegid());
    match unshare(namespaces | CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            let mapped = fs::write("/proc/self/setgroups", "deny")
                .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
                .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
            mapped.map_err(|_| Failure::Incomplete)
        }
        // Root in a container may not be allowed to create a user namespace, but may be allowed to create the other
        // namespaces.
        Err(error) => {
            unshare(namespaces).map_err(|_| Failure::Refused(format!("namespaces: {}", error.desc())))
        }
    }
}
