//! The sandbox that a worker enters before it reads a document. Every Unix limits the resources of the worker. On
//! Linux, the worker also has no network, can use only its own files, and can start no other programs, except programs
//! for Office documents.
//!
//! The mechanisms are independent of each other: if the system lacks a mechanism, the other mechanisms still apply, and
//! the missing protection is reported.

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod pid_namespace;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod scratch;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod syscalls;
#[cfg(all(
    target_os = "linux",
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
))]
mod syscalls {
    pub(super) fn filter(_: bool) -> Result<(), String> {
        Err("seccomp: no rules exist for this processor".to_owned())
    }
}
#[cfg(target_os = "linux")]
mod system_paths;

#[cfg(target_os = "linux")]
pub(super) use pid_namespace::{from_parent, start_in_pid_namespace};
#[cfg(target_os = "linux")]
pub(super) use scratch::ScratchWatch;

use super::protocol::{MissingProtection, PidNamespace, SandboxReport, SandboxSettings};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgrp, getpid};
use std::fmt::Display;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::time::Duration;

/// The maximum number of files that a worker may have open.
const OPEN_FILES: u64 = 1024;

/// The maximum size of the stack of the first thread. The memory limit does not count it.
const FIRST_STACK: u64 = 64 << 20;

/// The maximum number of processes and threads of a worker that starts programs.
#[cfg(target_os = "linux")]
const PROCESSES: u64 = 1024;

impl SandboxReport {
    fn applied(&mut self, mechanism: &str) {
        self.by.push(mechanism.to_owned());
    }

    fn missing(&mut self, what: &str, why: impl Display) {
        self.lacking.push(MissingProtection { what: what.to_owned(), why: why.to_string() });
    }

    #[cfg(target_os = "linux")]
    fn has(&self, mechanism: &str) -> bool {
        self.by.iter().any(|known| known == mechanism)
    }

    /// Whether the disk space of the worker is a file system of fixed size, so that the service need not measure it.
    #[cfg(target_os = "linux")]
    pub(super) fn has_own_root(&self) -> bool {
        self.by.iter().any(|known| known == OWN_ROOT)
    }
}

/// Sandboxes this process as far as the system supports it, and reports the missing protections.
pub(super) fn enter(settings: &SandboxSettings) -> SandboxReport {
    let mut sandboxed = SandboxReport::default();
    if settings.pid_namespace == PidNamespace::Unusable {
        sandboxed.namespaces_unusable = true;
        return sandboxed;
    }
    limits(settings, &mut sandboxed);
    #[cfg(target_os = "linux")]
    linux(settings, &mut sandboxed);
    #[cfg(not(target_os = "linux"))]
    for what in ["no network", "no other files", "no other programs"] {
        sandboxed.missing(what, "this system does not support it");
    }
    sandboxed
}

fn limits(settings: &SandboxSettings, sandboxed: &mut SandboxReport) {
    let mut keep = |what, resource, most| {
        if let Err(error) = limit(resource, most) {
            sandboxed.missing(what, error.desc());
        }
    };
    // No core file is written, because a core file would contain the document and its password.
    keep("no core file", Resource::RLIMIT_CORE, 0);
    keep("limit of open files", Resource::RLIMIT_NOFILE, OPEN_FILES);
    keep("limit of file sizes", Resource::RLIMIT_FSIZE, settings.file_bytes);
    // The limit is RLIMIT_DATA, not RLIMIT_AS: threads and LibreOffice reserve far more address space than they use.
    keep("memory limit", Resource::RLIMIT_DATA, settings.memory);
    let (stack, _) = getrlimit(Resource::RLIMIT_STACK).unwrap_or((FIRST_STACK, FIRST_STACK));
    keep("memory limit", Resource::RLIMIT_STACK, stack.min(FIRST_STACK));
    #[cfg(target_os = "linux")]
    keep("memory limit", Resource::RLIMIT_MSGQUEUE, 0);
    if cfg!(not(target_os = "linux")) {
        sandboxed.missing("memory limit", "this system does not count mapped memory");
    }
    sandboxed.applied("limits");
}

/// Limits `resource` to `most`, for ever.
fn limit(resource: Resource, most: u64) -> nix::Result<()> {
    // A process cannot raise a hard limit, so a hard limit that is lower than `most` is kept.
    let most = getrlimit(resource).map_or(most, |(_, hard)| hard.min(most));
    setrlimit(resource, most, most)
}

/// The name of the mechanism that hides all other files and sockets from LibreOffice.
#[cfg(target_os = "linux")]
const OWN_ROOT: &str = "its own root folder";

