//! The registry of files, operations and queued work: the trait, and its implementations in memory (`memory.rs`) and in
//! a database (`sql/`).
//!
//! In a database, each method is one transaction. `claim` gives an operation to only one worker, and `finish` takes
//! effect only once.

mod memory;
#[cfg(feature = "durable")]
mod sql;

pub(crate) use memory::Memory;
#[cfg(feature = "shared")]
pub(crate) use sql::{DatabaseAddress, Uploads, connect_postgres};
#[cfg(feature = "durable")]
pub(crate) use sql::{Vault, fresh_key, open_sqlite};

use crate::limits::Limits;
use crate::storage::Content;
use futures_util::future::BoxFuture;
use recto_interface::{OperationKind, Options, ValidationReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The result of a registry method.
pub(crate) type RegistryFuture<'a, T> = BoxFuture<'a, Result<T, RegistryError>>;

/// The registry failed or cannot be reached. The client may try the request again.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub(crate) struct RegistryError(pub(crate) String);

/// The limits of the registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    pub(crate) files: usize,
    /// The limit of all bytes, for a storage that does not count its bytes itself.
    #[cfg_attr(not(feature = "shared"), allow(dead_code))]
    pub(crate) bytes: u64,
    pub(crate) operations: usize,
    /// The limit of the options of all operations that wait or run, in bytes.
    pub(crate) queued_bytes: u64,
    pub(crate) results: usize,
    /// The limit of the outcomes of all ended operations, in bytes of JSON.
    pub(crate) results_bytes: u64,
}

impl Outcome {
    /// The size of the outcome, in bytes of JSON.
    pub(crate) fn size(&self) -> u64 {
        serde_json::to_vec(self).map_or(0, |json| json.len() as u64)
    }
}

impl Quota {
    pub(crate) fn of(limits: &Limits) -> Self {
        Self {
            files: limits.files,
            bytes: limits.stored_bytes,
            operations: limits.operations,
            queued_bytes: limits.queued_bytes,
            results: limits.results,
            results_bytes: limits.results_bytes,
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
    /// The value of `origin` in JSON.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "fromLocal",
            Self::Url => "fromUrl",
            Self::Result => "result",
        }
    }
}

/// A file. A file without content is a ticket: the upload of the file was requested, but its bytes have not arrived
/// yet.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub(crate) id: String,
    pub(crate) created: SystemTime,
    pub(crate) origin: Origin,
    pub(crate) name: String,
    pub(crate) content: Option<Content>,
}

/// The data of an operation that is to be accepted.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) id: String,
    pub(crate) options: Options,
    /// The size of the options as JSON, in bytes.
    pub(crate) options_size: usize,
    pub(crate) input: String,
    pub(crate) accepted: SystemTime,
}

/// A worker's lease on an operation. The lease is lost if the worker does not renew it in time, or if another part of
/// the service ends the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) operation: String,
    /// Distinguishes this lease from other leases on the same operation.
    pub(crate) holder: String,
}

/// An operation that a worker has taken from the queue.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) lease: Lease,
    pub(crate) options: Arc<Options>,
    pub(crate) input_name: String,
    pub(crate) input: Content,
}

