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
    /// Shared with readers and writers.
    location: Arc<Location>,
    capacity: Arc<Capacity>,
}

/// Where a [`Folder`] is.
enum Location {
    /// A private folder, removed when nothing uses it any more.
    Private(PrivateFolder),
    /// A folder that stays. A file is synced to the disk before it becomes a content.
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

    /// Syncs a complete file to the disk, if the folder stays.
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
    /// A new private folder (0700) below `parent`, for at most `capacity` bytes.
    pub(crate) fn create_in(parent: &Path, capacity: u64) -> io::Result<Self> {
        let directory = PrivateFolder::create_in(parent)?;
        Ok(Self {
            location: Arc::new(Location::Private(directory)),
            capacity: Arc::new(Capacity { used: AtomicU64::new(0), limit: capacity }),
        })
    }

    /// The existing folder `path`, which nothing else uses, for at most `capacity` bytes. Files in it that are not in
    /// `contents` were being written or removed when a process was killed; they are deleted.
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
            tracing::info!(files = left_over, "removed files that no record names");
        }
        let used = AtomicU64::new(contents.iter().map(|content| content.size).sum());
        Ok(Self {
            location: Arc::new(Location::Kept(path.to_owned())),
            capacity: Arc::new(Capacity { used, limit: capacity }),
        })
    }

    /// Removes, in the background, the private folders that killed services left next to this one.
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
    /// The file; the first use opens it and seeks to `start`.
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
            // A write that failed or was dropped half-way has taken the file with it.
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

/// A file being written; removed on drop unless it was kept.
struct PartialFile {
    path: PathBuf,
    kept: bool,
    location: Arc<Location>,
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.kept {
            // If this fails, the file is removed with the private folder, or when the kept folder is opened again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How many bytes are used, and how many may be.
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

/// The capacity taken by a content that is being written; released on drop unless kept.
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
