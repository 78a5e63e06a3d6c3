//! Where bytes are kept: the trait, and its forms in a folder and in a bucket.

#[cfg(feature = "shared")]
mod bucket;
#[cfg(feature = "durable")]
mod data_dir;
mod folder;
mod private_folder;
mod receive;

#[cfg(feature = "shared")]
pub(crate) use bucket::{Bucket, Place as BucketPlace, Reserve, UPLOADS};
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

/// How many bytes a read takes at a time.
const CHUNK: u64 = 128 << 10;

/// The bytes of one file, once they are all there. They never change: another upload makes another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The storage's name for it, also its entity tag.
    pub(crate) key: String,
    /// How many bytes.
    pub(crate) size: u64,
}

/// Keeps bytes. An object store fits as well as a directory.
pub(crate) trait Storage: Send + Sync {
    /// Begins a new content.
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>>;
    /// The bytes of `range`, which lies within the content.
    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>>;
    /// Removes a content; one that is being read may be read to its end.
    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>>;
    /// Itself, where clients reach it without the service.
    fn direct(&self) -> Option<&dyn Direct> {
        None
    }
}

/// A storage that clients send bytes to, and fetch them from, without the service.
pub(crate) trait Direct: Send + Sync {
    /// Where the bytes of a file are sent to.
    fn upload_url(&self, file: &str, lifetime: Duration) -> BoxFuture<'_, io::Result<String>>;
    /// Where a content is fetched, with the `Content-Disposition` that it then has.
    fn download_url(
        &self,
        content: &Content,
        disposition: String,
        lifetime: Duration,
    ) -> BoxFuture<'_, io::Result<String>>;
    /// What was sent for a file, if it is there.
    fn arrived(&self, file: &str) -> BoxFuture<'_, io::Result<Option<Content>>>;
}

/// Takes the bytes of a new content. Dropped before [`finish`](Self::finish), it leaves nothing behind.
pub(crate) trait ContentWriter: Send {
    /// Takes the next bytes. [`io::ErrorKind::StorageFull`] when there is no room.
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>>;
    /// Makes the content what was written.
    fn finish(self: Box<Self>) -> BoxFuture<'static, io::Result<Content>>;
}

fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// Makes the names in a directory outlast a loss of power.
#[cfg(feature = "durable")]
fn sync_directory(path: &std::path::Path) -> io::Result<()> {
    // Windows does so by itself, and opens no directory.
    if cfg!(unix) { std::fs::File::open(path)?.sync_all() } else { Ok(()) }
}
