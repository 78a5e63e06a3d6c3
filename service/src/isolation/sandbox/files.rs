//! Landlock: a worker can access no files except those that it receives with an operation. A worker that starts
//! programs can also use its folder, and read the files that its programs need.

use super::system_paths::{PROC, READABLE, READABLE_DEVICES, WRITABLE_DEVICES};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::path::{Path, PathBuf};

/// The Landlock version whose rules are requested. Older kernels apply only the rules that they support.
const REQUESTED: ABI = ABI::V6;

/// The least Landlock version that protects the files of others from a worker that starts no programs. The later rules
/// are about truncation by path, TCP, devices, signals and abstract sockets, for which such a worker has no system
/// call.
const LEAST: Needed = Needed { abi: ABI::V1, linux: "5.13" };

/// The least Landlock version for a worker that starts programs: the first one that prevents truncation. The later
/// rules are about TCP, devices, signals and abstract sockets: see seccomp and the namespaces.
const LEAST_WITH_PROGRAMS: Needed = Needed { abi: ABI::V3, linux: "6.2" };

struct Needed {
    abi: ABI,
    /// The first version of Linux with this Landlock version.
    linux: &'static str,
}

/// The paths that a worker that starts programs may also access.
pub(super) struct Programs<'a> {
    /// The folders where LibreOffice is installed, in addition to [`READABLE`].
    pub(super) installed: &'a [PathBuf],
    /// Whether the worker has a root folder of its own, with a `/tmp` that other processes do not use.
    pub(super) own_root: bool,
}

/// Restricts the file access of this process to `directory`, and to the paths in `programs`. Files that are already
/// open can still be used. Where the kernel supports it, the process can also neither use TCP ports nor send signals to
/// other processes.
///
/// # Errors
/// Why other files are not completely protected. The rules that the kernel supports apply nevertheless.
pub(super) fn restrict_to(directory: Option<&Path>, programs: Option<&Programs<'_>>) -> Result<(), String> {
    let needed = if programs.is_some() { &LEAST_WITH_PROGRAMS } else { &LEAST };
    let status = restrict(directory, programs).map_err(|error| error.to_string())?;
    complete(status.ruleset, status.landlock, needed)
}

/// Whether all rules of the version `needed` apply.
fn complete(ruleset: RulesetStatus, landlock: LandlockStatus, needed: &Needed) -> Result<(), String> {
    let Needed { abi, linux } = needed;
    let needs = format!("Landlock ABI {} (Linux {linux}) is needed", *abi as i32);
    match (ruleset, landlock) {
        (RulesetStatus::FullyEnforced, _) => Ok(()),
        (RulesetStatus::PartiallyEnforced, LandlockStatus::Available { effective_abi, .. }) => {
            if effective_abi >= *abi {
                return Ok(());
            }
            Err(format!("{needs}, and this system has only ABI {}", effective_abi as i32))
        }
        (_, LandlockStatus::NotEnabled) => {
            Err(format!("{needs}, and this system was started without Landlock"))
        }
        _ => Err(format!("{needs}, and this system has no Landlock")),
    }
}

fn restrict(
    directory: Option<&Path>,
    programs: Option<&Programs<'_>>,
) -> Result<RestrictionStatus, RulesetError> {
    let everything = AccessFs::from_all(REQUESTED);
    let mut rules = Ruleset::default()
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(REQUESTED))?
        .scope(Scope::from_all(REQUESTED))?
        .create()?;
    if let Some(directory) = directory {
        rules = allow(rules, directory, everything)?;
    }
    if let Some(programs) = programs {
        let read = READABLE.iter().chain(PROC).chain(READABLE_DEVICES).map(Path::new);
        for path in read.chain(programs.installed.iter().map(PathBuf::as_path)) {
            rules = allow(rules, path, AccessFs::from_read(REQUESTED))?;
        }
        for path in WRITABLE_DEVICES {
            rules = allow(rules, Path::new(path), AccessFs::from_file(REQUESTED))?;
        }
        // LibreOffice creates its socket in `/tmp`, and removes this socket at its end.
        let in_tmp = if programs.own_root { everything } else { AccessFs::MakeSock | AccessFs::RemoveFile };
        rules = allow(rules, Path::new("/tmp"), in_tmp)?;
    }
    rules.restrict_self()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_only_a_part_of_the_needed_rules_lacks_the_protection() {
        let only = |abi| LandlockStatus::Available { effective_abi: abi, kernel_abi: None };
        let partial = |abi, needed| complete(RulesetStatus::PartiallyEnforced, only(abi), needed);
        assert_eq!(partial(ABI::V3, &LEAST_WITH_PROGRAMS), Ok(()));
        assert_eq!(partial(ABI::V1, &LEAST), Ok(()));
        let why = partial(ABI::V2, &LEAST_WITH_PROGRAMS).unwrap_err();
        assert_eq!(why, "Landlock ABI 3 (Linux 6.2) is needed, and this system has only ABI 2");
        let none = complete(RulesetStatus::NotEnforced, LandlockStatus::NotImplemented, &LEAST);
        assert_eq!(
            none.unwrap_err(),
            "Landlock ABI 1 (Linux 5.13) is needed, and this system has no Landlock"
        );
        let off = complete(RulesetStatus::NotEnforced, LandlockStatus::NotEnabled, &LEAST);
        assert!(off.unwrap_err().contains("without Landlock"));
        assert_eq!(complete(RulesetStatus::FullyEnforced, only(ABI::V6), &LEAST), Ok(()));
    }
}
