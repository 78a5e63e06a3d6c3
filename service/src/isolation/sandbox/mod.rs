//! What a worker does about itself before it looks at a document: limits on every Unix, and on Linux no network, no
//! files but its own, no other programs.
//!
//! Each means stands alone, so that one which the system does not have leaves the others; what is not kept is told.

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod processes;
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
        Err("seccomp: there are no rules for this processor".to_owned())
    }
}

#[cfg(target_os = "linux")]
pub(super) use processes::{handed_on, have_own};

use super::protocol::{Confined, Confinement, Lack, Processes};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgrp, getpid};
use std::fmt::Display;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most files that a worker may have open.
const OPEN_FILES: u64 = 1024;

impl Confined {
    fn by(&mut self, means: &str) {
        self.by.push(means.to_owned());
    }

    fn lacks(&mut self, what: &str, why: impl Display) {
        self.lacking.push(Lack { what: what.to_owned(), why: why.to_string() });
    }

    #[cfg(target_os = "linux")]
    fn has(&self, means: &str) -> bool {
        self.by.iter().any(|known| known == means)
    }
}

/// Shuts this process in, as far as the system can.
pub(super) fn enter(confinement: &Confinement) -> Confined {
    let mut confined = Confined::default();
    if confinement.processes == Processes::Broken {
        confined.broken_namespaces = true;
        return confined;
    }
    limits(confinement, &mut confined);
    #[cfg(target_os = "linux")]
    linux(confinement, &mut confined);
    #[cfg(not(target_os = "linux"))]
    for what in ["no network", "no other files", "no other programs"] {
        confined.lacks(what, "there is no means for it on this system");
    }
    confined
}

fn limits(confinement: &Confinement, confined: &mut Confined) {
    let mut keep = |what, resource, most: u64| {
        // Nobody may raise a hard limit, and a lower one is kept.
        let most = getrlimit(resource).map_or(most, |(_, hard)| hard.min(most));
        if let Err(error) = setrlimit(resource, most, most) {
            confined.lacks(what, error.desc());
        }
    };
    // A core file would hold the document and its password.
    keep("no core file", Resource::RLIMIT_CORE, 0);
    keep("limit of open files", Resource::RLIMIT_NOFILE, OPEN_FILES);
    keep("limit of file sizes", Resource::RLIMIT_FSIZE, confinement.file_bytes);
    // Of what is written to, not of addresses: those are reserved generously by threads and by LibreOffice.
    keep("memory limit", Resource::RLIMIT_DATA, confinement.memory);
    if cfg!(not(target_os = "linux")) {
        confined.lacks("memory limit", "this system does not count the memory that is mapped");
    }
    confined.by("limits");
}

/// The means by which LibreOffice's socket is seen by nobody else.
#[cfg(target_os = "linux")]
const OWN_TMP: &str = "its own /tmp";

#[cfg(target_os = "linux")]
fn linux(confinement: &Confinement, confined: &mut Confined) {
    match nix::sys::prctl::set_no_new_privs() {
        Ok(()) => confined.by("no new privileges"),
        Err(error) => confined.lacks("no new privileges", error.desc()),
    }
    let mut network = Vec::new();
    if confinement.namespaces {
        match namespaces::enter(confinement.programs) {
            Ok(()) => confined.by("namespaces"),
            Err(namespaces::Failure::Refused(why)) => network.push(why),
            Err(namespaces::Failure::HalfWay) => {
                confined.broken_namespaces = true;
                return;
            }
        }
    }
    let installed = if confinement.programs { installed() } else { Vec::new() };
    if confinement.programs {
        for_programs(confinement, &installed, &network.join("; "), confined);
    }
    let programs = files::Programs { installed: &installed, own_tmp: confined.has(OWN_TMP) };
    match files::only(&confinement.directory, confinement.programs.then_some(&programs)) {
        Ok(()) => confined.by("landlock"),
        Err(why) => confined.lacks("no other files", why),
    }
    match syscalls::filter(confinement.programs) {
        Ok(()) => confined.by("seccomp"),
        Err(why) => {
            confined.lacks("no other programs", &why);
            network.push(why);
        }
    }
    if !confined.has("namespaces") && !confined.has("seccomp") {
        confined.lacks("no network", network.join("; "));
    }
    // Other processes of this user cannot look into this one's memory.
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        confined.lacks("private memory", error.desc());
    }
}

/// What a worker that starts programs is shut in by besides; `no_namespaces` says why it has none.
#[cfg(target_os = "linux")]
fn for_programs(
    confinement: &Confinement,
    installed: &[PathBuf],
    no_namespaces: &str,
    confined: &mut Confined,
) {
    const NOT_TRIED: &str = "namespaces are left alone here";
    let covered = if !confinement.namespaces {
        Err(NOT_TRIED.to_owned())
    } else if confined.has("namespaces") {
        mounts::cover(&confinement.directory, installed)
    } else {
        Err(no_namespaces.to_owned())
    };
    match covered {
        Ok(()) => confined.by(OWN_TMP),
        Err(why) => confined.lacks("LibreOffice's own /tmp and /run", why),
    }
    let ended = "the end of all programs with their worker";
    match &confinement.processes {
        Processes::Own => confined.by("its own processes"),
        Processes::Shared(why) => confined.lacks(ended, why),
        Processes::Untried | Processes::Broken => confined.lacks(ended, NOT_TRIED),
    }
}

/// Where LibreOffice is: the folder of its program, and the one above where it is made so.
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

/// Lets the process compute for so long from now on; then the system ends it.
pub(super) fn allow_cpu(most: Duration) {
    let used = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| {
        use nix::sys::time::TimeValLike;
        usage.user_time().num_seconds() + usage.system_time().num_seconds()
    });
    let until = u64::try_from(used).unwrap_or_default().saturating_add(most.as_secs()).saturating_add(1);
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_CPU) {
        // The service looks at the clock too.
        let _ = setrlimit(Resource::RLIMIT_CPU, until.min(hard), hard);
    }
}

/// Nobody hands anything on here.
#[cfg(not(target_os = "linux"))]
pub(super) fn handed_on() -> Option<Confinement> {
    None
}

/// The worker is this process.
#[cfg(not(target_os = "linux"))]
pub(super) fn have_own(_: &mut Confinement) -> Option<u8> {
    None
}

/// Ends the programs that this worker started, and the worker with them.
pub(super) fn end_programs(has_programs: bool) {
    // Only where the group is this worker's own.
    if has_programs && getpgrp() == getpid() {
        let _ = killpg(getpgrp(), Signal::SIGKILL);
    }
}
