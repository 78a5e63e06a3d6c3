//! A result file while it is written: a temporary file next to its final path. It gets its name only when it is
//! complete.

use super::replace::{self, follow_links};
use super::result_name::{ResultName, path_of};
use super::same_file::{LockedResults, WrittenResults, is_same_file};
use super::sink::directory_of;
use crate::error::Error;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The number of bytes at the beginning of a result by which its format is recognized.
const HEAD: u64 = 1024;

/// What a file in a folder is named after, and what it may replace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) name: ResultName,
    /// Whether an existing file is an error.
    pub(crate) keep_existing: bool,
    /// The results that this client wrote before.
    pub(crate) written: WrittenResults,
}

/// A temporary file, and the place to which it will be renamed.
pub(crate) struct TargetFile {
    part: NamedTempFile,
    place: Place,
    rules: Rules,
}

enum Place {
    /// A file that the caller named. `real` is where `path` leads to through links.
    Named { path: PathBuf, real: PathBuf },
    /// A file in a folder that the caller named. Its extension follows from its content.
    InFolder { folder: PathBuf, stem: OsString },
}

/// An open target.
pub(crate) enum OpenTarget {
    File(Box<TargetFile>),
    /// A pipe or a device. It is written to directly: renaming a file to its path would remove it.
    Device {
        file: File,
        path: PathBuf,
    },
}

/// Opens the file at `path`, which the caller named.
pub(crate) fn open_named(path: PathBuf, rules: Rules) -> Result<OpenTarget, Error> {
    let cannot = |error| cannot_write(&path, error);
    if rules.keep_existing {
        check_new(&path)?;
    }
    let real = follow_links(&path)?;
    let existing = match std::fs::metadata(&real) {
        Ok(found) if !found.is_file() => {
            let file = File::options().write(true).open(&real).map_err(cannot)?;
            return Ok(OpenTarget::Device { file, path });
        }
        Ok(found) if found.permissions().readonly() => {
            return Err(cannot(io::ErrorKind::PermissionDenied.into()));
        }
        found => found.ok(),
    };
    let part = part_in(directory_of(&real), existing.as_ref()).map_err(cannot)?;
    Ok(OpenTarget::File(Box::new(TargetFile { part, place: Place::Named { path, real }, rules })))
}

/// Opens a file in `folder` whose name the caller did not choose. `of_service` is the service's name of the result.
pub(crate) fn open_in_folder(
    folder: PathBuf,
    of_service: Option<&str>,
    rules: Rules,
) -> Result<OpenTarget, Error> {
    let stem = rules.name.stem(of_service);
    let existing = check_folder(&folder, &stem, &rules)?;
    let part = part_in(&folder, existing.as_ref()).map_err(|error| cannot_write(&folder, error))?;
    Ok(OpenTarget::File(Box::new(TargetFile { part, place: Place::InFolder { folder, stem }, rules })))
}

/// Checks whether a result may get its name in `folder`. Returns a file that the result may replace. If the extension
/// is not known yet, it is an error only if every possible name is refused.
pub(crate) fn check_folder(folder: &Path, stem: &OsString, rules: &Rules) -> Result<Option<Metadata>, Error> {
    let written = rules.written.lock();
    let mut refused = None;
    let mut existing = None;
    let mut is_possible = false;
    for extension in rules.name.extensions() {
        let path = path_of(folder, stem, extension);
        match rules.check(&path, &written) {
            Ok(()) => is_possible = true,
            Err(error) => refused = Some(error),
        }
        existing = existing.or_else(|| std::fs::metadata(&path).ok());
    }
    match refused {
        Some(error) if !is_possible => Err(error),
        _ => Ok(existing),
    }
}

