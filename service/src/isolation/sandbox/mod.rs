//! The sandbox that a worker enters before it reads a document: resource limits on every Unix; on Linux also no network, no
//! files but its own, no other programs.
//!
//! The mechanisms are independent of each other: if the system lacks one, the others still apply, and the missing protection
//! is reported.

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod pid_namespace;
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
pub(super) use pid_namespace::{from_parent, start_in_pid_namespace};

use super::protocol::{MissingProtection, PidNamespace, SandboxReport, SandboxSettings};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgrp, getpid};
use std::fmt::Display;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most open files of a worker.
const OPEN_FILES: u64 = 1024;

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
}

/// Sandboxes this process as far as the system supports it.
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
    let mut keep = |what, resource, most: u64| {
        // A hard limit cannot be raised, so a lower one is kept.
        let most = getrlimit(resource).map_or(most, |(_, hard)| hard.min(most));
        if let Err(error) = setrlimit(resource, most, most) {
            sandboxed.missing(what, error.desc());
        }
    };
    // A core file would contain the document and its password.
    keep("no core file", Resource::RLIMIT_CORE, 0);
    keep("limit of open files", Resource::RLIMIT_NOFILE, OPEN_FILES);
    keep("limit of file sizes", Resource::RLIMIT_FSIZE, settings.file_bytes);
    // RLIMIT_DATA and not RLIMIT_AS: threads and LibreOffice reserve far more address space than they use.
    keep("memory limit", Resource::RLIMIT_DATA, settings.memory);
    if cfg!(not(target_os = "linux")) {
        sandboxed.missing("memory limit", "this system does not count mapped memory");
    }
    sandboxed.applied("limits");
}

/// The mechanism that hides LibreOffice's socket from others.
#[cfg(target_os = "linux")]
const OWN_TMP: &str = "its own /tmp";

#[cfg(target_os = "linux")]
fn linux(settings: &SandboxSettings, sandboxed: &mut SandboxReport) {
    match nix::sys::prctl::set_no_new_privs() {
        Ok(()) => sandboxed.applied("no new privileges"),
        Err(error) => sandboxed.missing("no new privileges", error.desc()),
    }
    let mut network = Vec::new();
    if settings.namespaces {
        match namespaces::enter(settings.programs) {
            Ok(()) => sandboxed.applied("namespaces"),
            Err(namespaces::Failure::Refused(why)) => network.push(why),
            Err(namespaces::Failure::Incomplete) => {
                sandboxed.namespaces_unusable = true;
                return;
            }
        }
    }
    let installed = if settings.programs { installed() } else { Vec::new() };
    if settings.programs {
        for_programs(settings, &installed, &network.join("; "), sandboxed);
    }
    let programs = files::Programs { installed: &installed, own_tmp: sandboxed.has(OWN_TMP) };
    match files::restrict_to(&settings.directory, settings.programs.then_some(&programs)) {
        Ok(()) => sandboxed.applied("landlock"),
        Err(why) => sandboxed.missing("no other files", why),
    }
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
    // Other processes of this user cannot read the memory of this one.
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        sandboxed.missing("private memory", error.desc());
    }
}

/// The additional sandbox of a worker that starts programs; `no_namespaces` says why it has no namespaces.
#[cfg(target_os = "linux")]
fn for_programs(
    settings: &SandboxSettings,
    installed: &[PathBuf],
    no_namespaces: &str,
    sandboxed: &mut SandboxReport,
) {
    const NOT_TRIED: &str = "namespaces are not used here";
    let covered = if !settings.namespaces {
        Err(NOT_TRIED.to_owned())
    } else if sandboxed.has("namespaces") {
        mounts::cover(&settings.directory, installed)
    } else {
        Err(no_namespaces.to_owned())
    };
    match covered {
        Ok(()) => sandboxed.applied(OWN_TMP),
        Err(why) => sandboxed.missing("LibreOffice's own /tmp and /run", why),
    }
    let ended = "programs end with their worker";
    match &settings.pid_namespace {
        PidNamespace::Own => sandboxed.applied("its own processes"),
        PidNamespace::Refused(why) => sandboxed.missing(ended, why),
        PidNamespace::Untried | PidNamespace::Unusable => sandboxed.missing(ended, NOT_TRIED),
    }
}

/// The folders of LibreOffice: that of its program, and the one above if the program is in a folder `program`.
#[cfg(target_os = "linux")]
fn installed() -> Vec<PathBuf> {
    let Ok(program) = recto_engine::office_program() else { return Vec::new() };
    let mut found: Vec<PathBuf> = program.parent().map(Path::to_owned).into_iter().collect();
    if let Some(folder) = program.canonicalize().ok().as_deref().and_then(Path::parent) {
        let above = folder.parent().filter(|_| folder.ends_with("program"));
        found.push(above.unwrap_or(folder).to_owned());
    }
    found
}

/// Limits the processor time of this process from now on; the system kills it after that.
pub(super) fn allow_cpu(most: Duration) {
    let used = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| {
        use nix::sys::time::TimeValLike;
        usage.user_time().num_seconds() + usage.system_time().num_seconds()
    });
    let until = u64::try_from(used).unwrap_or_default().saturating_add(most.as_secs()).saturating_add(1);
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_CPU) {
        // An error is ignored, because the service also limits the time.
        let _ = setrlimit(Resource::RLIMIT_CPU, until.min(hard), hard);
    }
}

/// This system has no PID namespaces.
#[cfg(not(target_os = "linux"))]
pub(super) fn from_parent() -> Option<SandboxSettings> {
    None
}

/// This system has no PID namespaces.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_in_pid_namespace(_: &mut SandboxSettings) -> Option<u8> {
    None
}

/// Kills the programs that this worker started, and the worker with them.
pub(super) fn end_programs(has_programs: bool) {
    // Only if the process group belongs to this worker.
    if has_programs && getpgrp() == getpid() {
        let _ = killpg(getpgrp(), Signal::SIGKILL);
    }
}
