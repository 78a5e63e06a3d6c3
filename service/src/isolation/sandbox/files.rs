//! Landlock: no files but those of the worker's directory; a worker that starts programs may read those of the system.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::path::Path;

/// The rules that we know of; older systems keep those that they know.
const KNOWN: ABI = ABI::V6;

/// Where programs, their libraries, fonts and settings are.
const OF_THE_SYSTEM: &[&str] = &[
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/var/cache/fontconfig",
    "/var/lib",
];

/// What programs write to besides their own files.
const WRITTEN: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Lets this process see nothing but `directory`, talk to no port, and signal nobody outside.
pub(super) fn only(directory: &Path, programs: bool) -> Result<(), String> {
    let status = restrict(directory, programs).map_err(|error| error.to_string())?;
    match status {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => {
            Err("this system has no Landlock, which Linux has since 5.13".to_owned())
        }
    }
}

fn restrict(directory: &Path, programs: bool) -> Result<RulesetStatus, RulesetError> {
    let everything = AccessFs::from_all(KNOWN);
    let mut rules = Ruleset::default()
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?;
    rules = allow(rules, directory, everything)?;
    if programs {
        for path in OF_THE_SYSTEM {
            rules = allow(rules, Path::new(path), AccessFs::from_read(KNOWN))?;
        }
        for path in WRITTEN {
            rules = allow(rules, Path::new(path), AccessFs::from_file(KNOWN))?;
        }
        // LibreOffice may be installed anywhere; it is below the folder above its program.
        if let Some(home) = recto_engine::office_program()
            .ok()
            .and_then(|program| Some(program.canonicalize().ok()?.parent()?.parent()?.to_owned()))
        {
            rules = allow(rules, &home, AccessFs::from_read(KNOWN))?;
        }
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
