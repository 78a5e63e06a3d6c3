//! Landlock: a worker can access no files except those that it receives with an operation. A worker that starts programs
//! can also use its folder, and read the files that its programs need.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::path::{Path, PathBuf};

/// The Landlock version whose rules are requested. Older kernels apply only the rules that they support.
const LANDLOCK_ABI: ABI = ABI::V6;

/// The paths of programs, libraries, fonts and settings, which a worker that starts programs may read. No path may
/// contain documents of users: if a malicious document links to another file, LibreOffice may embed that file in the
/// result.
const SYSTEM_PATHS: &[&str] = &[
    "/bin",
    "/dev/random",
    "/dev/urandom",
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
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/version",
    "/sbin",
    "/sys/devices/system/cpu",
    "/usr",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
];

/// The devices that programs may write to.
const WRITABLE_DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// The paths that a worker that starts programs may also access.
pub(super) struct Programs<'a> {
    /// The folders where LibreOffice is installed, in addition to [`SYSTEM_PATHS`].
    pub(super) installed: &'a [PathBuf],
    /// Whether the worker has its own `/tmp`, which other processes do not use.
    pub(super) own_tmp: bool,
}

/// Restricts the file access of this process to `directory`, and to the paths in `programs`. Files that are already open
/// can still be used. The process can neither use TCP ports nor send signals to other processes.
pub(super) fn restrict_to(directory: Option<&Path>, programs: Option<&Programs<'_>>) -> Result<(), String> {
    let status = restrict(directory, programs).map_err(|error| error.to_string())?;
    match status {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => {
            Err("this system has no Landlock; Linux has it since version 5.13".to_owned())
        }
    }
}

fn restrict(
    directory: Option<&Path>,
    programs: Option<&Programs<'_>>,
) -> Result<RulesetStatus, RulesetError> {
    let everything = AccessFs::from_all(LANDLOCK_ABI);
    let mut rules = Ruleset::default()
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(LANDLOCK_ABI))?
        .scope(Scope::from_all(LANDLOCK_ABI))?
        .create()?;
    if let Some(directory) = directory {
        rules = allow(rules, directory, everything)?;
    }
    if let Some(programs) = programs {
        let read = SYSTEM_PATHS.iter().map(Path::new).chain(programs.installed.iter().map(PathBuf::as_path));
        for path in read {
            rules = allow(rules, path, AccessFs::from_read(LANDLOCK_ABI))?;
        }
        for path in WRITABLE_DEVICES {
            rules = allow(rules, Path::new(path), AccessFs::from_file(LANDLOCK_ABI))?;
        }
        // LibreOffice creates its socket in `/tmp`, and removes this socket at its end.
        let in_tmp = if programs.own_tmp { everything } else { AccessFs::MakeSock | AccessFs::RemoveFile };
        rules = allow(rules, Path::new("/tmp"), in_tmp)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// Allows `access` to all files below `path`. Does nothing if `path` does not exist.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(opened) => rules.add_rule(PathBeneath::new(opened, access)),
        Err(_) => Ok(rules),
    }
}
