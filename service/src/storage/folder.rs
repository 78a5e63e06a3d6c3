//! Contents as files in a folder.

use super::private_folder::PrivateFolder;
#[cfg(feature = "durable")]
use super::sync_directory;
use super::{CHUNK, Content, ContentWriter, Storage, failed_before};
use crate::ids::identifier;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::spawn_blocking;

/// A storage that keeps each content as a file in a folder.
pub(crate) struct Folder {
    /// Shared with all readers and writers of contents.
    location: Arc<Location>,
    capacity: Arc<Capacity>,
}

/// The folder in which a [`Folder`] keeps its files.
enum Location {
    /// A private folder. It is removed when the last user of this location is dropped.
    Private(PrivateFolder),
    /// A folder that is kept after the service has ended. A file in this folder is synced to the disk before the file
    /// becomes a content.
    #[cfg(feature = "durable")]
    Kept(PathBuf),
}

impl Location {
    fn path(&self) -> &Path {
        match self {
            Self::Private(directory) => directory.path(),
            #[cfg(feature = "durable")]
            Self::Kept(path) => path,
        }
    }

    /// Syncs a complete file to the disk, if the folder is kept.
    #[cfg_attr(not(feature = "durable"), allow(unused_variables, reason = "private folders are not synced"))]
    fn sync(&self, file: &File) -> io::Result<()> {
        match self {
            Self::Private(_) => Ok(()),
            #[cfg(feature = "durable")]
            Self::Kept(path) => {
                file.sync_all()?;
                sync_directory(path)
            }
        }
    }
}

impl Folder {
    /// Creates a storage in a new private folder (0700) below `parent`, for at most `capacity` bytes.
    pub(crate) fn create_in(parent: &Path, capacity: u64) -> io::Result<Self> {
        let directory = PrivateFolder::create_in(parent)?;
        Ok(Self {
            location: Arc::new(Location::Private(directory)),
            capacity: Arc::new(Capacity { used: AtomicU64::new(0), limit: capacity }),
        })
    }

    /// Creates a storage in the existing folder `path`, which no other process may use, for at most `capacity` bytes.
    /// Files in this folder that are not in `contents` are deleted: a process was killed while it wrote or removed
    /// these files.
    #[cfg(feature = "durable")]
    pub(crate) fn keep_in(path: &Path, capacity: u64, contents: &[Content]) -> io::Result<Self> {
        let known: std::collections::HashSet<&str> =
            contents.iter().map(|content| content.key.as_str()).collect();
        let mut left_over = 0_usize;
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| known.contains(name)) {
                fs::remove_file(entry.path())?;
                left_over += 1;
            }
        }
        if left_over > 0 {
            tracing::info!(files = left_over, "removed stored files that no record refers to");
        }
        let used = AtomicU64::new(contents.iter().map(|content| content.size).sum());
        Ok(Self {
            location: Arc::new(Location::Kept(path.to_owned())),
            capacity: Arc::new(Capacity { used, limit: capacity }),
        })
    }

    /// Removes the private folders next to this folder that belonged to killed services. Runs in the background.
    pub(crate) fn remove_abandoned(&self) {
        let location = Arc::clone(&self.location);
        spawn_blocking(move || {
            let removed = match &*location {
                Location::Private(directory) => directory.remove_abandoned(),
                #[cfg(feature = "durable")]
                Location::Kept(_) => Ok(()),
            };
            if let Err(error) = removed {
                tracing::debug!(%error, "could not look for abandoned folders");
            }
        });
    }

    fn path(&self, key: &str) -> PathBuf {
        self.location.path().join(key)
    }
}

