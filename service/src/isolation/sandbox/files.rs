//! Landlock: no files but those of the worker's directory; a worker that starts programs may read those that they need.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::path::{Path, PathBuf};

/// The rules that we know of; older systems keep those that they know.
const LANDLOCK_ABI: ABI = ABI::V6;

/// Where programs, their libraries, fonts and settings are, and nobody's documents: what a document links to ends up in
/// the result.
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

/// What programs write to besides their own files.
const WRITABLE_DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// What a worker needs to start programs.
pub(super) struct Programs<'a> {
    /// Where they are installed, besides the places of the system.
    pub(super) installed: &'a [PathBuf],
    /// Whether `/tmp` is the worker's own.
    pub(super) own_tmp: bool,
}

/// Lets this process see nothing but `directory`, talk to no port, and signal nobody outside.
pub(super) fn restrict_to(directory: &Path, programs: Option<&Programs<'_>>) -> Result<(), String> {
    let status = restrict(directory, programs).map_err(|error| error.to_string())?;
    match status {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => {
            Err("this system has no Landlock, which Linux has since 5.13".to_owned())
        }
    }
}

fn restrict(directory: &Path, programs: Option<&Programs<'_>>) -> Result<RulesetStatus, RulesetError> {
    let everything = AccessFs::from_all(LANDLOCK_ABI);
    let mut rules = Ruleset::default()
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(LANDLOCK_ABI))?
        .scope(Scope::from_all(LANDLOCK_ABI))?
        .create()?;
    rules = allow(rules, directory, everything)?;
    if let Some(programs) = programs {
        let read = SYSTEM_PATHS.iter().map(Path::new).chain(programs.installed.iter().map(PathBuf::as_path));
        for path in read {
            rules = allow(rules, path, AccessFs::from_read(LANDLOCK_ABI))?;
        }
        for path in WRITABLE_DEVICES {
            rules = allow(rules, Path::new(path), AccessFs::from_file(LANDLOCK_ABI))?;
        }
        // LibreOffice makes its socket there, and removes it.
        let in_tmp = if programs.own_tmp { everything } else { AccessFs::MakeSock | AccessFs::RemoveFile };
        rules = allow(rules, Path::new("/tmp"), in_tmp)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// Allows `access` below `path`, if it is there.
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
