//! Sources: what a document is read from, and how it is read again for a retry.

use crate::error::{Error, ErrorKind};
use crate::io::result_name::ResultName;
use crate::io::safe_file_name::safe_stem;
use crate::io::web_address::WebAddress;
use crate::runtime;
use bytes::{Bytes, BytesMut};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The identifier of a file in the service.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(String);

impl FileId {
    /// Creates an identifier from text. The text is checked when the identifier is used.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The text of the identifier.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<FileId> for String {
    fn from(id: FileId) -> Self {
        id.0
    }
}

/// The source of a document: a file, bytes, a reader, an address that the service downloads, or a file that is already
/// in the service.
#[derive(Debug)]
pub struct Source(pub(crate) SourceKind, pub(crate) Option<PathBuf>);

pub(crate) enum SourceKind {
    Path { path: PathBuf, name: Option<String> },
    Bytes { bytes: Bytes, name: String },
    Reader { reader: Box<dyn Read + Send>, name: String, length: Option<u64> },
    Seekable { reader: Box<dyn ReadSeek>, name: String },
    Url(WebAddress),
    File(FileId),
}

/// A reader that can seek, such as [`File`] or [`Cursor`](io::Cursor).
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

impl Source {
    /// A file on this machine. The file is read while it is sent, and read again for a retry.
    ///
    /// A path that begins with `http://` or `https://` is treated as an address, as by [`url`](Self::url). Write `./`
    /// before the name of a folder that is really called `http:`.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        match WebAddress::recognized(&path) {
            Some(address) => Self(SourceKind::Url(address), None),
            None => Self(SourceKind::Path { path, name: None }, None),
        }
    }

    /// The document at an http or https address. The service downloads it, so that its bytes do not pass through this
    /// machine. The address is sent unchanged; errors, logs and labels do not contain its query.
    pub fn url(url: impl AsRef<str>) -> Self {
        Self(SourceKind::Url(WebAddress::new(url.as_ref())), None)
    }

    /// Bytes, and the file name that the service gets. The extension of the name gives the type of the document.
    pub fn bytes(bytes: impl Into<Bytes>, name: impl Into<String>) -> Self {
        Self(SourceKind::Bytes { bytes: bytes.into(), name: name.into() }, None)
    }

    /// The content of `reader`, which is read on the caller's thread. If `length` is `None`, the content is first
    /// copied to a temporary file. If the length is given, the content is sent while it is read, and a temporary file
    /// keeps it for retries.
    pub fn reader(reader: Box<dyn Read + Send>, name: impl Into<String>, length: Option<u64>) -> Self {
        Self(SourceKind::Reader { reader, name: name.into(), length }, None)
    }

    /// The content of `reader` from its current position to its end. The reader is read on the caller's thread while
    /// the content is sent, and read again for a retry. It seeks only before the first byte and between two attempts.
    pub fn seekable(reader: Box<dyn ReadSeek>, name: impl Into<String>) -> Self {
        Self(SourceKind::Seekable { reader, name: name.into() }, None)
    }

    /// A file that is already in the service.
    pub fn file(id: FileId) -> Self {
        Self(SourceKind::File(id), None)
    }

    /// Sets the file name that the service gets. The name of a file that is already in the service, or that the service
    /// downloads, does not change.
    #[must_use]
    pub fn named(mut self, other: impl Into<String>) -> Self {
        match &mut self.0 {
            SourceKind::Path { name, .. } => *name = Some(other.into()),
            SourceKind::Bytes { name, .. }
            | SourceKind::Reader { name, .. }
            | SourceKind::Seekable { name, .. } => {
                *name = other.into();
            }
            SourceKind::Url(_) | SourceKind::File(_) => {}
        }
        self
    }

    /// Whether the document is at an address from which the service downloads it.
    pub fn is_url(&self) -> bool {
        matches!(self.0, SourceKind::Url(_))
    }

    /// The file name that the service gets; `None` if the source has no name.
    pub(crate) fn name(&self) -> Option<String> {
        match &self.0 {
            SourceKind::Path { path, name: None } => {
                path.file_name().map(|name| name.to_string_lossy().into_owned())
            }
            SourceKind::Path { name: Some(name), .. }
            | SourceKind::Bytes { name, .. }
            | SourceKind::Reader { name, .. }
            | SourceKind::Seekable { name, .. } => Some(base_name(name).to_owned()),
            SourceKind::Url(_) | SourceKind::File(_) => None,
        }
    }

    /// Sets the file on this machine that a reader or bytes come from. A result in a folder never replaces this file.
    #[must_use]
    pub fn read_from(mut self, path: impl Into<PathBuf>) -> Self {
        self.1 = Some(path.into());
        self
    }

    /// What the results of this document are named after in a folder.
    pub(crate) fn result_name(&self) -> ResultName {
        let (stem, path) = match &self.0 {
            SourceKind::Path { path, name: None } => (path.file_stem().map(ToOwned::to_owned), Some(path)),
            SourceKind::Path { path, name: Some(name) } => (Some(safe_stem(name)), Some(path)),
            SourceKind::Bytes { name, .. }
            | SourceKind::Reader { name, .. }
            | SourceKind::Seekable { name, .. } => (Some(safe_stem(name)), self.1.as_ref()),
            SourceKind::Url(address) => (address.file_name().as_deref().map(safe_stem), None),
            SourceKind::File(_) => (None, None),
        };
        let is_callers = !matches!(self.0, SourceKind::Url(_) | SourceKind::File(_));
        // The working directory may change before the result is saved.
        let source = path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        ResultName { stem, is_callers, source, ..ResultName::default() }
    }

    /// The text that messages use for the document: the path as the caller passed it, the name, the address without its
    /// query, or the identifier.
    pub fn label(&self) -> String {
        match &self.0 {
            SourceKind::Path { path, .. } => path.display().to_string(),
            SourceKind::Bytes { name, .. }
            | SourceKind::Reader { name, .. }
            | SourceKind::Seekable { name, .. } => name.clone(),
            SourceKind::Url(address) => address.shown(),
            SourceKind::File(id) => format!("file {id}"),
        }
    }
}

