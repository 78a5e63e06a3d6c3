//! Conversions between rows of the database and values of the registry.

use super::transaction::{Row, SqlError, Tx};
use crate::registry::{FileEntry, Origin};
use crate::storage::Content;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The columns of the table of files, in the order in which [`file_of`] reads them.
pub(super) const FILE: &str = "id, created, origin, name, content, size";

pub(super) async fn now(tx: &mut dyn Tx) -> Result<i64, SqlError> {
    let sql = tx.dialect().now;
    let rows = tx.rows(sql, &[]).await?;
    rows.first().ok_or_else(|| SqlError::new("the database returned no time"))?.int(0)
}

pub(super) fn until(now: i64, length: Duration) -> i64 {
    now.saturating_add(i64::try_from(length.as_millis()).unwrap_or(i64::MAX))
}

pub(super) fn file_of(row: &Row) -> Result<FileEntry, SqlError> {
    let origin = row.text(2)?;
    Ok(FileEntry {
        id: row.text(0)?,
        created: time(row.int(1)?),
        origin: [Origin::Local, Origin::Url, Origin::Result]
            .into_iter()
            .find(|known| known.as_str() == origin)
            .ok_or_else(|| SqlError::new(format!("unknown origin {origin:?}")))?,
        name: row.text(3)?,
        content: content_of(row, 4)?,
    })
}

/// The content whose key is in `column` and whose size is in the next column. `None` if the key is NULL.
pub(super) fn content_of(row: &Row, column: usize) -> Result<Option<Content>, SqlError> {
    let Some(key) = row.maybe_text(column)? else { return Ok(None) };
    Ok(Some(Content { key, size: u64::try_from(row.int(column + 1)?).unwrap_or_default() }))
}

pub(super) fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

pub(super) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}
