//! The Linux namespaces of a worker: a network without connections, the worker's own mounts, and a PID namespace whose
//! processes end with the worker.

use caps::{CapSet, Capability};
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

/// Whether the worker also has a user namespace of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Users {
    Own,
    Shared,
}

/// Enters a new network namespace and a new IPC namespace. A worker that starts programs also enters a new mount
/// namespace.
pub(super) fn enter(programs: bool) -> Result<Users, Failure> {
    let mounts = if programs { CloneFlags::CLONE_NEWNS } else { CloneFlags::empty() };
    let namespaces = CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | mounts;
    // The process that started this worker in a PID namespace may have created the user namespace already.
    if programs && maps_one_user() && unshare(namespaces).is_ok() {
        return Ok(Users::Own);
    }
    unshare_or_fail(namespaces)
}

/// The next process that this process starts becomes the first process of a new PID namespace. When that first process
/// ends, the kernel kills all other processes in the namespace.
pub(super) fn prepare_pid() -> Result<(), Failure> {
    if unshare_or_fail(CloneFlags::CLONE_NEWPID)? == Users::Own {
        // The worker needs this capability to mount `/proc` for its PID namespace, and then drops it. An error is
        // ignored: the worker then creates another user namespace, and shows the `/proc` of the system.
        let _ = [CapSet::Inheritable, CapSet::Ambient]
            .into_iter()
            .try_for_each(|set| caps::raise(None, set, Capability::CAP_SYS_ADMIN));
    }
    Ok(())
}

/// Whether this process is in a user namespace with a single user, as [`unshare_or_fail`] creates it.
fn maps_one_user() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.lines().count() == 1 && map.split_whitespace().nth(2) == Some("1")
}

/// Enters `namespaces`, together with a new user namespace. If the system does not allow this, enters `namespaces`
/// without a new user namespace, which a privileged process may do.
fn unshare_or_fail(namespaces: CloneFlags) -> Result<Users, Failure> {
    let (user, group) = (geteuid(), getegid());
    match unshare(namespaces | CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            let mapped = fs::write("/proc/self/setgroups", "deny")
                .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
                .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
            mapped.map(|()| Users::Own).map_err(|_| Failure::Incomplete)
        }
        // Root in a container may not be allowed to create a user namespace, but may be allowed to create the other
        // namespaces.
        Err(error) => {
            let entered = unshare(namespaces).map(|()| Users::Shared);
            entered.map_err(|_| Failure::Refused(format!("namespaces: {}", error.desc())))
        }
    }
}

/// Whether the kernel counts processes separately for each user namespace, which Linux does since version 5.14.
pub(super) fn count_processes() -> bool {
    let Ok(system) = nix::sys::utsname::uname() else { return false };
    let mut numbers = system.release().to_str().unwrap_or_default().split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    (major, minor) >= (5, 14)
}