/// The last component of a name. The service does not get the names of folders on this machine.
fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

impl fmt::Debug for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { path, name } => f.debug_tuple("Path").field(path).field(name).finish(),
            Self::Bytes { bytes, name } => write!(f, "Bytes({name:?}, {} bytes)", bytes.len()),
            Self::Reader { name, length, .. } => write!(f, "Reader({name:?}, {length:?})"),
            Self::Seekable { name, .. } => write!(f, "Seekable({name:?})"),
            Self::Url(address) => f.debug_tuple("Url").field(address).finish(),
            Self::File(id) => f.debug_tuple("File").field(id).finish(),
        }
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::path(path)
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::path(path)
    }
}

impl From<&PathBuf> for Source {
    fn from(path: &PathBuf) -> Self {
        Self::path(path)
    }
}

impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Self::path(path)
    }
}

impl From<FileId> for Source {
    fn from(id: FileId) -> Self {
        Self::file(id)
    }
}

impl From<&FileId> for Source {
    fn from(id: &FileId) -> Self {
        Self::file(id.clone())
    }
}

/// The number of bytes in which a document is read at once.
pub(super) const CHUNK: usize = 128 * 1024;

/// A document that is open for sending.
pub(crate) struct Document {
    /// The file name that the service gets.
    pub(crate) name: String,
    length: u64,
    position: u64,
    content: Content,
    buffer: BytesMut,
}

enum Content {
    File { path: PathBuf, file: File },
    Bytes(Bytes),
    Seekable { reader: Box<dyn ReadSeek>, began: u64 },
    Spool(Spool),
}

