//! Namespaces of the worker's own: in its network there is nobody.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;

/// Why the worker is in no namespace of its own.
pub(super) enum Failure {
    /// The system does not allow it; nothing has changed.
    Refused(String),
    /// This process is in a user namespace in which it is nobody, and must end.
    HalfWay,
}

/// Enters a network, and where that needs one a user namespace, of this process's own.
pub(super) fn enter() -> Result<(), Failure> {
    let alone = CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC;
    let (user, group) = (geteuid(), getegid());
    match unshare(alone | CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            let mapped = fs::write("/proc/self/setgroups", "deny")
                .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
                .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
            mapped.map_err(|_| Failure::HalfWay)
        }
        // Root in a container may have a network of its own without being another user.
        Err(error) => unshare(alone).map_err(|_| Failure::Refused(format!("namespaces: {}", error.desc()))),
    }
}
