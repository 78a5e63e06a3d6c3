//! Moves or deletes the file of a document that has ended. No file is replaced, and a file that has changed since it
//! was taken stays.

use super::failures::Failure;
use super::reason;
use crate::batch::document::fingerprint;
use crate::batch::item::Done;
use crate::batch::original::{Afterwards, Original, Originals};
use crate::batch::result_paths::free_number;
use crate::error::Error;
use recto_interface::OperationKind;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The beginning of the name that a file has while it is removed.
pub(super) const REMOVING: &str = ".recto-removing-";
/// How often a name is chosen again because another program took it in the meantime.
const MOST_RACES: usize = 100;

/// What becomes of the files of completed documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Completed {
    Keep,
    MoveTo(PathBuf),
    Delete,
}

/// What becomes of the files of a watched folder.
pub(super) struct Aside {
    pub(super) completed: Completed,
    /// The folder for the files of documents that cannot be processed.
    pub(super) failed: PathBuf,
    pub(super) operation: OperationKind,
}

impl Originals for Aside {
    fn are_kept(&self) -> bool {
        self.completed == Completed::Keep
    }

    fn ended(&self, original: &Original, outcome: &Result<Done, Error>) -> Result<Afterwards, Error> {
        let failure = outcome.as_ref().err().map(|error| (error, Failure::of(error)));
        if let Some((_, Failure::Cancelled)) = failure {
            return Ok(Afterwards::Again);
        }
        if let Some((_, Failure::OfSettings)) = failure {
            return Ok(Afterwards::Ends);
        }
        if fingerprint(&original.path) != Some(original.content) {
            return Ok(Afterwards::Changed);
        }
        let cannot = |what: &str, error| {
            Error::io(format_args!("cannot {what} {}", original.path.display()), error)
                .advise("Check the permissions and the space of the folders; the file is tried again later")
        };
        match (failure, &self.completed) {
            (None, Completed::Keep) => Ok(Afterwards::Kept),
            (None, Completed::MoveTo(folder)) => {
                let folder = folder.join(subfolder(&original.name));
                move_into(original, &folder, |_| Ok(None)).map_err(|error| cannot("move", error))
            }
            (None, Completed::Delete) => remove(original).map_err(|error| cannot("delete", error)),
            (Some((error, Failure::OfDocument)), _) => {
                let folder = self.failed.join(subfolder(&original.name));
                let text = reason::text(&original.path, self.operation, error);
                let with_reason = |target: &Path| {
                    let path = reason::path(target);
                    write_new(&path, text.as_bytes()).map(|()| Some(path))
                };
                move_into(original, &folder, with_reason).map_err(|error| cannot("move", error))
            }
            (Some(_), _) => Ok(Afterwards::Again),
        }
    }
}

fn subfolder(name: &Path) -> &Path {
    name.parent().unwrap_or(Path::new(""))
}

