//! Sinks: what a result is written to. A file gets its name only when it is complete.

use crate::error::{Error, Phase};
use crate::io::result_format::{Expected, HeadCheck};
use crate::io::result_name::ResultName;
use crate::io::source::Source;
use crate::io::target_file::{self, OpenTarget, Rules, TargetFile};
use crate::io::web_address::WebAddress;
use crate::runtime;
use recto_interface::OperationKind;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The target of a download: a file or directory, a writer, or memory.
pub struct Sink<'a>(SinkKind<'a>);

enum SinkKind<'a> {
    Path(PathBuf),
    /// A file in this folder, which gets this name.
    Named(PathBuf, ResultName),
    Writer(&'a mut dyn Write),
    Erasable(&'a mut dyn Erase),
    Memory(&'a mut Vec<u8>),
}

/// A writer that can discard what was written. A transfer can then start again from the beginning.
pub trait Erase: Write {
    /// Discards everything that was written.
    ///
    /// # Errors
    /// The errors of the writer.
    fn erase(&mut self) -> io::Result<()>;
}

impl<'a> Sink<'a> {
    /// A sink for a file, or for an existing directory.
    ///
    /// A file is replaced, and keeps its mode. In a directory, the file gets the stem of the source's name, and the
    /// extension of the operation's result (`pdf`, `zip`, `png`, `jpg` or `tif`). There it may replace an earlier
    /// result of the same source, but never the source itself, nor the result that this client wrote for another source
    /// or operation. If the source has no name on this machine (a file in the service, an address, a resumed
    /// operation), the stem is that of the address or of the service's name for the result, and no file is replaced.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self(SinkKind::Path(path.into()))
    }

    /// A sink for a writer. The writer is used on the caller's thread.
    pub fn writer(writer: &'a mut dyn Write) -> Self {
        Self(SinkKind::Writer(writer))
    }

    /// A sink for a writer that can discard what was written. The writer is used on the caller's thread.
    pub fn erasable(writer: &'a mut dyn Erase) -> Self {
        Self(SinkKind::Erasable(writer))
    }

    /// A sink that appends the result to `bytes`.
    pub fn memory(bytes: &'a mut Vec<u8>) -> Self {
        Self(SinkKind::Memory(bytes))
    }

    /// A sink for a file in `folder` that is named after `name`.
    pub(crate) fn named(folder: PathBuf, name: ResultName) -> Self {
        Self(SinkKind::Named(folder, name))
    }

    /// Checks whether a result of `source` may be written to this sink, before the operation is started. `overwrite` is
    /// the setting of [`Call::overwrite`](crate::Call::overwrite).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the result would replace its source;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a file that exists and may not be replaced, and for a directory that
    /// does not exist.
    pub fn check_result(&self, source: &Source, kind: OperationKind, overwrite: bool) -> Result<(), Error> {
        let name = ResultName { kind: Some(kind), ..source.result_name() };
        let rules = Rules { name, keep_existing: !overwrite, ..Rules::default() };
        self.check(&rules).map_err(|error| error.in_phase(Phase::Configure))
    }

    /// Checks before the transfer that the file can be written: that its directory exists, and that it replaces no file
    /// that it must not replace. Otherwise the transfer would fail only at its end.
    pub(crate) fn check(&self, rules: &Rules) -> Result<(), Error> {
        let path = match &self.0 {
            SinkKind::Path(path) => path,
            SinkKind::Named(folder, name) => {
                let Some(stem) = &name.stem else { return Ok(()) };
                let rules = Rules { name: name.clone(), ..rules.clone() };
                return target_file::check_folder(folder, stem, &rules).map(drop);
            }
            _ => return Ok(()),
        };
        if path.as_os_str().is_empty() {
            return Err(Error::invalid("the path for the result is empty"));
        }
        if let Some(address) = WebAddress::recognized(path) {
            let message = format!("a result cannot be written to the address {}", address.shown());
            return Err(Error::invalid(message).advise("Pass the path of a file or a directory"));
        }
        if path.is_dir() {
            // Without a stem, the service's name for the result is used, which is not known yet.
            return match &rules.name.stem {
                Some(stem) => target_file::check_folder(path, stem, rules).map(drop),
                None => Ok(()),
            };
        }
        if rules.keep_existing {
            target_file::check_new(path)?;
        }
        let directory = directory_of(path);
        if !directory.is_dir() || ends_with_separator(path) {
            let missing = if ends_with_separator(path) { path } else { directory };
            let why = std::fs::metadata(missing).err().unwrap_or(io::ErrorKind::NotADirectory.into());
            let error = Error::io(format_args!("cannot write to {}", missing.display()), why);
            return Err(error.advise("Create the directory first"));
        }
        Ok(())
    }

    /// Opens the sink. `name` is the name that the service gave to the result. If the operation is not known, the
    /// format of the result follows from the extension of the name or path.
    pub(crate) fn open(self, name: Option<&str>, rules: Rules) -> Result<OpenSink<'a>, Error> {
        let mut named = name.map(str::to_owned);
        let expected = rules.name.kind.map(|kind| Expected::of_operation(kind, name));
        let target = match self.0 {
            SinkKind::Writer(writer) => Target::Writer(writer),
            SinkKind::Erasable(writer) => Target::Erasable(writer),
            SinkKind::Memory(bytes) => Target::Memory { began: bytes.len(), bytes },
            SinkKind::Path(path) => {
                named = named.or_else(|| path.to_str().map(str::to_owned));
                match path.is_dir() {
                    true => target_file::open_in_folder(path, name, rules)?.into(),
                    false => target_file::open_named(path, rules)?.into(),
                }
            }
            SinkKind::Named(folder, own) => {
                target_file::open_in_folder(folder, name, Rules { name: own, ..rules })?.into()
            }
        };
        let expected = expected.unwrap_or_else(|| Expected::of_name(named.as_deref()));
        Ok(OpenSink { target, head: HeadCheck::new(expected), written: 0 })
    }
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SinkKind::Path(path) | SinkKind::Named(path, _) => write!(f, "Sink({path:?})"),
            SinkKind::Writer(_) | SinkKind::Erasable(_) => f.write_str("Sink(writer)"),
            SinkKind::Memory(_) => f.write_str("Sink(memory)"),
        }
    }
}

pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator(char::from(*last)))
}

enum Target<'a> {
    File(Box<TargetFile>),
    Device { file: File, path: PathBuf },
    Writer(&'a mut dyn Write),
    Erasable(&'a mut dyn Erase),
    Memory { bytes: &'a mut Vec<u8>, began: usize },
}

impl From<OpenTarget> for Target<'_> {
    fn from(open: OpenTarget) -> Self {
        match open {
            OpenTarget::File(file) => Self::File(file),
            OpenTarget::Device { file, path } => Self::Device { file, path },
        }
    }
}

/// A result that is being written.
pub(crate) struct OpenSink<'a> {
    target: Target<'a>,
    head: HeadCheck,
    /// How many bytes were written to the target.
    written: u64,
}

impl OpenSink<'_> {
    /// How many bytes the sink has accepted.
    pub(crate) fn position(&self) -> u64 {
        self.written + self.head.held()
    }

    /// Sets the header `Content-Type` of the response, for the message if the body is not a result.
    pub(crate) fn set_content_type(&mut self, content_type: Option<&str>) {
        self.head.set_content_type(content_type);
    }

    /// Accepts the next bytes of the result.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.head.is_checked() {
            return self.write_to_target(bytes);
        }
        let ready = self.head.push(bytes)?;
        self.write_to_target(&ready)
    }

    fn write_to_target(&mut self, bytes: &[u8]) -> Result<(), Error> {
        debug_assert!(runtime::may_block());
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Device { file, .. } => file.write_all(bytes),
            Target::Writer(writer) => writer.write_all(bytes),
            Target::Erasable(writer) => writer.write_all(bytes),
            Target::Memory { bytes: memory, .. } => {
                memory.extend_from_slice(bytes);
                Ok(())
            }
        };
        written.map_err(|error| self.cannot_write(error))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Discards all accepted bytes, to start again. Returns `false` if the target cannot discard bytes.
    pub(crate) fn restart(&mut self) -> Result<bool, Error> {
        let restarted = match &mut self.target {
            Target::File(file) => file.restart().map(|()| true),
            Target::Memory { bytes, began } => {
                bytes.truncate(*began);
                Ok(true)
            }
            Target::Erasable(writer) => writer.erase().map(|()| true),
            Target::Device { .. } | Target::Writer(_) => Ok(self.written == 0),
        };
        let restarted = restarted.map_err(|error| self.cannot_write(error))?;
        if restarted {
            self.head.restart();
            self.written = 0;
        }
        Ok(restarted)
    }

    /// Checks and writes the bytes that are held back, because the result has no more bytes.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if self.head.is_checked() {
            return Ok(());
        }
        let rest = self.head.check()?;
        self.write_to_target(&rest)
    }

    /// Completes the result. Moves a temporary file to its final path and returns this path; returns `None` for other
    /// targets.
    pub(crate) fn finish(mut self) -> Result<Option<PathBuf>, Error> {
        self.end()?;
        match &mut self.target {
            Target::Device { file, .. } => file.flush(),
            Target::Writer(writer) => writer.flush(),
            Target::Erasable(writer) => writer.flush(),
            Target::File(_) | Target::Memory { .. } => Ok(()),
        }
        .map_err(|error| self.cannot_write(error))?;
        match self.target {
            Target::File(file) => file.finish().map(Some),
            Target::Device { path, .. } => Ok(Some(path)),
            Target::Writer(_) | Target::Erasable(_) | Target::Memory { .. } => Ok(None),
        }
    }

    fn cannot_write(&self, error: io::Error) -> Error {
        let advice = "Check the space left on the disk and the permission to write";
        let path = match &self.target {
            Target::File(file) => file.shown(),
            Target::Device { path, .. } => path,
            _ => return Error::io("cannot write the result", error),
        };
        Error::io(format_args!("cannot write {}", path.display()), error).advise(advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::io::result_format::HEAD;

    fn entries(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_complete_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out.pdf");
        std::fs::write(&target, "before").unwrap();
        let mut writing = Sink::path(&target).open(Some("x.pdf"), Rules::default()).unwrap();
        writing.write(&[b"%PDF-1.7 ", &[b' '; HEAD][..]].concat()).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"before");
        drop(writing);
        assert_eq!(entries(directory.path()), ["out.pdf"]);

        let mut writing = Sink::path(&target).open(Some("x.pdf"), Rules::default()).unwrap();
        writing.write(b"%PDF-1.7").unwrap();
        assert_eq!(writing.finish().unwrap(), Some(target.clone()));
        assert_eq!(std::fs::read(&target).unwrap(), b"%PDF-1.7");
        assert_eq!(entries(directory.path()), ["out.pdf"]);
    }

    #[cfg(unix)]
    #[test]
    fn leftovers_of_a_killed_process_are_removed_and_files_in_use_are_not() {
        let directory = tempfile::tempdir().unwrap();
        for name in [".recto-old.part", ".other.part", "a.pdf"] {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        let mut writing = Sink::path(directory.path().join("out")).open(None, Rules::default()).unwrap();
        target_file::clear_leftovers(directory.path());
        writing.write(b"x").unwrap();
        writing.finish().unwrap();
        assert_eq!(entries(directory.path()), [".other.part", "a.pdf", "out"]);
    }

    #[test]
    fn an_html_page_instead_of_a_pdf_is_refused_and_not_written() {
        for page in [&b"<html>"[..], b"", &[b'<'; 5000]] {
            let mut memory = Vec::new();
            let mut writing = Sink::memory(&mut memory).open(Some("X.PDF"), Rules::default()).unwrap();
            let done = writing.write(page).and_then(|()| writing.finish());
            assert_eq!(done.unwrap_err().kind(), ErrorKind::Protocol);
            assert!(memory.is_empty());
        }
    }

    #[test]
    fn a_missing_directory_is_reported_before_any_request() {
        let directory = tempfile::tempdir().unwrap();
        for path in ["no/out.pdf", "no/"] {
            let error = Sink::path(directory.path().join(path)).check(&Rules::default()).unwrap_err();
            assert_eq!(error.io_kind(), Some(io::ErrorKind::NotFound));
        }
        let file = directory.path().join("file");
        File::create(&file).unwrap();
        let error = Sink::path(file.join("out.pdf")).check(&Rules::default()).unwrap_err();
        assert_eq!(error.io_kind(), Some(io::ErrorKind::NotADirectory));
        assert!(Sink::path(directory.path()).check(&Rules::default()).is_ok());
        assert!(Sink::path("out.pdf").check(&Rules::default()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_a_link_is_followed() {
        let mut writing = Sink::path("/dev/null").open(None, Rules::default()).unwrap();
        writing.write(b"x").unwrap();
        writing.finish().unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());

        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        std::fs::write(&real, "before").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut writing = Sink::path(&link).open(None, Rules::default()).unwrap();
        writing.write(b"after").unwrap();
        writing.finish().unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"after");
    }

    #[test]
    fn a_restarted_result_is_checked_again() {
        let mut memory = b"kept".to_vec();
        let mut writing = Sink::memory(&mut memory).open(Some("a.pdf"), Rules::default()).unwrap();
        writing.write(&[b"%PDF-", &[0; HEAD][..]].concat()).unwrap();
        assert!(writing.restart().unwrap());
        assert_eq!(writing.position(), 0);
        assert!(writing.write(&[0; HEAD]).is_err());
        drop(writing);
        assert_eq!(memory, b"kept");
    }

    #[test]
    fn a_writer_that_can_erase_restarts_empty() {
        struct Slate(Vec<u8>);
        impl Write for Slate {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        impl Erase for Slate {
            fn erase(&mut self) -> io::Result<()> {
                self.0.clear();
                Ok(())
            }
        }
        let mut slate = Slate(Vec::new());
        let mut writing = Sink::erasable(&mut slate).open(Some("a.txt"), Rules::default()).unwrap();
        writing.write(b"the first half").unwrap();
        assert!(writing.restart().unwrap());
        writing.write(b"all").unwrap();
        assert_eq!(writing.position(), 3);
        writing.finish().unwrap();
        assert_eq!(slate.0, b"all");
    }

    #[test]
    fn a_plain_writer_cannot_restart_once_written_to() {
        let mut out = Vec::new();
        let mut writer = io::Cursor::new(&mut out);
        let mut writing = Sink::writer(&mut writer).open(None, Rules::default()).unwrap();
        assert!(writing.restart().unwrap());
        writing.write(b"x").unwrap();
        assert!(!writing.restart().unwrap());
    }
}
