//! What the service knows: files, operations, and which work waits. The trait, with its forms in memory (`memory.rs`)
//! and in a database (`sql.rs`).
//!
//! A durable registry keeps the same promises over a database: each method is one transaction, `claim` hands each
//! piece of work to one worker, and `finish` counts once.

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

/// What a registry answers, or why it cannot.
pub(crate) type RegistryFuture<'a, T> = BoxFuture<'a, Result<T, RegistryError>>;

/// The registry cannot be reached or failed; the request may be tried again.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub(crate) struct RegistryError(pub(crate) String);

/// How much may be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    pub(crate) files: usize,
    /// Of a storage that does not count them itself.
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

/// How a file came to the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Local,
    Url,
    Result,
}

impl Origin {
    /// The value on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "fromLocal",
            Self::Url => "fromUrl",
            Self::Result => "result",
        }
    }
}

/// A file, or the ticket for one while it has no content.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub(crate) id: String,
    pub(crate) created: SystemTime,
    pub(crate) origin: Origin,
    pub(crate) name: String,
    pub(crate) content: Option<Content>,
}

/// An operation as it was accepted.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) id: String,
    pub(crate) options: Options,
    pub(crate) input: String,
    pub(crate) accepted: SystemTime,
}

/// A worker's hold on an operation. It is lost when it is not renewed in time, and when the operation ends otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) operation: String,
    /// Tells this hold from those before and after it.
    pub(crate) holder: String,
}

/// A piece of work in the hands of one worker.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) lease: Lease,
    pub(crate) options: Options,
    pub(crate) input_name: String,
    pub(crate) input: Content,
}

/// What is known of an operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationEntry {
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None` while it waits or runs.
    pub(crate) outcome: Option<Outcome>,
}

/// An operation in the list of the latest.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    pub(crate) id: String,
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None`, like `outcome`, while it waits or runs.
    pub(crate) ended: Option<SystemTime>,
    pub(crate) outcome: Option<Outcome>,
}

/// How an operation ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// With a file, known by this identifier.
    File { id: String, name: String, notes: Vec<String> },
    /// With a validation report.
    Report(ValidationReport),
    /// Without.
    Failed { code: String, detail: String },
}

/// Whether a file or ticket was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Yes,
    /// There are as many as there may be.
    TooMany,
    /// There are as many bytes as there may be, where the storage does not count them itself.
    #[cfg_attr(not(feature = "durable"), allow(dead_code, reason = "what is in memory has such a storage"))]
    NoRoom,
}

/// Whether a file's content could be set.
#[derive(Debug)]
pub(crate) enum Placed {
    /// It is; this was the content before it, and is no longer used.
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

/// What went with a file that was removed, or with several that expired.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Contents that nothing names any more.
    pub(crate) contents: Vec<Content>,
    /// Operations that can no longer finish, to be stopped where they run.
    pub(crate) operations: Vec<String>,
}

/// Keeps files, operations and the queue of work.
pub(crate) trait Registry: Send + Sync {
    /// Adds a file or ticket.
    fn add_file(&self, file: FileEntry) -> RegistryFuture<'_, Added>;
    /// Gives a ticket its content, or replaces it: an upload whose answer was lost is sent again.
    fn place(&self, file: &str, content: Content) -> RegistryFuture<'_, Placed>;
    /// One file or ticket.
    fn file(&self, id: &str) -> RegistryFuture<'_, Option<FileEntry>>;
    /// All files that have content, oldest first.
    fn files(&self) -> RegistryFuture<'_, Vec<FileEntry>>;
    /// The identifiers of the tickets that have no content yet.
    fn tickets(&self) -> RegistryFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Removes a file; operations on it that wait or run fail as cancelled. `None` when there is no such file.
    fn remove_file(&self, id: &str) -> RegistryFuture<'_, Option<Removed>>;
    /// Accepts an operation and queues its work.
    fn submit(&self, submission: Submission) -> RegistryFuture<'_, Accepted>;
    /// Waits for work and takes it; `None` when `until` resolves first. To be awaited to its end: work that was taken
    /// when nobody waited any more would be nobody's until its lease runs out.
    fn claim<'a>(&'a self, until: BoxFuture<'a, ()>) -> RegistryFuture<'a, Option<Work>>;
    /// How often a lease must be renewed; `None` where it is never lost to time.
    fn renewal(&self) -> Option<Duration> {
        None
    }
    /// Renews a lease; `false` when it is lost.
    fn renew(&self, lease: &Lease) -> RegistryFuture<'_, bool>;
    /// Gives a lease up, so that the operation waits again.
    fn release(&self, lease: &Lease) -> RegistryFuture<'_, ()>;
    /// Ends an operation, with the file that it made. `false` when it had ended before, or the lease is lost: then the
    /// file is not added. What has been recorded may be recorded again, which changes nothing and is `true`.
    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> RegistryFuture<'_, bool>;
    /// One operation.
    fn operation(&self, id: &str) -> RegistryFuture<'_, Option<OperationEntry>>;
    /// The operations accepted last, at most `most`, the newest first.
    fn latest(&self, most: usize) -> RegistryFuture<'_, Vec<Latest>>;
    /// How many operations wait for a worker.
    fn waiting(&self) -> RegistryFuture<'_, u64>;
    /// Waits until the operation has ended, or is not known.
    fn ended(&self, id: &str) -> RegistryFuture<'_, ()>;
    /// Removes what is older than `before`: files and tickets that no operation needs, and ended operations.
    fn expire(&self, before: SystemTime) -> RegistryFuture<'_, Removed>;
    /// Removes all files and operations.
    #[cfg(feature = "test-controls")]
    fn clear(&self) -> RegistryFuture<'_, Removed>;
    /// Is told of a content before it is written, so that it is removed if no file ever names it. Only a storage that
    /// cannot tell what belongs to nothing needs this.
    #[cfg_attr(not(feature = "shared"), allow(dead_code, reason = "only a bucket does"))]
    fn reserve(&self, _key: &str) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// Contents that belong to nothing and are to be removed; those that were are [forgotten](Self::forget).
    fn garbage(&self) -> RegistryFuture<'_, Vec<Content>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Is told that these contents are no more.
    fn forget(&self, _contents: Vec<Content>) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