/// Moves a file into `folder`, under its own name or a numbered one. `first` runs before the file has its new path, and
/// may write a file that belongs to it; it fails with [`ErrorKind::AlreadyExists`] if the path cannot be used.
fn move_into(
    original: &Original,
    folder: &Path,
    first: impl Fn(&Path) -> io::Result<Option<PathBuf>>,
) -> io::Result<Afterwards> {
    std::fs::create_dir_all(folder)?;
    let name = original.path.file_name().unwrap_or_default();
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    for _ in 0..MOST_RACES {
        let free = free_number(|number| {
            let target = folder.join(numbered(name, number));
            is_there(&target) || is_there(&reason::path(&target))
        });
        let target = folder.join(numbered(name, free));
        let companion = match first(&target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        match moved(original, &target) {
            Ok(Afterwards::Gone(to)) => {
                synchronize(folder)?;
                return Ok(Afterwards::Gone(to));
            }
            ended => {
                // The file was not moved, so its companion must not stay alone.
                if let Some(companion) = companion {
                    std::fs::remove_file(companion)?;
                }
                match ended {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    ended => return ended,
                }
            }
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Moves a file to `target`, where no file is.
fn moved(original: &Original, target: &Path) -> io::Result<Afterwards> {
    match rename_new(&original.path, target) {
        Ok(()) if fingerprint(target) == Some(original.content) => {
            Ok(Afterwards::Gone(Some(target.to_owned())))
        }
        Ok(()) => {
            // Another program replaced the file at the last moment.
            rename_new(target, &original.path)?;
            Ok(Afterwards::Changed)
        }
        Err(error) if error.kind() == ErrorKind::CrossesDevices => copied(original, target),
        Err(error) if error.kind() == ErrorKind::NotFound && original.path.symlink_metadata().is_err() => {
            Ok(Afterwards::Changed)
        }
        Err(error) => Err(error),
    }
}

/// Moves a file to another file system: the copy gets its name when it is complete and on disk.
fn copied(original: &Original, target: &Path) -> io::Result<Afterwards> {
    let mut source = File::open(&original.path)?;
    let found = source.metadata()?;
    let mut part = part_in(target.parent().unwrap_or(Path::new(".")))?;
    io::copy(&mut source, part.as_file_mut())?;
    // Some file systems have no permissions or times of their own.
    let _ = part.as_file().set_permissions(found.permissions());
    if let Ok(modified) = found.modified() {
        let _ = part.as_file().set_modified(modified);
    }
    part.as_file().sync_all()?;
    if fingerprint(&original.path) != Some(original.content) {
        return Ok(Afterwards::Changed);
    }
    part.persist_noclobber(target).map_err(|failed| failed.error)?;
    synchronize(target.parent().unwrap_or(Path::new(".")))?;
    match remove(original)? {
        Afterwards::Gone(_) => Ok(Afterwards::Gone(Some(target.to_owned()))),
        other => Ok(other),
    }
}

/// Deletes a file. It is renamed first, so that a file that another program puts there at this moment is not deleted.
fn remove(original: &Original) -> io::Result<Afterwards> {
    let mut name = OsString::from(REMOVING);
    name.push(original.path.file_name().unwrap_or_default());
    let hidden = original.path.with_file_name(name);
    match rename_new(&original.path, &hidden) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Afterwards::Changed),
        // The longer name may be too long.
        Err(error) if error.kind() == ErrorKind::InvalidFilename => {
            std::fs::remove_file(&original.path)?;
            return Ok(Afterwards::Gone(None));
        }
        Err(error) => return Err(error),
    }
    if fingerprint(&hidden) == Some(original.content) {
        std::fs::remove_file(&hidden)?;
        return Ok(Afterwards::Gone(None));
    }
    rename_new(&hidden, &original.path)?;
    Ok(Afterwards::Changed)
}

/// Gives a file its name back that a killed process was about to delete.
pub(super) fn restore(hidden: &Path) {
    let name = hidden.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix(REMOVING));
    if let Some(name) = name.filter(|name| !name.is_empty())
        && let Err(error) = rename_new(hidden, &hidden.with_file_name(name))
    {
        tracing::warn!(path = %hidden.display(), %error, "a file that was about to be deleted cannot get its name back");
    }
}

/// Writes a file that did not exist, complete or not at all.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut part = part_in(path.parent().unwrap_or(Path::new(".")))?;
    part.write_all(content)?;
    part.as_file().sync_all()?;
    part.persist_noclobber(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// A temporary file, with the name and the permissions of the other temporary files of this crate.
fn part_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".recto-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// `a.pdf`, `a-2.pdf`, `a-3.pdf`.
fn numbered(name: &OsStr, number: u64) -> OsString {
    if number < 2 {
        return name.to_owned();
    }
    let name = Path::new(name);
    let mut numbered = name.file_stem().unwrap_or_default().to_owned();
    numbered.push(format!("-{number}"));
    if let Some(extension) = name.extension() {
        numbered.push(".");
        numbered.push(extension);
    }
    numbered
}

/// Renames a file to a path that no file has.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use nix::errno::Errno;
        use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
        match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_NOREPLACE) {
            // The file system or the kernel does not know the flag.
            Err(Errno::EINVAL | Errno::ENOSYS | Errno::EOPNOTSUPP) => {}
            renamed => return renamed.map_err(io::Error::from),
        }
    }
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => Err(error),
        Err(error) if error.kind() == ErrorKind::CrossesDevices => Err(error),
        // The file system has no hard links.
        Err(_) if to.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(from, to),
    }
}