impl Storage for Folder {
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>> {
        Box::pin(async move {
            let key = identifier()?;
            let path = self.path(&key);
            let reservation = Reservation { capacity: Arc::clone(&self.capacity), bytes: 0 };
            let partial = PartialFile { path, kept: false, location: Arc::clone(&self.location) };
            let created = spawn_blocking(move || {
                let file = File::options().write(true).create_new(true).open(&partial.path)?;
                io::Result::Ok((file, partial))
            });
            let (file, partial) = created.await??;
            Ok(Box::new(FileWriter { file: Some((file, partial)), key, reservation }) as _)
        })
    }

    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
        Box::pin(stream::try_unfold(
            (Reader::Closed(self.path(&content.key)), range),
            |(source, range)| async move {
                if range.is_empty() {
                    return Ok(None);
                }
                let read = spawn_blocking(move || {
                    let mut file = source.open_at(range.start)?;
                    let mut chunk =
                        vec![0; usize::try_from(CHUNK.min(range.end - range.start)).unwrap_or(usize::MAX)];
                    file.read_exact(&mut chunk)?;
                    let next = range.start + chunk.len() as u64..range.end;
                    io::Result::Ok((Bytes::from(chunk), (Reader::Open(file), next)))
                });
                read.await?.map(Some)
            },
        ))
    }

    fn open(&self, content: &Content) -> BoxFuture<'_, io::Result<Option<File>>> {
        let path = self.path(&content.key);
        Box::pin(async move { Ok(Some(spawn_blocking(move || File::open(path)).await??)) })
    }

    fn private_folder(&self) -> Option<&Path> {
        match &*self.location {
            Location::Private(directory) => Some(directory.path()),
            #[cfg(feature = "durable")]
            Location::Kept(_) => None,
        }
    }

    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>> {
        let (path, size) = (self.path(&content.key), content.size);
        Box::pin(async move {
            spawn_blocking(move || fs::remove_file(path)).await??;
            self.capacity.release(size);
            Ok(())
        })
    }
}

enum Reader {
    Closed(PathBuf),
    Open(File),
}

impl Reader {
    /// The open file. The first use opens the file, and moves to the position `start`.
    fn open_at(self, start: u64) -> io::Result<File> {
        match self {
            Self::Open(file) => Ok(file),
            Self::Closed(path) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(start))?;
                Ok(file)
            }
        }
    }
}

struct FileWriter {
    file: Option<(File, PartialFile)>,
    key: String,
    reservation: Reservation,
}

impl ContentWriter for FileWriter {
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.reservation.grow(bytes.len() as u64)?;
            // If an earlier write failed or was dropped before its end, `self.file` is `None`.
            let (mut file, partial) = self.file.take().ok_or_else(failed_before)?;
            let written = spawn_blocking(move || file.write_all(&bytes).map(|()| (file, partial)));
            self.file = Some(written.await??);
            Ok(())
        })
    }

    fn finish(mut self: Box<Self>) -> BoxFuture<'static, io::Result<Content>> {
        Box::pin(async move {
            let (file, partial) = self.file.take().ok_or_else(failed_before)?;
            let synced = spawn_blocking(move || partial.location.sync(&file).map(|()| partial));
            let mut partial = synced.await??;
            partial.kept = true;
            Ok(Content { key: std::mem::take(&mut self.key), size: self.reservation.keep() })
        })
    }
}

/// A file that is being written. The file is removed on drop, unless `kept` is `true`.
struct PartialFile {
    path: PathBuf,
    kept: bool,
    location: Arc<Location>,
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.kept {
            // An error is ignored: the file is then removed with the private folder, or when the kept folder is opened
            // again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How many bytes are used, and how many bytes may be used.
struct Capacity {
    used: AtomicU64,
    limit: u64,
}

impl Capacity {
    fn take(&self, bytes: u64) -> io::Result<()> {
        let within = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.limit);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        taken.map(drop).map_err(|_| io::ErrorKind::StorageFull.into())
    }

    fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The capacity that a content reserves while it is being written. The capacity is released on drop, unless the content
/// is kept.
struct Reservation {
    capacity: Arc<Capacity>,
    bytes: u64,
}

impl Reservation {
    fn grow(&mut self, bytes: u64) -> io::Result<()> {
        self.capacity.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    fn keep(&mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.capacity.release(self.bytes);
    }
}
