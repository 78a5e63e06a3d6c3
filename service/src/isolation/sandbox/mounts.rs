//! Mounts of the worker's own, for programs: over the directories that all share, empty ones below the worker's own.
//!
//! LibreOffice makes a socket in `/tmp`, whatever `TMPDIR` is. In `/run` are the sockets of the system's services, which
//! neither Landlock nor seccomp can tell from its own.

use nix::mount::{MsFlags, mount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SHARED: &[&str] = &["/tmp", "/run"];

/// Covers them. What is `kept` stays where it is, as does `directory`.
pub(super) fn cover(directory: &Path, kept: &[PathBuf]) -> Result<(), String> {
    try_cover(directory, kept).map_err(|error| format!("mounts: {error}"))
}

fn try_cover(directory: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let none = None::<&str>;
    // A name that leads elsewhere by a link, and the place itself.
    let kept = kept.iter().map(PathBuf::as_path).chain([directory]);
    let kept: Vec<PathBuf> =
        kept.flat_map(|path| [Some(path.to_owned()), path.canonicalize().ok()]).flatten().collect();
    // Nothing of it shows outside.
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    for shared in SHARED.iter().filter_map(|shared| Path::new(shared).canonicalize().ok()) {
        let cover = directory.join("shared").join(shared.strip_prefix("/").unwrap_or(&shared));
        fs::create_dir_all(&cover)?;
        for kept in &kept {
            let Ok(below) = kept.strip_prefix(&shared) else { continue };
            if !below.as_os_str().is_empty() {
                let place = cover.join(below);
                fs::create_dir_all(&place)?;
                bind(kept, &place)?;
            }
        }
        bind(&cover, &shared)?;
    }
    // From the mount that is covered now to the one that is seen.
    std::env::set_current_dir(directory)
}

fn bind(directory: &Path, place: &Path) -> io::Result<()> {
    let none = None::<&str>;
    Ok(mount(Some(directory), place, none, MsFlags::MS_BIND | MsFlags::MS_REC, none)?)
}