/// Synchronizes a folder: otherwise a crash of the machine could undo the renaming of a file in it.
fn synchronize(folder: &Path) -> io::Result<()> {
    crate::batch::journal::synchronize_directory(&folder.join("file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind as Kind;

    fn original(folder: &Path, name: &str) -> Original {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("%PDF {name}")).unwrap();
        let content = fingerprint(&path).unwrap();
        Original { name: name.into(), path, content, progress: None }
    }

    fn done() -> Result<Done, Error> {
        Ok(Done { path: None, validation: None, operation_id: String::new(), result: None, resumed: false })
    }

    fn aside(folder: &Path, completed: Completed) -> Aside {
        Aside { completed, failed: folder.join("failed"), operation: OperationKind::Optimize }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_moved_file_replaces_no_file_and_keeps_its_subfolder() {
        let folder = tempfile::tempdir().unwrap();
        let aside = aside(folder.path(), Completed::MoveTo(folder.path().join("done")));
        for number in 1..=3 {
            let original = original(folder.path(), "sub/a.pdf");
            let name = if number == 1 { "a.pdf".to_owned() } else { format!("a-{number}.pdf") };
            let target = folder.path().join("done/sub").join(name);
            assert_eq!(aside.ended(&original, &done()).unwrap(), Afterwards::Gone(Some(target.clone())));
            assert!(fingerprint(&target) == Some(original.content) && !original.path.exists());
        }
        assert_eq!(names(&folder.path().join("done/sub")), ["a-2.pdf", "a-3.pdf", "a.pdf"]);
    }

    #[test]
    fn a_changed_file_is_neither_moved_nor_deleted_nor_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let damaged = || Err(Error::new(Kind::OperationFailed, "damaged"));
        for completed in [Completed::Keep, Completed::Delete, Completed::MoveTo(folder.path().join("done"))] {
            for outcome in [done(), damaged()] {
                let aside = aside(folder.path(), completed.clone());
                let original = original(folder.path(), "a.pdf");
                std::fs::write(&original.path, "another document").unwrap();
                assert_eq!(aside.ended(&original, &outcome).unwrap(), Afterwards::Changed);
                assert_eq!(names(folder.path()), ["a.pdf"]);
                std::fs::remove_file(&original.path).unwrap();
                assert_eq!(aside.ended(&original, &outcome).unwrap(), Afterwards::Changed);
            }
        }
    }

    #[test]
    fn a_file_that_is_replaced_at_the_last_moment_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut original = original(folder.path(), "a.pdf");
        original.content.modified -= 1;
        assert_eq!(moved(&original, &folder.path().join("b.pdf")).unwrap(), Afterwards::Changed);
        assert_eq!(remove(&original).unwrap(), Afterwards::Changed);
        assert_eq!(names(folder.path()), ["a.pdf"]);
    }

    #[test]
    fn a_deleted_file_leaves_nothing_and_an_interrupted_deletion_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        let original = original(folder.path(), "a.pdf");
        let hidden = folder.path().join(format!("{REMOVING}a.pdf"));
        std::fs::rename(&original.path, &hidden).unwrap();
        restore(&hidden);
        assert_eq!(names(folder.path()), ["a.pdf"]);
        let aside = aside(folder.path(), Completed::Delete);
        assert_eq!(aside.ended(&original, &done()).unwrap(), Afterwards::Gone(None));
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_document_that_cannot_be_processed_is_set_aside_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let aside = aside(folder.path(), Completed::Keep);
        let error = Error::new(Kind::OperationFailed, "the document is damaged").described(
            Some("damaged_document".into()),
            None,
            Some("no page tree".into()),
            None,
        );
        for _ in 0..2 {
            let original = original(folder.path(), "bad.pdf");
            assert!(matches!(
                aside.ended(&original, &Err(error.clone())).unwrap(),
                Afterwards::Gone(Some(_))
            ));
        }
        let failed = folder.path().join("failed");
        let wanted = ["bad-2.pdf", "bad-2.pdf.reason.txt", "bad.pdf", "bad.pdf.reason.txt"];
        assert_eq!(names(&failed), wanted);
        let reason = std::fs::read_to_string(failed.join("bad.pdf.reason.txt")).unwrap();
        for part in ["OperationFailed", "damaged_document", "no page tree", "optimize", "GMT", "bad.pdf"] {
            assert!(reason.contains(part), "{part}: {reason}");
        }
    }

    #[test]
    fn other_failures_leave_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let aside = aside(folder.path(), Completed::Delete);
        for (kind, wanted) in [
            (Kind::Transport, Afterwards::Again),
            (Kind::RateLimited, Afterwards::Again),
            (Kind::Server, Afterwards::Again),
            (Kind::Io, Afterwards::Again),
            (Kind::WaitTimeout, Afterwards::Again),
            (Kind::Cancelled, Afterwards::Again),
            (Kind::Auth, Afterwards::Ends),
        ] {
            let original = original(folder.path(), "a.pdf");
            assert_eq!(aside.ended(&original, &Err(Error::new(kind, "x"))).unwrap(), wanted);
            assert_eq!(names(folder.path()), ["a.pdf"]);
        }
    }

    /// `/dev/shm` is another file system than the temporary folder on most machines; where it is not, the copy is
    /// tested without the move.
    #[test]
    fn a_file_is_moved_to_another_file_system() {
        let folder = tempfile::tempdir().unwrap();
        let shared = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap());
        let first = original(folder.path(), "a.pdf");
        let aside = aside(folder.path(), Completed::MoveTo(shared.path().to_owned()));
        let target = shared.path().join("a.pdf");
        assert_eq!(aside.ended(&first, &done()).unwrap(), Afterwards::Gone(Some(target.clone())));
        assert!(fingerprint(&target) == Some(first.content) && names(folder.path()).is_empty());
        let second = original(folder.path(), "a.pdf");
        let target = shared.path().join("b.pdf");
        assert_eq!(copied(&second, &target).unwrap(), Afterwards::Gone(Some(target.clone())));
        assert!(fingerprint(&target) == Some(second.content) && names(folder.path()).is_empty());
        let third = original(folder.path(), "a.pdf");
        assert_eq!(copied(&third, &target).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(names(shared.path()), ["a.pdf", "b.pdf"]);
    }
}
