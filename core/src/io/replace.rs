//! Replacing a file: where a link leads, and the mode and owner that the new file gets.

use crate::error::Error;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// How many links are followed one after the other, as in the Linux kernel.
const MOST_LINKS: usize = 40;

/// The path that `path` leads to through links. A link of another user in a folder where everybody may create files is
/// refused. The kernel refuses to follow such a link (`fs.protected_symlinks` of Linux), but it cannot
/// notice that this crate resolves the link itself and renames a file to the link's target.
pub(super) fn follow_links(path: &Path) -> Result<PathBuf, Error> {
    let cannot = |error| Error::io(format_args!("cannot write {}", path.display()), error);
    let mut real = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::symlink_metadata(&real) {
            Ok(found) if found.is_symlink() => {
                let folder = super::sink::directory_of(&real).to_owned();
                if is_planted(&folder, &found).map_err(cannot)? {
                    let message = format!(
                        "cannot write {}: {} is a link of another user in a folder where everybody may write",
                        path.display(),
                        real.display()
                    );
                    return Err(Error::refused_file(message, io::ErrorKind::PermissionDenied)
                        .advise("Remove the link, or choose another path"));
                }
                real = folder.join(std::fs::read_link(&real).map_err(cannot)?);
            }
            Ok(_) => return Ok(real),
            // A new file is created at `path` itself, but not at the target of a link whose target does not exist.
            Err(error) if error.kind() == io::ErrorKind::NotFound && real == path => return Ok(real),
            Err(error) => return Err(cannot(error)),
        }
    }
    Err(cannot(io::Error::other("too many links")))
}

/// Whether another user may have placed `link` in `folder`, to make this program write to another place.
#[cfg(unix)]
fn is_planted(folder: &Path, link: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let folder = std::fs::metadata(folder)?;
    let user = nix::unistd::geteuid().as_raw();
    Ok(may_be_planted(folder.mode(), folder.uid(), link.uid(), user))
}

#[cfg(not(unix))]
fn is_planted(_: &Path, _: &Metadata) -> io::Result<bool> {
    Ok(false)
}

/// The rule of the Linux kernel: in a sticky folder that is writable for everybody, only links of the user itself, and
/// links of the folder's owner, are followed.
#[cfg(unix)]
fn may_be_planted(folder_mode: u32, folder_owner: u32, link_owner: u32, user: u32) -> bool {
    let is_shared = folder_mode & 0o1002 == 0o1002;
    is_shared && link_owner != user && link_owner != folder_owner
}

/// The permissions with which a temporary file is created that will replace `existing`: nobody who may not read the old
/// content may read the new content.
#[cfg(unix)]
pub(super) fn mode_for(existing: Option<&Metadata>) -> u32 {
    use std::os::unix::fs::MetadataExt;
    existing.map_or(0o666, |found| found.mode() & 0o777)
}

/// Gives `new` the mode of the file that it replaces, and its owner and group where the system allows that.
#[cfg(unix)]
pub(super) fn keep_mode(new: &File, replaced: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mut mode = replaced.mode() & 0o777;
    let (uid, gid) = (replaced.uid(), replaced.gid());
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (uid, gid) {
        let is_kept = fchown(new, Some(uid), Some(gid)).is_ok()
            || own.gid() == gid
            || fchown(new, None, Some(gid)).is_ok();
        if !is_kept {
            // The new file has another group. The members of that group get only the permissions that everybody has.
            mode = (mode & 0o707) | ((mode & 0o007) << 3);
        }
    }
    // A file system without modes would refuse any change.
    if new.metadata()?.mode() & 0o7777 == mode {
        Ok(())
    } else {
        new.set_permissions(PermissionsExt::from_mode(mode))
    }
}

#[cfg(not(unix))]
pub(super) fn keep_mode(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn only_links_of_strangers_in_shared_folders_are_refused() {
        let (me, stranger, root) = (1000, 1001, 0);
        assert!(may_be_planted(0o41777, root, stranger, me));
        assert!(may_be_planted(0o41777, root, stranger, root));
        assert!(!may_be_planted(0o41777, root, me, me));
        assert!(!may_be_planted(0o41777, stranger, stranger, me));
        assert!(!may_be_planted(0o40755, root, stranger, me));
        assert!(!may_be_planted(0o40777, root, stranger, me));
    }

    #[test]
    fn a_link_is_followed_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("real"), "x").unwrap();
        symlink("real", path("first")).unwrap();
        symlink(path("first"), path("second")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        symlink("loop", path("loop")).unwrap();
        assert_eq!(follow_links(&path("second")).unwrap(), path("real"));
        assert_eq!(follow_links(&path("new")).unwrap(), path("new"));
        assert_eq!(follow_links(&path("dangling")).unwrap_err().io_kind(), Some(io::ErrorKind::NotFound));
        assert!(follow_links(&path("loop")).is_err());
    }

    #[test]
    fn a_link_that_another_user_planted_is_refused() {
        // Only root can give a link to another user. The rule itself is tested above.
        if !nix::unistd::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o1777)).unwrap();
        let (victim, link) = (folder.path().join("victim"), folder.path().join("out.pdf"));
        std::fs::write(&victim, "x").unwrap();
        symlink(&victim, &link).unwrap();
        assert_eq!(follow_links(&link).unwrap(), victim);
        std::os::unix::fs::lchown(&link, Some(54321), Some(54321)).unwrap();
        let error = follow_links(&link).unwrap_err();
        assert_eq!(error.io_kind(), Some(io::ErrorKind::PermissionDenied));
        assert!(error.to_string().contains("another user"), "{error}");
    }

    #[test]
    fn a_new_file_gets_mode_and_owner_of_the_file_that_it_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        std::fs::write(&old, "x").unwrap();
        let new = File::create(new).unwrap();
        for mode in [0o600, 0o640, 0o755] {
            std::fs::set_permissions(&old, PermissionsExt::from_mode(mode)).unwrap();
            keep_mode(&new, &old.metadata().unwrap()).unwrap();
            assert_eq!(new.metadata().unwrap().mode() & 0o7777, mode);
        }
        if nix::unistd::geteuid().is_root() {
            std::os::unix::fs::chown(&old, Some(54321), Some(54322)).unwrap();
            keep_mode(&new, &old.metadata().unwrap()).unwrap();
            let found = new.metadata().unwrap();
            assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (54321, 54322, 0o755));
        }
    }
}
