//! The registry of files, operations and queued work: the trait, and its implementations in memory (`memory.rs`) and in a
//! database (`sql/`).
//!
//! In a database, each method is one transaction; `claim` gives an operation to only one worker, and `finish` takes effect
//! only once.

mod memory;
#[cfg(feature = "durable")]
mod sql;

pub(crate) use memory::Memory;
#[cfg(feature = "shared")]
pub(crate) use sql::{Uploads, connect_postgres};
#[cfg(feature = "durable")]
pub(crate) use sql::{Vault, fresh_key, open_sqlite};

use crate::limits::Limits;
use crate::storage::Content;
use futures_util::future::BoxFuture;
use recto_interface::{OperationKind, Options, ValidationReport};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// The result of a registry method.
pub(crate) type RegistryFuture<'a, T> = BoxFuture<'a, Result<T, RegistryError>>;

/// The registry failed or cannot be reached; the request may be tried again.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub(crate) struct RegistryError(pub(crate) String);

/// The limits of what is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    pub(crate) files: usize,
    /// For a storage that does not count its bytes itself.
    #[cfg_attr(not(feature = "shared"), allow(dead_code))]
    pub(crate) bytes: u64,
    pub(crate) operations: usize,
    pub(crate) results: usize,
}

impl Quota {
    pub(crate) fn of(limits: &Limits) -> Self {
        Self {
            files: limits.files,
            bytes: limits.stored_bytes,
            operations: limits.operations,
            results: limits.results,
        }
    }
}

/// Where a file came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Local,
    Url,
    Result,
}

impl Origin {
    /// Its value in JSON.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "fromLocal",
            Self::Url => "fromUrl",
            Self::Result => "result",
        }
    }
}

/// A file, or an upload ticket while it has no content.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub(crate) id: String,
    pub(crate) created: SystemTime,
    pub(crate) origin: Origin,
    pub(crate) name: String,
    pub(crate) content: Option<Content>,
}

/// An operation to accept.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) id: String,
    pub(crate) options: Options,
    pub(crate) input: String,
    pub(crate) accepted: SystemTime,
}

/// A worker's lease on an operation. It is lost if it is not renewed in time, or if the operation ends otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) operation: String,
    /// Distinguishes this lease from others on the same operation.
    pub(crate) holder: String,
}

/// An operation that a worker has taken.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) lease: Lease,
    pub(crate) options: Options,
    pub(crate) input_name: String,
    pub(crate) input: Content,
}

/// The state of an operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationEntry {
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None` while it waits or runs.
    pub(crate) outcome: Option<Outcome>,
}

/// An operation in the list of the most recent ones.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    pub(crate) id: String,
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None` while it waits or runs, as `outcome`.
    pub(crate) ended: Option<SystemTime>,
    pub(crate) outcome: Option<Outcome>,
}

/// How an operation ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// With a result file, which has this identifier.
    File { id: String, name: String, notes: Vec<String> },
    /// With a validation report.
    Report(ValidationReport),
    /// It failed.
    Failed { code: String, detail: String },
}

/// Whether a file or ticket was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Yes,
    /// The limit of files is reached.
    TooMany,
    /// The limit of bytes is reached. Only for a storage that does not count its bytes itself.
    #[cfg_attr(
        not(feature = "durable"),
        allow(dead_code, reason = "with a registry in memory, the storage counts")
    )]
    NoRoom,
}

/// Whether a file's content could be set.
#[derive(Debug)]
pub(crate) enum Placed {
    /// It was set; the replaced content is no longer used.
    Done { replaced: Option<Content> },
    /// An operation has used the file.
    InUse,
    /// There is no such file.
    Unknown,
}

/// Whether an operation was accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Yes,
    NoSuchFile,
    NotUploaded,
    TooMany,
}

/// What remains to be done after files were removed.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Contents that no file names any more, to be deleted.
    pub(crate) contents: Vec<Content>,
    /// Operations that were cancelled, to be stopped where they run.
    pub(crate) operations: Vec<String>,
}

/// Keeps files, operations and the queue of work.
pub(crate) trait Registry: Send + Sync {
    /// Adds a file or ticket.
    fn add_file(&self, file: FileEntry) -> RegistryFuture<'_, Added>;
    /// Sets the content of a ticket. Replaces an earlier one, because a client that got no response uploads again.
    fn place(&self, file: &str, content: Content) -> RegistryFuture<'_, Placed>;
    /// One file or ticket.
    fn file(&self, id: &str) -> RegistryFuture<'_, Option<FileEntry>>;
    /// All files that have content, oldest first.
    fn files(&self) -> RegistryFuture<'_, Vec<FileEntry>>;
    /// The identifiers of tickets without content.
    fn tickets(&self) -> RegistryFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Removes a file; operations on it that wait or run fail with `cancelled`. `None` if there is no such file.
    fn remove_file(&self, id: &str) -> RegistryFuture<'_, Option<Removed>>;
    /// Accepts an operation and queues its work.
    fn submit(&self, submission: Submission) -> RegistryFuture<'_, Accepted>;
    /// Waits for an operation and takes it; `None` if `until` resolves first. The future must not be dropped: an operation
    /// that it has just taken would wait until its lease expires.
    fn claim<'a>(&'a self, until: BoxFuture<'a, ()>) -> RegistryFuture<'a, Option<Work>>;
    /// How often a lease must be renewed; `None` if leases do not expire.
    fn renewal(&self) -> Option<Duration> {
        None
    }
    /// Renews a lease; `false` if it is lost.
    fn renew(&self, lease: &Lease) -> RegistryFuture<'_, bool>;
    /// Releases a lease: the operation is queued again.
    fn release(&self, lease: &Lease) -> RegistryFuture<'_, ()>;
    /// Ends an operation, and adds its result file. `false` if it had ended before or the lease is lost; then the file is
    /// not added. Repeating a call that succeeded changes nothing and returns `true`.
    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> RegistryFuture<'_, bool>;
    /// One operation.
    fn operation(&self, id: &str) -> RegistryFuture<'_, Option<OperationEntry>>;
    /// The most recently accepted operations, at most `most`, the newest first.
    fn latest(&self, most: usize) -> RegistryFuture<'_, Vec<Latest>>;
    /// How many operations wait for a worker.
    fn waiting(&self) -> RegistryFuture<'_, u64>;
    /// Waits until the operation has ended or is unknown.
    fn ended(&self, id: &str) -> RegistryFuture<'_, ()>;
    /// Removes files and tickets that are older than `before` and that no operation needs, and ended operations.
    fn expire(&self, before: SystemTime) -> RegistryFuture<'_, Removed>;
    /// Removes all files and operations.
    #[cfg(feature = "test-controls")]
    fn clear(&self) -> RegistryFuture<'_, Removed>;
    /// Records the key of a content before it is written, so that it is deleted if no file ever names it. Only a storage
    /// shared by several processes needs this.
    #[cfg_attr(not(feature = "shared"), allow(dead_code, reason = "only a bucket does"))]
    fn reserve(&self, _key: &str) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// Contents that no file names, to be deleted and then [reported](Self::contents_deleted).
    fn garbage(&self) -> RegistryFuture<'_, Vec<Content>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Records that these contents were deleted.
    fn contents_deleted(&self, _contents: Vec<Content>) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
