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

/// Contents as files in a directory.
pub(crate) struct Folder {
    /// Shared with what reads and writes in it.
    place: Arc<Place>,
    room: Arc<Room>,
}

/// Where a [`Folder`] is.
enum Place {
    /// In a private directory that is removed after the last that uses it.
    Private(PrivateFolder),
    /// In a directory that stays. What is written is on the disk before it is a content.
    #[cfg(feature = "durable")]
    Kept(PathBuf),
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Self::Private(directory) => directory.path(),
            #[cfg(feature = "durable")]
            Self::Kept(path) => path,
        }
    }

    /// Makes a whole file outlast a loss of power, where it is to outlast anything.
    #[cfg_attr(not(feature = "durable"), allow(unused_variables, reason = "nothing is"))]
    fn settle(&self, file: &File) -> io::Result<()> {
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
    /// A fresh private directory (0700) below `parent`, for at most `capacity` bytes.
    pub(crate) fn create_in(parent: &Path, capacity: u64) -> io::Result<Self> {
        let directory = PrivateFolder::create_in(parent)?;
        Ok(Self {
            place: Arc::new(Place::Private(directory)),
            room: Arc::new(Room { used: AtomicU64::new(0), capacity }),
        })
    }

    /// The directory `path`, which nobody else uses and which stays; for at most `capacity` bytes. Files in it that
    /// are none of `contents` were being written, or about to be removed, when a process was killed: they go.
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
            tracing::info!(files = left_over, "files that belonged to nothing were removed");
        }
        let used = AtomicU64::new(contents.iter().map(|content| content.size).sum());
        Ok(Self { place: Arc::new(Place::Kept(path.to_owned())), room: Arc::new(Room { used, capacity }) })
    }

    /// Removes, in the background, what killed services left beside this directory.
    pub(crate) fn remove_abandoned(&self) {
        let place = Arc::clone(&self.place);
        spawn_blocking(move || {
            let removed = match &*place {
                Place::Private(directory) => directory.remove_abandoned(),
                #[cfg(feature = "durable")]
                Place::Kept(_) => Ok(()),
            };
            if let Err(error) = removed {
                tracing::debug!(%error, "abandoned directories could not be looked for");
            }
        });
    }

    fn path(&self, key: &str) -> PathBuf {
        self.place.path().join(key)
    }
}

impl Storage for Folder {
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>> {
        Box::pin(async move {
            let key = identifier()?;
            let path = self.path(&key);
            let claim = Claim { room: Arc::clone(&self.room), bytes: 0 };
            let partial = Partial { path, kept: false, place: Arc::clone(&self.place) };
            let made = spawn_blocking(move || {
                let file = File::options().write(true).create_new(true).open(&partial.path)?;
                io::Result::Ok((file, partial))
            });
            let (file, partial) = made.await??;
            Ok(Box::new(FileWriter { file: Some((file, partial)), key, claim }) as _)
        })
    }

    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
        Box::pin(stream::try_unfold(
            (Source::Closed(self.path(&content.key)), range),
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
                    io::Result::Ok((Bytes::from(chunk), (Source::Open(file), next)))
                });
                read.await?.map(Some)
            },
        ))
    }

    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>> {
        let (path, size) = (self.path(&content.key), content.size);
        Box::pin(async move {
            spawn_blocking(move || fs::remove_file(path)).await??;
            self.room.give_back(size);
            Ok(())
        })
    }
}

enum Source {
    Closed(PathBuf),
    Open(File),
}

impl Source {
    /// The file, opened and placed at `start` on first use.
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
    file: Option<(File, Partial)>,
    key: String,
    claim: Claim,
}

impl ContentWriter for FileWriter {
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.claim.grow(bytes.len() as u64)?;
            // A write that failed, or that was given up half-way, took the file with it.
            let (mut file, partial) = self.file.take().ok_or_else(failed_before)?;
            let written = spawn_blocking(move || file.write_all(&bytes).map(|()| (file, partial)));
            self.file = Some(written.await??);
            Ok(())
        })
    }

    fn finish(mut self: Box<Self>) -> BoxFuture<'static, io::Result<Content>> {
        Box::pin(async move {
            let (file, partial) = self.file.take().ok_or_else(failed_before)?;
            let settled = spawn_blocking(move || partial.place.settle(&file).map(|()| partial));
            let mut partial = settled.await??;
            partial.kept = true;
            Ok(Content { key: std::mem::take(&mut self.key), size: self.claim.keep() })
        })
    }
}

/// A file that is removed unless it was kept.
struct Partial {
    path: PathBuf,
    kept: bool,
    place: Arc<Place>,
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed goes with the private directory, or when the kept one is opened again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How many bytes are used of how many.
struct Room {
    used: AtomicU64,
    capacity: u64,
}

impl Room {
    fn take(&self, bytes: u64) -> io::Result<()> {
        let within = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.capacity);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        taken.map(drop).map_err(|_| io::ErrorKind::StorageFull.into())
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Room taken by a content that is being written; given back unless kept.
struct Claim {
    room: Arc<Room>,
    bytes: u64,
}

impl Claim {
    fn grow(&mut self, bytes: u64) -> io::Result<()> {
        self.room.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    fn keep(&mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.room.give_back(self.bytes);
    }
}
