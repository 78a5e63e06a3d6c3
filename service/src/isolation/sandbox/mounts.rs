//! Mounts for a worker that starts programs: empty folders of the worker replace the shared folders `/tmp` and `/run`.
//!
//! LibreOffice creates a socket in `/tmp`, even if `TMPDIR` names another folder. `/run` contains the sockets of the
//! system's services. Neither Landlock nor seccomp can distinguish these sockets from LibreOffice's own socket.

use nix::mount::{MsFlags, mount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SHARED: &[&str] = &["/tmp", "/run"];

/// Mounts empty folders over `/tmp` and `/run`. The folders in `kept`, and `directory`, remain accessible.
pub(super) fn cover(directory: &Path, kept: &[PathBuf]) -> Result<(), String> {
    try_cover(directory, kept).map_err(|error| format!("mounts: {error}"))
}

fn try_cover(directory: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let none = None::<&str>;
    // The list contains each path twice: as it is given, and with all links resolved.
    let kept = kept.iter().map(PathBuf::as_path).chain([directory]);
    let kept: Vec<PathBuf> =
        kept.flat_map(|path| [Some(path.to_owned()), path.canonicalize().ok()]).flatten().collect();
    // With this setting, the mounts of this process are not visible to other processes.
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
    // The current directory is still the directory that the mount now covers. This call changes to the visible
    // directory of the same path.
    std::env::set_current_dir(directory)
}

fn bind(directory: &Path, target: &Path) -> io::Result<()> {
    let none = None::<&str>;
    Ok(mount(Some(directory), target, none, MsFlags::MS_BIND | MsFlags::MS_REC, none)?)
}
