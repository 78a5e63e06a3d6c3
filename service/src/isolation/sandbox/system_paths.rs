//! The files of the system that a worker may use if it starts programs.

use std::path::{Path, PathBuf};

/// The paths of programs, libraries, fonts and settings, which a worker that starts programs may read. No path may
/// contain documents of users: if a malicious document links to another file, LibreOffice may embed that file in the
/// result.
pub(super) const READABLE: &[&str] = &[
    "/bin",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/libreoffice",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/papersize",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/sbin",
    "/sys/devices/system/cpu",
    "/usr",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
];

/// The files of `/proc` that programs may read.
pub(super) const PROC: &[&str] = &["/proc/cpuinfo", "/proc/filesystems", "/proc/meminfo", "/proc/version"];

/// The devices that programs may read.
pub(super) const READABLE_DEVICES: &[&str] = &["/dev/random", "/dev/urandom"];

/// The devices that programs may also write to. `/dev/zero` is missing: a shared mapping of it is memory that no limit
/// counts.
pub(super) const WRITABLE_DEVICES: &[&str] = &["/dev/null", "/dev/full"];

/// The folders in which every program expects to be able to write.
pub(super) const WRITABLE_FOLDERS: &[&str] = &["/tmp", "/run"];

/// The folders of LibreOffice: the folder of its program, and the folder above if the program is in a folder called
/// `program`.
pub(super) fn installed() -> Vec<PathBuf> {
    let Ok(program) = recto_engine::office_program() else { return Vec::new() };
    let mut found: Vec<PathBuf> = program.parent().map(Path::to_owned).into_iter().collect();
    if let Some(folder) = program.canonicalize().ok().as_deref().and_then(Path::parent) {
        let above = folder.parent().filter(|_| folder.ends_with("program"));
        found.push(above.unwrap_or(folder).to_owned());
    }
    found
}
