//! Mounts for a worker that starts programs: empty folders of the worker replace the shared `/tmp` and `/run`.
//!
//! LibreOffice creates a socket in `/tmp`, whatever `TMPDIR` is. `/run` has the sockets of the system's services, which
//! neither Landlock nor seccomp can distinguish from LibreOffice's own.

use nix::mount::{MsFlags, mount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SHARED: &[&str] = &["/tmp", "/run"];

/// Mounts empty folders over `/tmp` and `/run`. The folders `kept`, and `directory`, remain accessible.
pub(super) fn cover(directory: &Path, kept: &[PathBuf]) -> Result<(), String> {
    try_cover(directory, kept).map_err(|error| format!("mounts: {error}"))
}

fn try_cover(directory: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let none = None::<&str>;
    // Each path as it is, and with links resolved.
    let kept = kept.iter().map(PathBuf::as_path).chain([directory]);
    let kept: Vec<PathBuf> =
        kept.flat_map(|path| [Some(path.to_owned()), path.canonicalize().ok()]).flatten().collect();
    // The mounts are not visible to other processes.
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    for shared in SHARED.iter().filter_map(|shared| Path::new(shared).canonicalize().ok()) {
        let cover = directory.join("shared").join(shared.strip_prefix("/").unwrap_or(&shared));
        fs::create_dir_all(&cover)?;
        for kept in &kept {
            let Ok(below) = kept.strip_prefix(&shared) else { continue };
            if !below.as_os_str().is_empty() {
                let target = cover.join(below);
                fs::create_dir_all(&target)?;
                bind(kept, &target)?;
            }
        }
        bind(&cover, &shared)?;
    }
    // The current directory is still the one below the covered mount: change to the visible one.
    std::env::set_current_dir(directory)
}

fn bind(directory: &Path, target: &Path) -> io::Result<()> {
    let none = None::<&str>;
    Ok(mount(Some(directory), target, none, MsFlags::MS_BIND | MsFlags::MS_REC, none)?)
}
