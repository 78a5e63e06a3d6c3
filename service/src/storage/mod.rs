//! Storage of file bytes: the trait, and its implementations in a folder and in an S3 bucket.

#[cfg(feature = "shared")]
mod bucket;
#[cfg(feature = "durable")]
mod data_dir;
mod folder;
mod private_folder;
mod receive;

#[cfg(feature = "shared")]
pub(crate) use bucket::{Bucket, BucketAddress, Reserve, UPLOADS};
#[cfg(feature = "durable")]
pub(crate) use data_dir::DataDirectory;
pub(crate) use folder::Folder;
pub use private_folder::remove_folders_at_exit;
pub(crate) use private_folder::{PrivateFolder, remove_after_owner};
pub(crate) use receive::{Pace, ReceiveError, receive};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// The number of bytes that are read at a time.
const CHUNK: u64 = 128 << 10;

/// The complete bytes of one file. A content never changes: another upload creates another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The name of the content in the storage. This name is also used as the entity tag.
    pub(crate) key: String,
    /// The length of the content in bytes.
    pub(crate) size: u64,
}

/// Stores bytes, in a folder or in an object store.
pub(crate) trait Storage: Send + Sync {
    /// Starts to write a new content.
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>>;
    /// The bytes of `range`. The range must be within the content.
    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>>;
    /// Opens the file of a content, only for reading. `None` if this storage does not keep contents as files.
    fn open(&self, _: &Content) -> BoxFuture<'_, io::Result<Option<File>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Removes a content. A read that has already started may continue.
    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>>;
    /// The private folder of the service, which contains the bytes and is removed when the service ends. `None` if the
    /// bytes are kept.
    fn private_folder(&self) -> Option<&Path> {
        None
    }
    /// The direct access for clients. `None` if this storage has no direct access.
    fn direct(&self) -> Option<&dyn Direct> {
        None
    }
}

/// A storage that clients can access directly: uploads and downloads do not pass through the service.
pub(crate) trait Direct: Send + Sync {
    /// The presigned address to which a client uploads a file.
    fn upload_url(&self, file: &str, lifetime: Duration) -> BoxFuture<'_, io::Result<String>>;
    /// The presigned address for the download of a content. The response has the header `Content-Disposition` with the
    /// value `disposition`.
    fn download_url(
        &self,
        content: &Content,
        disposition: String,
        lifetime: Duration,
    ) -> BoxFuture<'_, io::Result<String>>;
    /// The content that a client has uploaded for a file. `None` if no upload has arrived.
    fn uploaded(&self, file: &str) -> BoxFuture<'_, io::Result<Option<Content>>>;
}

/// Writes a new content. If the writer is dropped before [`finish`](Self::finish), no bytes remain in the storage.
pub(crate) trait ContentWriter: Send {
    /// Appends bytes. Fails with [`io::ErrorKind::StorageFull`] when the storage is full.
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>>;
    /// Completes the content, and returns it.
    fn finish(self: Box<Self>) -> BoxFuture<'static, io::Result<Content>>;
}

fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// Syncs the names of the files in a folder to the disk.
#[cfg(feature = "durable")]
fn sync_directory(path: &Path) -> io::Result<()> {
    // Windows syncs the names itself, and does not allow a program to open a folder as a file.
    if cfg!(unix) { std::fs::File::open(path)?.sync_all() } else { Ok(()) }
}
