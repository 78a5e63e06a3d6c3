//! Bytes in a bucket that belong to no file: written down before they are written, and until they are removed.
//!
//! A bucket does not tell what belongs to nothing, and several processes write to it. So a content is known here, or
//! named by a file, from before it exists until after it is gone, whoever is killed in between.

use super::rows::{file_of, now};
use super::transaction::{Row, SqlError, Tx};
use crate::registry::Origin;
use crate::storage::Content;
use std::time::Duration;

/// How much longer than it could be used something is waited for.
const MARGIN: Duration = Duration::from_secs(10);

/// How many are removed at a time.
const AT_ONCE: i64 = 1000;

/// The states of a content here: being written by a process; removed, but the address to send it to is still good, so
/// that it may come again; removed.
const WRITTEN: &str = "written";
const SENDABLE: &str = "sendable";
const REMOVED: &str = "removed";

/// How clients send bytes past the service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uploads {
    /// What the names of the contents that they send begin with; the identifier of the file follows.
    pub(crate) prefix: &'static str,
    /// How long the address is good that they are sent to.
    pub(crate) lifetime: Duration,
    /// How long the service may take to write a content.
    pub(crate) writing: Duration,
}

/// Writes down that a content will be written.
pub(super) async fn reserve(tx: &mut dyn Tx, key: &str) -> Result<(), SqlError> {
    put(tx, key, WRITTEN).await
}

/// A content that was foretold is now a file's.
pub(super) async fn claim(tx: &mut dyn Tx, key: &str) -> Result<(), SqlError> {
    let sql = "DELETE FROM recto_garbage WHERE content = $1";
    if tx.execute(sql, &[key.into()]).await? == 1 {
        return Ok(());
    }
    Err(SqlError::new("writing took so long that the bytes were removed"))
}

/// The contents of files that are removed, for whoever removes them now; they are written down until that is done.
pub(super) async fn of_removed(
    tx: &mut dyn Tx,
    files: &[Row],
    uploads: Option<Uploads>,
) -> Result<Vec<Content>, SqlError> {
    let mut contents = Vec::new();
    for row in files {
        let file = file_of(row)?;
        let content = match uploads {
            // Its bytes may have come, or come yet, without a word.
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

/// What is to be removed now.
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

/// These are gone; what may come again is still looked for.
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