/// The state of an operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationEntry {
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None` while the operation waits or runs.
    pub(crate) outcome: Option<Outcome>,
}

/// An operation in the list of the operations that were accepted last.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    pub(crate) id: String,
    pub(crate) kind: OperationKind,
    pub(crate) accepted: SystemTime,
    /// `None` while the operation waits or runs. Then `outcome` is `None` too.
    pub(crate) ended: Option<SystemTime>,
    pub(crate) outcome: Option<Outcome>,
}

/// How an operation ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// The operation succeeded and has a result file. `id` is the identifier of this file.
    File { id: String, name: String, notes: Vec<String> },
    /// The operation succeeded and has a validation report.
    Report(ValidationReport),
    /// The operation failed.
    Failed { code: String, detail: String },
}

/// Whether a file was added, with or without content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Yes,
    /// The file was not added, because the limit of files is reached.
    TooMany,
    /// The file was not added, because the limit of bytes is reached. Only a storage that does not count its bytes
    /// itself needs this outcome.
    #[cfg_attr(
        not(feature = "durable"),
        allow(dead_code, reason = "only a registry in a database counts the bytes")
    )]
    NoRoom,
}

/// Whether a file's content could be set.
#[derive(Debug)]
pub(crate) enum Placed {
    /// The content was set. The content that was replaced is no longer used.
    Done { replaced: Option<Content> },
    /// The content was not set, because an operation has used the file.
    InUse,
    /// The content was not set, because there is no such file.
    Unknown,
}

/// Whether an operation was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Yes,
    NoSuchFile,
    NotUploaded,
    TooMany,
    /// The limit of bytes for options is reached.
    TooManyBytes,
}

/// Whether a file was removed because it is no longer needed.
#[derive(Debug)]
pub(crate) enum Unused {
    /// The file was removed. The caller must delete its content from the storage.
    Removed(Option<Content>),
    /// The file was not removed, because this unfinished operation uses it.
    InUse(String),
    /// The file was not removed: there is no such file, or the registry keeps its files until they expire.
    Kept,
}

/// The work that remains after files were removed from the registry.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Contents that no file uses any more. The caller must delete them from the storage.
    pub(crate) contents: Vec<Content>,
    /// Operations that were cancelled in the registry. The caller must stop the operations of this list that still run.
    pub(crate) operations: Vec<String>,
}

/// Keeps files, operations and the queue of work.
pub(crate) trait Registry: Send + Sync {
    /// Adds a file, with or without content.
    fn add_file(&self, file: FileEntry) -> RegistryFuture<'_, Added>;
    /// Sets the content of an uploaded file. An earlier content is replaced, because a client that received no response
    /// uploads the bytes again.
    fn place(&self, file: &str, content: Content) -> RegistryFuture<'_, Placed>;
    /// The file `id`, with or without content. `None` if there is no such file.
    fn file(&self, id: &str) -> RegistryFuture<'_, Option<FileEntry>>;
    /// All files that have content, the oldest first.
    fn files(&self) -> RegistryFuture<'_, Vec<FileEntry>>;
    /// The identifiers of the files that have no content yet.
    fn tickets(&self) -> RegistryFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Removes a file. Operations on this file that wait or run fail with the code `cancelled`. `None` if there is no
    /// such file.
    fn remove_file(&self, id: &str) -> RegistryFuture<'_, Option<Removed>>;
    /// Removes a file that its client no longer needs, unless an unfinished operation uses it. A registry that keeps
    /// its data after the end of the service keeps the file.
    fn remove_unused_file(&self, _id: &str) -> RegistryFuture<'_, Unused> {
        Box::pin(std::future::ready(Ok(Unused::Kept)))
    }
    /// Accepts an operation and puts it into the queue.
    fn submit(&self, submission: Submission) -> RegistryFuture<'_, Accepted>;
    /// Waits for a queued operation and takes it. `None` if `until` resolves before an operation is queued. The caller
    /// must not drop the future: if the future had just taken an operation, this operation would wait until its lease
    /// expires.
    fn claim<'a>(&'a self, until: BoxFuture<'a, ()>) -> RegistryFuture<'a, Option<Work>>;
    /// How often a lease must be renewed; `None` if leases do not expire.
    fn renewal(&self) -> Option<Duration> {
        None
    }
    /// Renews a lease. Returns `false` if the lease is lost.
    fn renew(&self, lease: &Lease) -> RegistryFuture<'_, bool>;
    /// Gives a lease back. The operation returns to the queue.
    fn release(&self, lease: &Lease) -> RegistryFuture<'_, ()>;
    /// Ends an operation, and adds its result file. If the operation has already ended or the lease is lost, returns
    /// `false` and does not add the file. Repeating a call that succeeded changes nothing and returns `true`.
    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> RegistryFuture<'_, bool>;
    /// The state of the operation `id`. `None` if there is no such operation.
    fn operation(&self, id: &str) -> RegistryFuture<'_, Option<OperationEntry>>;
    /// The operations that were accepted last: at most `most` operations, the newest first.
    fn latest(&self, most: usize) -> RegistryFuture<'_, Vec<Latest>>;
    /// How many operations wait for a worker.
    fn waiting(&self) -> RegistryFuture<'_, u64>;
    /// Waits until the operation has ended. Returns at once if there is no such operation.
    fn ended(&self, id: &str) -> RegistryFuture<'_, ()>;
    /// Removes the files that were created before `before` and that no unfinished operation needs, and the ended
    /// operations that were accepted before `before`.
    fn expire(&self, before: SystemTime) -> RegistryFuture<'_, Removed>;
    /// Removes all files and operations.
    #[cfg(feature = "test-controls")]
    fn clear(&self) -> RegistryFuture<'_, Removed>;
    /// Records the key of a content before the content is written, so that the content is deleted if no file ever uses
    /// it. Only a storage that several processes share needs this.
    #[cfg_attr(not(feature = "shared"), allow(dead_code, reason = "only a bucket does"))]
    fn reserve(&self, _key: &str) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// The contents that no file uses. The caller must delete them, and then [report](Self::contents_deleted) that they
    /// are deleted.
    fn garbage(&self) -> RegistryFuture<'_, Vec<Content>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// Records that these contents were deleted.
    fn contents_deleted(&self, _contents: Vec<Content>) -> RegistryFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
