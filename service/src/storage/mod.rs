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
pub(crate) use private_folder::PrivateFolder;
pub(crate) use receive::{ReceiveError, receive};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use std::io;
use std::ops::Range;
use std::time::Duration;

/// The bytes of one read.
const CHUNK: u64 = 128 << 10;

/// The complete bytes of one file. They never change: another upload creates another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// Its name in the storage; also used as its entity tag.
    pub(crate) key: String,
    /// Its length in bytes.
    pub(crate) size: u64,
}

/// Stores bytes, in a folder or in an object store.
pub(crate) trait Storage: Send + Sync {
    /// Starts writing a new content.
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>>;
    /// The bytes of `range`, which lies within the content.
    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>>;
    /// Removes a content. Reads that have started may finish.
    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>>;
    /// The direct access for clients, if this storage has it.
    fn direct(&self) -> Option<&dyn Direct> {
        None
    }
}

/// A storage that clients upload to and download from directly, without the service in between.
pub(crate) trait Direct: Send + Sync {
    /// The presigned address that a client uploads a file to.
    fn upload_url(&self, file: &str, lifetime: Duration) -> BoxFuture<'_, io::Result<String>>;
    /// The presigned address of a content; the download has this `Content-Disposition`.
    fn download_url(
        &self,
        content: &Content,
        disposition: String,
        lifetime: Duration,
    ) -> BoxFuture<'_, io::Result<String>>;
    /// What a client has uploaded for a file, if anything.
    fn uploaded(&self, file: &str) -> BoxFuture<'_, io::Result<Option<Content>>>;
}

/// Writes a new content. If it is dropped before [`finish`](Self::finish), nothing remains.
pub(crate) trait ContentWriter: Send {
    /// Appends bytes. Fails with [`io::ErrorKind::StorageFull`] when the storage is full.
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>>;
    /// Completes the content.
    fn finish(self: Box<Self>) -> BoxFuture<'static, io::Result<Content>>;
}

fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// Syncs the names in a folder to the disk.
#[cfg(feature = "durable")]
fn sync_directory(path: &std::path::Path) -> io::Result<()> {
    // Windows does this itself, and cannot open a folder as a file.
    if cfg!(unix) { std::fs::File::open(path)?.sync_all() } else { Ok(()) }
}