impl Rules {
    /// Refuses to replace the file at `path`, which has a name that the caller did not choose, if it is the source of
    /// the document or another result of this client, or if the caller does not know the name.
    fn check(&self, path: &Path, written: &LockedResults<'_>) -> Result<(), Error> {
        let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
        let advice = "Pass the path of a file instead of the folder";
        if let Some(source) = self.name.source.as_deref().filter(|source| is_same_file(source, path)) {
            let message = format!("the result would replace its source {}", source.display());
            return Err(Error::invalid(message).advise(advice));
        }
        let owner = written.owner(path);
        if self.keep_existing || (owner != Some(self.name.owner()) && !self.name.is_callers) {
            return Err(exists(path));
        }
        if owner.is_some_and(|owner| owner != self.name.owner()) {
            let message =
                format!("{} is already the result of another document or operation", path.display());
            return Err(Error::invalid(message).advise(advice));
        }
        if found.is_symlink() {
            let message = format!("cannot write {}: it is a link", path.display());
            return Err(Error::refused_file(message, io::ErrorKind::AlreadyExists).advise(advice));
        }
        if !found.is_file() {
            let message = format!("cannot write {}: it is not a regular file", path.display());
            return Err(Error::refused_file(message, io::ErrorKind::AlreadyExists).advise(advice));
        }
        Ok(())
    }

    /// Whether a file that appears at the last moment must not be replaced.
    fn must_be_new(&self, path: &Path, written: &LockedResults<'_>) -> bool {
        self.keep_existing || (!self.name.is_callers && written.owner(path) != Some(self.name.owner()))
    }
}

impl TargetFile {
    /// The path or folder that the caller named.
    pub(crate) fn shown(&self) -> &Path {
        match &self.place {
            Place::Named { path, .. } => path,
            Place::InFolder { folder, .. } => folder,
        }
    }

    pub(crate) fn restart(&mut self) -> io::Result<()> {
        let file = self.part.as_file_mut();
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0)).map(drop)
    }

    /// Moves the complete file to its final path, and returns this path. A file that is replaced keeps its mode.
    pub(crate) fn finish(mut self) -> Result<PathBuf, Error> {
        let written = self.rules.written.clone();
        let mut written = written.lock();
        let (path, real, must_be_new) = match &self.place {
            Place::Named { path, real } => (path.clone(), real.clone(), self.rules.keep_existing),
            Place::InFolder { folder, stem } => {
                let head = head_of(self.part.as_file_mut()).map_err(|error| cannot_write(folder, error))?;
                let path = path_of(folder, stem, self.rules.name.extension(&head));
                self.rules.check(&path, &written)?;
                let must_be_new = self.rules.must_be_new(&path, &written);
                (path.clone(), path, must_be_new)
            }
        };
        let cannot = |error| cannot_write(&path, error);
        match std::fs::metadata(&real) {
            Ok(found) if found.permissions().readonly() => {
                return Err(cannot(io::ErrorKind::PermissionDenied.into()));
            }
            Ok(found) => replace::keep_mode(self.part.as_file(), &found).map_err(cannot)?,
            Err(_) => {}
        }
        if must_be_new {
            match self.part.persist_noclobber(&real) {
                Ok(_) => {}
                Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists(&path));
                }
                // Some file systems cannot rename without replacing.
                Err(failed) => {
                    check_new(&path)?;
                    failed.file.persist(&real).map_err(|failed| cannot(failed.error))?;
                }
            }
        } else {
            self.part.persist(&real).map_err(|failed| cannot(failed.error))?;
        }
        written.add(&real, self.rules.name.owner());
        Ok(path)
    }
}

impl Write for TargetFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.part.flush()
    }
}

fn head_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// Refuses a path at which there is a file.
pub(crate) fn check_new(path: &Path) -> Result<(), Error> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Err(exists(path)),
        Err(_) => Ok(()),
    }
}

fn exists(path: &Path) -> Error {
    Error::refused_file(format!("{} exists already", path.display()), io::ErrorKind::AlreadyExists)
        .advise("Pass the path of another file, or remove this one first")
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    Error::io(format_args!("cannot write {}", path.display()), error)
        .advise("Check that the directory exists, may be written to, and has space")
}

const PART_PREFIX: &str = ".recto-";
const PART_SUFFIX: &str = ".part";

/// Creates a temporary file and locks it while it is written. A temporary file without a lock was left behind by a
/// process that was killed. `existing` is the file that it will replace: the new file has the same permissions from the
/// beginning.
fn part_in(directory: &Path, existing: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_PREFIX).suffix(PART_SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(replace::mode_for(existing)));
    #[cfg(not(unix))]
    let _ = existing;
    loop {
        let part = builder.tempfile_in(directory)?;
        // If files cannot be locked here, `clear_leftovers` removes no files either, because it has to lock a file
        // first.
        let is_locked = part.as_file().try_lock().is_ok();
        if !is_locked || is_there(part.as_file()) {
            return Ok(part);
        }
        // Another process removed the file before it was locked: try again.
    }
}