impl Document {
    /// Opens a source on this machine. It is called before any request, so that no request is made for a document that
    /// cannot be read.
    pub(crate) async fn open(source: Source) -> Result<Self, Error> {
        let name = source.name().filter(|name| !name.is_empty()).unwrap_or_else(|| "document".to_owned());
        let (content, length) = match source.0 {
            SourceKind::Path { path, .. } => open_path(path).await?,
            SourceKind::Bytes { bytes, .. } => {
                let length = bytes.len() as u64;
                (Content::Bytes(bytes), length)
            }
            SourceKind::Reader { reader, length: Some(length), .. } => {
                (Content::Spool(Spool::new(reader)?), length)
            }
            SourceKind::Reader { reader, length: None, .. } => spool(reader).await?,
            SourceKind::Seekable { reader, .. } => measure(reader).map_err(cannot_read_source)?,
            SourceKind::Url(address) => {
                return Err(Error::invalid(format!(
                    "{} is an address, which only the service downloads",
                    address.shown()
                )));
            }
            SourceKind::File(id) => {
                return Err(Error::invalid(format!("file {id} is already in the service")));
            }
        };
        let mut document = Self { name, length, position: 0, content, buffer: BytesMut::new() };
        if length == 0 && !matches!(document.content, Content::Bytes(_)) && !is_at_end(&mut document.content)?
        {
            return Err(document.content.changed("is longer than the announced 0 bytes".to_owned()));
        }
        Ok(document)
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns to the beginning of the document.
    pub(crate) fn rewind(&mut self) -> Result<(), Error> {
        self.position = 0;
        match &mut self.content {
            Content::File { path, file } => file
                .rewind()
                .map_err(|error| Error::io(format_args!("cannot read {} again", path.display()), error)),
            Content::Bytes(_) => Ok(()),
            Content::Seekable { reader, began } => {
                reader.seek(SeekFrom::Start(*began)).map(drop).map_err(cannot_read_source)
            }
            Content::Spool(spool) => spool.rewind(),
        }
    }

    /// Reads the next chunk; `None` after the last chunk. All chunks together have exactly [`length`](Self::length)
    /// bytes: if the document turns out to be shorter or longer, an error is returned instead of the last chunk.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        debug_assert!(runtime::may_block());
        let left = self.length - self.position;
        if left == 0 {
            return Ok(None);
        }
        let wanted = CHUNK.min(usize::try_from(left).unwrap_or(CHUNK));
        let last = wanted as u64 == left;
        let chunk = match &mut self.content {
            Content::Bytes(bytes) => {
                let from = usize::try_from(self.position).unwrap_or(bytes.len());
                bytes.slice(from..from + wanted)
            }
            content => {
                self.buffer.resize(wanted, 0);
                read_exactly(content, &mut self.buffer, self.length)?;
                if last && !is_at_end(content)? {
                    return Err(
                        content.changed(format!("is longer than the announced {} bytes", self.length))
                    );
                }
                self.buffer.split().freeze()
            }
        };
        self.position += chunk.len() as u64;
        Ok(Some(chunk))
    }
}

