//! Namespaces of the worker's own: in its network there is nobody, and what it starts ends with it.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;

/// Why the worker is in no namespace of its own.
pub(super) enum Failure {
    /// The system does not allow it; nothing has changed.
    Refused(String),
    /// This process is in a user namespace in which it is nobody, and must end.
    Incomplete,
}

/// Enters a network of this process's own, and for programs mounts, too.
pub(super) fn enter(programs: bool) -> Result<(), Failure> {
    let mounts = if programs { CloneFlags::CLONE_NEWNS } else { CloneFlags::empty() };
    unshare_or_fail(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | mounts)
}

/// Has the next process that this one starts be the first of a namespace. The kernel ends the others with the first.
pub(super) fn prepare_pid() -> Result<(), Failure> {
    unshare_or_fail(CloneFlags::CLONE_NEWPID)
}

/// Enters namespaces, and where those need it one of users.
fn unshare_or_fail(namespaces: CloneFlags) -> Result<(), Failure> {
    let (user, group) = (geteuid(), getegid());
    match unshare(namespaces | CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            let mapped = fs::write("/proc/self/setgroups", "deny")
                .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
                .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
            mapped.map_err(|_| Failure::Incomplete)
        }
        // Root in a container may have them without being another user.
        Err(error) => {
            unshare(namespaces).map_err(|_| Failure::Refused(format!("namespaces: {}", error.desc())))
        }
    }
}