#[cfg(unix)]
fn is_there(file: &File) -> bool {
    file.metadata().is_ok_and(|found| std::os::unix::fs::MetadataExt::nlink(&found) > 0)
}

#[cfg(not(unix))]
fn is_there(_: &File) -> bool {
    true
}

/// Removes the temporary files in `directory` that a killed process left behind.
pub(crate) fn clear_leftovers(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_part =
            name.to_str().is_some_and(|name| name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX));
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_part && is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            tracing::info!(path = %entry.path().display(), "removing a temporary file that a killed process left behind");
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use recto_interface::OperationKind;

    fn rules(source: &str, written: &WrittenResults) -> Rules {
        let name = ResultName {
            stem: Path::new(source).file_stem().map(ToOwned::to_owned),
            is_callers: true,
            source: Some(source.into()),
            kind: Some(OperationKind::Optimize),
            operation_id: String::new(),
        };
        Rules { name, keep_existing: false, written: written.clone() }
    }

    fn finished(open: Result<OpenTarget, Error>, content: &str) -> Result<PathBuf, Error> {
        match open? {
            OpenTarget::File(mut file) => {
                file.write_all(content.as_bytes()).unwrap();
                file.finish()
            }
            OpenTarget::Device { path, .. } => Ok(path),
        }
    }

    #[test]
    fn two_results_that_are_written_at_once_do_not_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let written = WrittenResults::default();
        let open = |source: &str| open_in_folder(folder.path().to_owned(), None, rules(source, &written));
        let (first, second) = (open("/in/x/a.pdf"), open("/in/y/a.pdf"));
        assert_eq!(finished(first, "%PDF-first").unwrap(), folder.path().join("a.pdf"));
        assert_eq!(finished(second, "%PDF-second").unwrap_err().kind(), ErrorKind::InvalidRequest);
        // The same document may be processed again.
        finished(open("/in/x/a.pdf"), "%PDF-again").unwrap();
        assert_eq!(std::fs::read(folder.path().join("a.pdf")).unwrap(), b"%PDF-again");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_that_the_caller_did_not_give_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Makefile"), "all:").unwrap();
        std::fs::write(folder.path().join("taken.pdf"), "x").unwrap();
        let name = ResultName { kind: Some(OperationKind::Optimize), ..ResultName::default() };
        let rules = Rules { name, ..Rules::default() };
        let open = |of_service| open_in_folder(folder.path().to_owned(), Some(of_service), rules.clone());
        assert_eq!(finished(open("Makefile"), "%PDF-").unwrap(), folder.path().join("Makefile.pdf"));
        assert_eq!(std::fs::read(folder.path().join("Makefile")).unwrap(), b"all:");
        assert_eq!(open("taken.exe").err().unwrap().io_kind(), Some(io::ErrorKind::AlreadyExists));
        // A file that appears during the transfer is not replaced either.
        let late = open("late.pdf");
        std::fs::write(folder.path().join("late.pdf"), "x").unwrap();
        assert_eq!(finished(late, "%PDF-").unwrap_err().io_kind(), Some(io::ErrorKind::AlreadyExists));
        assert_eq!(std::fs::read(folder.path().join("late.pdf")).unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_mode_and_is_never_more_readable() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pdf");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        for wanted in [0o600, 0o640, 0o755] {
            std::fs::write(&path, "before").unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(wanted)).unwrap();
            let in_folder = open_in_folder(
                folder.path().to_owned(),
                None,
                rules("/in/a.pdf", &WrittenResults::default()),
            );
            for open in [open_named(path.clone(), Rules::default()), in_folder] {
                let Ok(OpenTarget::File(file)) = open else { panic!("not a file") };
                assert_eq!(mode(file.part.path()) & !wanted, 0, "the temporary file is more readable");
                file.finish().unwrap();
                assert_eq!(mode(&path), wanted);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_folder_is_not_replaced_by_a_name_that_the_caller_did_not_choose() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "x").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join("a.pdf")).unwrap();
        let open =
            open_in_folder(folder.path().to_owned(), None, rules("/in/a.pdf", &WrittenResults::default()));
        assert!(open.err().unwrap().to_string().contains("is a link"));
        assert_eq!(std::fs::read(&victim).unwrap(), b"x");
    }
}