#[cfg(target_os = "linux")]
fn linux(settings: &SandboxSettings, sandboxed: &mut SandboxReport) {
    privileges::end_first_without_memory(sandboxed);
    privileges::allow_no_new(sandboxed);
    let mut network = Vec::new();
    if settings.namespaces {
        match namespaces::enter(settings.programs) {
            Ok(users) => {
                sandboxed.applied("namespaces");
                limit_processes(users, sandboxed);
            }
            Err(namespaces::Failure::Refused(why)) => network.push(why),
            Err(namespaces::Failure::Incomplete) => {
                sandboxed.namespaces_unusable = true;
                return;
            }
        }
    }
    let installed = if settings.programs { system_paths::installed() } else { Vec::new() };
    if settings.programs {
        for_programs(settings, &installed, &network.join("; "), sandboxed);
    }
    let programs = files::Programs { installed: &installed, own_root: sandboxed.has(OWN_ROOT) };
    match files::restrict_to(settings.directory.as_deref(), settings.programs.then_some(&programs)) {
        Ok(()) => sandboxed.applied("landlock"),
        Err(why) => sandboxed.missing("no other files", why),
    }
    privileges::drop_capabilities(sandboxed);
    // The open files of a process with hidden memory are hidden too, and without a file system of its own, the service must
    // measure those without a name.
    if !settings.programs || sandboxed.has(OWN_ROOT) {
        privileges::hide_memory(sandboxed);
    }
    // The filter comes last, because it denies the system calls of the other mechanisms.
    match syscalls::filter(settings.programs) {
        Ok(()) => sandboxed.applied("seccomp"),
        Err(why) => {
            sandboxed.missing("no other programs", &why);
            network.push(why);
        }
    }
    if !sandboxed.has("namespaces") && !sandboxed.has("seccomp") {
        sandboxed.missing("no network", network.join("; "));
    }
}

/// Limits the number of processes and threads. In the user namespace of the service, the limit would also count all
/// other processes of the user.
#[cfg(target_os = "linux")]
fn limit_processes(users: namespaces::Users, sandboxed: &mut SandboxReport) {
    if users == namespaces::Users::Own && namespaces::count_processes() {
        match limit(Resource::RLIMIT_NPROC, PROCESSES) {
            Ok(()) => sandboxed.applied("limit of processes"),
            Err(error) => sandboxed.missing("limit of processes", error.desc()),
        }
    }
}

/// The additional sandbox of a worker that starts programs. `no_namespaces` is the reason why the worker has no
/// namespaces.
#[cfg(target_os = "linux")]
fn for_programs(
    settings: &SandboxSettings,
    installed: &[PathBuf],
    no_namespaces: &str,
    sandboxed: &mut SandboxReport,
) {
    const NOT_TRIED: &str = "this worker does not use namespaces";
    let replaced = if !settings.namespaces {
        Err(NOT_TRIED.to_owned())
    } else if sandboxed.has("namespaces") {
        match &settings.directory {
            Some(directory) => root::replace(directory, installed, scratch::bytes(settings)),
            None => Err("the worker has no folder".to_owned()),
        }
    } else {
        Err(no_namespaces.to_owned())
    };
    match replaced {
        Ok(()) => sandboxed.applied(OWN_ROOT),
        Err(why) => sandboxed.missing("no sockets of other programs for LibreOffice", why),
    }
    let ended = "programs end with their worker";
    match &settings.pid_namespace {
        PidNamespace::Own => sandboxed.applied("its own processes"),
        PidNamespace::Refused(why) => sandboxed.missing(ended, why),
        PidNamespace::Untried | PidNamespace::Unusable => sandboxed.missing(ended, NOT_TRIED),
    }
}

/// Limits the processor time of this process to `most` from now on. When this time is used up, the system kills the
/// process.
pub(super) fn allow_cpu(most: Duration) {
    let used = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| {
        use nix::sys::time::TimeValLike;
        usage.user_time().num_seconds() + usage.system_time().num_seconds()
    });
    let until = u64::try_from(used).unwrap_or_default().saturating_add(most.as_secs()).saturating_add(1);
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_CPU) {
        // An error is ignored, because the service also limits the time of an operation.
        let _ = setrlimit(Resource::RLIMIT_CPU, until.min(hard), hard);
    }
}

/// `None`: this system has no PID namespaces.
#[cfg(not(target_os = "linux"))]
pub(super) fn from_parent() -> Option<SandboxSettings> {
    None
}

/// `None`: this system has no PID namespaces.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_in_pid_namespace(_: &mut SandboxSettings) -> Option<u8> {
    None
}

/// Kills the programs that this worker has started, and the worker itself.
pub(super) fn end_programs(has_programs: bool) {
    // The process group is killed only if this worker is the first process of the group. Any other group contains
    // processes that do not belong to the worker.
    if has_programs && getpgrp() == getpid() {
        let _ = killpg(getpgrp(), Signal::SIGKILL);
    }
}