async fn open_path(path: PathBuf) -> Result<(Content, u64), Error> {
    let shown = path.display();
    let unreadable = |error| {
        Error::io(format_args!("cannot read {shown}"), error)
            .advise("Check the path and the permission to read it")
    };
    // Opening a pipe waits until another process writes to it; reading the metadata of the pipe does not wait.
    let kind = std::fs::metadata(&path).map_err(unreadable)?;
    if kind.is_dir() {
        let error = Error::io(format_args!("cannot read {shown}"), io::ErrorKind::IsADirectory.into());
        return Err(error.advise("Pass a file, not a directory"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&kind.file_type()) {
        let mut file = tempfile::tempfile().map_err(cannot_spool)?;
        let length = super::pipe::copy(&path, &mut file).await.map_err(unreadable)?;
        file.rewind().map_err(cannot_spool)?;
        return Ok((Content::File { path, file }, length));
    }
    let file = File::open(&path).map_err(unreadable)?;
    if !kind.is_file() {
        return spool(Box::new(file)).await;
    }
    let length = file.metadata().map_err(unreadable)?.len();
    Ok((Content::File { path, file }, length))
}

/// Measures the length of `reader` from its current position to its end.
fn measure(mut reader: Box<dyn ReadSeek>) -> io::Result<(Content, u64)> {
    let began = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(began))?;
    Ok((Content::Seekable { reader, began }, end.saturating_sub(began)))
}

/// Copies the content of `reader` to a temporary file, because its length must be known before it is sent.
async fn spool(reader: Box<dyn Read + Send>) -> Result<(Content, u64), Error> {
    let mut spool = Spool::new(reader)?;
    let mut buffer = vec![0; CHUNK];
    let mut length = 0;
    loop {
        debug_assert!(runtime::may_block());
        let read = spool.read(&mut buffer).map_err(cannot_read_source)?;
        if read == 0 {
            break;
        }
        length += read as u64;
        runtime::yield_now().await;
    }
    spool.rewind()?;
    Ok((Content::Spool(spool), length))
}

fn cannot_read_source(error: io::Error) -> Error {
    Error::io("cannot read the document", error)
}

fn cannot_spool(error: io::Error) -> Error {
    Error::io("cannot create a temporary file for the document", error)
        .advise("Check TMPDIR and the free space there")
}

impl Content {
    fn changed(&self, what: String) -> Error {
        match self {
            Self::File { path, .. } => Error::new(
                ErrorKind::Io,
                format!("{} changed while it was being sent: it {what}", path.display()),
            )
            .advise("Send it again when no program writes to it any more"),
            Self::Seekable { .. } => {
                Error::invalid(format!("the document changed while it was being sent: it {what}"))
                    .advise("Send it again when no program writes to it any more")
            }
            _ => Error::invalid(format!("the document {what}")).advise("Pass its real length, or no length"),
        }
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        loop {
            let read = match self {
                Self::File { file, .. } => file.read(into),
                Self::Seekable { reader, .. } => reader.read(into),
                Self::Spool(spool) => spool.read(into),
                Self::Bytes(_) => Ok(0),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(match self {
                        Self::File { path, .. } => {
                            Error::io(format_args!("cannot read {}", path.display()), error)
                        }
                        _ => cannot_read_source(error),
                    });
                }
                Ok(read) => return Ok(read),
            }
        }
    }
}

fn read_exactly(content: &mut Content, buffer: &mut [u8], length: u64) -> Result<(), Error> {
    let mut rest = buffer;
    while !rest.is_empty() {
        let read = content.read(rest)?;
        if read == 0 {
            return Err(content.changed(format!("is shorter than the announced {length} bytes")));
        }
        rest = rest.get_mut(read..).unwrap_or_default();
    }
    Ok(())
}

fn is_at_end(content: &mut Content) -> Result<bool, Error> {
    Ok(content.read(&mut [0])? == 0)
}

/// A reader that can be read again: everything that was read is also written to a temporary file. The temporary file
/// is deleted after the call.
struct Spool {
    reader: Box<dyn Read + Send>,
    kept: File,
    length: u64,
    position: u64,
}

impl Spool {
    fn new(reader: Box<dyn Read + Send>) -> Result<Self, Error> {
        let kept = tempfile::tempfile().map_err(cannot_spool)?;
        Ok(Self { reader, kept, length: 0, position: 0 })
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.position = 0;
        self.kept.seek(SeekFrom::Start(0)).map(drop).map_err(cannot_read_source)
    }
}

impl Read for Spool {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let kept_ahead = self.length - self.position;
        let read = if kept_ahead > 0 {
            let most = into.len().min(usize::try_from(kept_ahead).unwrap_or(usize::MAX));
            self.kept.read(into.get_mut(..most).unwrap_or_default())?
        } else {
            let read = self.reader.read(into)?;
            self.kept.write_all(into.get(..read).unwrap_or_default())?;
            self.length += read as u64;
            read
        };
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    fn open(source: Source) -> Result<Document, Error> {
        block(Document::open(source))
    }

