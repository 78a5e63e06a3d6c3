//! Garbage collection of a bucket: keeps a record of each content that no file uses, until the content is deleted.
//!
//! Several processes write to the bucket, and the bucket does not know which objects are used. So from before a content
//! is written until after it is deleted, either this table has a record of the content, or a file uses the content.
//! This is true even if a process is killed in between.

use super::rows::{file_of, now};
use super::transaction::{Row, SqlError, Tx};
use crate::registry::Origin;
use crate::storage::Content;
use std::time::Duration;

/// The time that is added to a lifetime before a record counts as expired.
const MARGIN: Duration = Duration::from_secs(10);

/// The maximum number of contents that one query returns.
const AT_ONCE: i64 = 1000;

/// The states of a recorded content:
///
/// - `written`: a process is writing the content.
/// - `sendable`: the content is to be deleted. The upload address of its file may still be valid, so a client may
///   upload the content again.
/// - `removed`: the content is to be deleted.
const WRITTEN: &str = "written";
const SENDABLE: &str = "sendable";
const REMOVED: &str = "removed";

/// The settings for direct uploads of clients to the storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uploads {
    /// The beginning of the keys of uploaded contents. The identifier of the file follows.
    pub(crate) prefix: &'static str,
    /// How long the presigned address of an upload is valid.
    pub(crate) lifetime: Duration,
    /// The maximum time that the service may take to write a content.
    pub(crate) writing: Duration,
}

/// Records that a content will be written.
pub(super) async fn reserve(tx: &mut dyn Tx, key: &str) -> Result<(), SqlError> {
    put(tx, key, WRITTEN).await
}

/// Removes the record of a content that a file uses from now on.
pub(super) async fn claim(tx: &mut dyn Tx, key: &str) -> Result<(), SqlError> {
    let sql = "DELETE FROM recto_garbage WHERE content = $1";
    if tx.execute(sql, &[key.into()]).await? == 1 {
        return Ok(());
    }
    Err(SqlError::new("the write took so long that the written bytes have been deleted"))
}

/// The contents of removed files, which the caller deletes now. Each record is kept until its content is deleted.
pub(super) async fn of_removed(
    tx: &mut dyn Tx,
    files: &[Row],
    uploads: Option<Uploads>,
) -> Result<Vec<Content>, SqlError> {
    let mut contents = Vec::new();
    for row in files {
        let file = file_of(row)?;
        let content = match uploads {
            // A client may have uploaded the bytes directly to the bucket, or may still upload them. The service
            // receives no request for an upload of this kind.
            Some(uploads) if file.origin == Origin::Local => {
                let key = format!("{}{}", uploads.prefix, file.id);
                put(tx, &key, SENDABLE).await?;
                Some(Content { key, size: 0 })
            }
            Some(_) => {
                if let Some(content) = &file.content {
                    put(tx, &content.key, REMOVED).await?;
                }
                file.content
            }
            None => file.content,
        };
        contents.extend(content);
    }
    Ok(contents)
}

/// The contents that must be deleted now.
pub(super) async fn due(tx: &mut dyn Tx, uploads: Uploads) -> Result<Vec<Content>, SqlError> {
    let now = now(tx).await?;
    let sql = "SELECT content FROM recto_garbage
               WHERE state = $1 OR (state = $2 AND since < $3) OR (state = $4 AND since < $5) LIMIT $6";
    let values = [
        REMOVED.into(),
        SENDABLE.into(),
        ago(now, uploads.lifetime).into(),
        WRITTEN.into(),
        ago(now, uploads.writing).into(),
        AT_ONCE.into(),
    ];
    let rows = tx.rows(sql, &values).await?;
    rows.iter().map(|row| Ok(Content { key: row.text(0)?, size: 0 })).collect()
}

/// Removes the records of deleted contents, except of contents that a client may upload again.
pub(super) async fn removed(tx: &mut dyn Tx, contents: &[Content], uploads: Uploads) -> Result<(), SqlError> {
    let now = now(tx).await?;
    for content in contents {
        let sql = "DELETE FROM recto_garbage WHERE content = $1 AND (state <> $2 OR since < $3)";
        let values = [content.key.as_str().into(), SENDABLE.into(), ago(now, uploads.lifetime).into()];
        tx.execute(sql, &values).await?;
    }
    Ok(())
}

async fn put(tx: &mut dyn Tx, key: &str, state: &str) -> Result<(), SqlError> {
    let now = now(tx).await?;
    let sql = "INSERT INTO recto_garbage (content, state, since) VALUES ($1, $2, $3)
               ON CONFLICT (content) DO UPDATE SET state = excluded.state, since = excluded.since";
    tx.execute(sql, &[key.into(), state.into(), now.into()]).await.map(drop)
}

fn ago(now: i64, time: Duration) -> i64 {
    now.saturating_sub(i64::try_from((time + MARGIN).as_millis()).unwrap_or(i64::MAX))
}
