//! Batches: process many documents with one operation, several at the same time. Results are returned in the order of
//! completion. A journal makes it possible to resume a batch.
//!
//! Sources are taken on the thread that calls for the next result, and only while fewer documents than allowed are in
//! progress: if the caller stops calling, no further documents are started. Each document in progress has its own
//! thread, which makes ordinary client calls.
//!
//! `watch` has batches whose sources are the files that arrive in a folder.

mod builder;
mod compact;
mod document;
mod item;
mod journal;
mod original;
mod result_paths;
mod running;
mod source;
mod sources;
mod step;
#[cfg(feature = "watch")]
mod watch;

pub use builder::BatchBuilder;
pub use item::{BatchItem, Done};
pub use running::Batch;
pub use source::BatchSource;
#[cfg(feature = "watch")]
pub use watch::Watch;

/// Reads `data` as a journal, for the fuzzer.
#[cfg(any(fuzzing, test))]
pub(crate) fn read_journal(data: &[u8]) {
    let header = step::Header {
        batch: 1,
        operation: "optimize".to_owned(),
        options: serde_json::Value::Null,
        service: step::Service::At("x".to_owned()),
    };
    let read = journal::read(data, std::path::Path::new("journal"), &header);
    assert!(read.is_err() || read.is_ok_and(|(_, length)| length <= data.len() as u64));
}