    fn drain(document: &mut Document) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        while let Some(chunk) = document.next_chunk()? {
            all.extend_from_slice(&chunk);
        }
        Ok(all)
    }

    /// A reader that returns at most three bytes at a time.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = into.len().min(3);
            self.0.read(&mut into[..most])
        }
    }

    #[test]
    fn a_reader_is_read_once_and_sent_as_often_as_needed() {
        let bytes: Vec<u8> = (0..=255).cycle().take(CHUNK + 7).collect();
        for length in [None, Some(bytes.len() as u64)] {
            let reader = Box::new(Slow(Cursor::new(bytes.clone())));
            let mut document = open(Source::reader(reader, "a.pdf", length)).unwrap();
            assert_eq!(document.length(), bytes.len() as u64);
            document.next_chunk().unwrap();
            for _ in 0..2 {
                document.rewind().unwrap();
                assert!(drain(&mut document).unwrap() == bytes);
            }
        }
    }

    #[test]
    fn a_reader_with_a_wrong_length_is_never_sent_completely() {
        for (length, says) in [(3, "longer"), (5, "shorter"), (1, "longer"), (0, "longer")] {
            let opened = open(Source::reader(Box::new(&b"four"[..]), "a.pdf", Some(length)));
            let error = opened.and_then(|mut document| drain(&mut document)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_seekable_reader_is_sent_from_its_position_as_often_as_needed() {
        let bytes: Vec<u8> = (0..=255).cycle().take(CHUNK + 7).collect();
        let mut reader = Cursor::new([b"before", &bytes[..]].concat());
        reader.set_position(6);
        let mut document = open(Source::seekable(Box::new(reader), "a.pdf")).unwrap();
        assert_eq!(document.length(), bytes.len() as u64);
        document.next_chunk().unwrap();
        for _ in 0..2 {
            document.rewind().unwrap();
            assert!(drain(&mut document).unwrap() == bytes);
        }
        let mut beyond = Cursor::new(b"four");
        beyond.set_position(9);
        assert!(drain(&mut open(Source::seekable(Box::new(beyond), "a.pdf")).unwrap()).unwrap().is_empty());
    }

    #[test]
    fn a_seekable_reader_that_changes_while_it_is_sent_is_never_sent_completely() {
        for (kept, says) in [(3, "shorter"), (9, "longer")] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"12345").unwrap();
            file.rewind().unwrap();
            let mut document = open(Source::seekable(Box::new(file.try_clone().unwrap()), "a.pdf")).unwrap();
            file.set_len(kept).unwrap();
            let error = drain(&mut document).unwrap_err();
            assert!(error.message().contains("changed") && error.message().contains(says), "{error}");
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_sent_is_never_sent_completely() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"12345").unwrap();
        let mut document = open(file.path().into()).unwrap();
        std::fs::write(file.path(), b"1234567").unwrap();
        assert_eq!(drain(&mut document).unwrap_err().kind(), ErrorKind::Io);
    }

    #[test]
    fn an_unreadable_file_is_reported_before_any_request() {
        for (path, kind) in [("/no/such.pdf", io::ErrorKind::NotFound), ("/", io::ErrorKind::IsADirectory)] {
            assert_eq!(open(path.into()).err().unwrap().io_kind(), Some(kind));
        }
    }

    #[test]
    fn the_service_gets_the_last_component_of_a_name() {
        assert_eq!(Source::path("/home/me/secret/a.pdf").name().as_deref(), Some("a.pdf"));
        assert_eq!(Source::bytes(&b""[..], "C:\\me\\b.pdf").name().as_deref(), Some("b.pdf"));
        assert_eq!(Source::path("/home/me/a.pdf").named("/tmp/b.pdf").name().as_deref(), Some("b.pdf"));
        assert_eq!(Source::file(FileId::new("1")).named("c.pdf").name(), None);
    }
}
