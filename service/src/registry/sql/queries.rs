//! The queries of the registry: one function for each method of the registry, which runs in one transaction.
//!
//! Every transaction locks the row of a file before the rows of the operations on this file, so that there are no
//! deadlocks.

use super::garbage::{self, Uploads};
use super::quota::Counts;
use super::rows::{FILE, content_of, file_of, millis, now, size, time, until};
use super::transaction::{Event, SqlError, Tx};
use crate::registry::{Accepted, FileEntry, Latest, Lease, OperationEntry, Outcome, Placed, Removed};
use crate::storage::Content;
use recto_interface::OperationKind;
use std::time::{Duration, SystemTime};

/// A new operation, in the form in which the database stores it.
#[derive(Clone)]
pub(super) struct NewOperation {
    pub(super) id: String,
    pub(super) kind: OperationKind,
    /// The encrypted options.
    pub(super) sealed: Vec<u8>,
    pub(super) input: String,
    pub(super) accepted: SystemTime,
}

/// The outcome of a query for work.
pub(super) enum Claimed {
    Nothing,
    /// The next operation could not be executed, so the operation was ended as failed.
    GivenUp,
    Work(ClaimedWork),
}

/// An operation whose lease the caller now has.
pub(super) struct ClaimedWork {
    pub(super) operation: String,
    pub(super) kind: String,
    pub(super) sealed: Vec<u8>,
    pub(super) input_name: String,
    pub(super) input: Content,
}

pub(super) async fn counts(tx: &mut dyn Tx) -> Result<Counts, SqlError> {
    let rows = tx
        .rows(
            "SELECT (SELECT count(*) FROM recto_files),
                    (SELECT count(*) FROM recto_operations WHERE due IS NOT NULL),
                    (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM recto_files),
                    (SELECT CAST(coalesce(sum(length(options)), 0) AS BIGINT) FROM recto_operations
                     WHERE due IS NOT NULL)",
            &[],
        )
        .await?;
    let row = rows.first().ok_or_else(|| SqlError::new("a count returned no row"))?;
    Ok(Counts { files: row.int(0)?, operations: row.int(1)?, bytes: row.int(2)?, queued_bytes: row.int(3)? })
}

pub(super) async fn add_file(
    tx: &mut dyn Tx,
    file: &FileEntry,
    uploads: Option<Uploads>,
) -> Result<(), SqlError> {
    if let (Some(_), Some(content)) = (uploads, &file.content) {
        garbage::claim(tx, &content.key).await?;
    }
    let values = [
        file.id.as_str().into(),
        millis(file.created).into(),
        file.origin.as_str().into(),
        file.name.as_str().into(),
        file.content.as_ref().map(|content| content.key.as_str()).into(),
        file.content.as_ref().map(|content| size(content.size)).into(),
    ];
    let sql = "INSERT INTO recto_files (id, created, origin, name, content, size, used)
               VALUES ($1, $2, $3, $4, $5, $6, 0)";
    tx.execute(sql, &values).await.map(drop)
}

pub(super) async fn place(tx: &mut dyn Tx, file: &str, content: &Content) -> Result<Placed, SqlError> {
    let sql = format!("SELECT content, size, used FROM recto_files WHERE id = $1{}", tx.dialect().lock);
    let rows = tx.rows(&sql, &[file.into()]).await?;
    let Some(row) = rows.first() else { return Ok(Placed::Unknown) };
    if row.int(2)? != 0 {
        return Ok(Placed::InUse);
    }
    let replaced = content_of(row, 0)?;
    tx.execute(
        "UPDATE recto_files SET content = $1, size = $2 WHERE id = $3",
        &[content.key.as_str().into(), size(content.size).into(), file.into()],
    )
    .await?;
    Ok(Placed::Done { replaced })
}

pub(super) async fn file(tx: &mut dyn Tx, id: &str) -> Result<Option<FileEntry>, SqlError> {
    let sql = format!("SELECT {FILE} FROM recto_files WHERE id = $1");
    tx.rows(&sql, &[id.into()]).await?.first().map(file_of).transpose()
}

pub(super) async fn files(tx: &mut dyn Tx) -> Result<Vec<FileEntry>, SqlError> {
    let sql = format!("SELECT {FILE} FROM recto_files WHERE content IS NOT NULL ORDER BY created, id");
    tx.rows(&sql, &[]).await?.iter().map(file_of).collect()
}

/// The identifiers of the files that have no content yet.
pub(super) async fn tickets(tx: &mut dyn Tx) -> Result<Vec<String>, SqlError> {
    tx.rows("SELECT id FROM recto_files WHERE content IS NULL", &[])
        .await?
        .iter()
        .map(|row| row.text(0))
        .collect()
}

pub(super) async fn remove_file(
    tx: &mut dyn Tx,
    id: &str,
    uploads: Option<Uploads>,
) -> Result<Option<Removed>, SqlError> {
    let sql = format!("SELECT {FILE} FROM recto_files WHERE id = $1{}", tx.dialect().lock);
    let rows = tx.rows(&sql, &[id.into()]).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let contents = garbage::of_removed(tx, &rows, uploads).await?;
    tx.execute("DELETE FROM recto_files WHERE id = $1", &[id.into()]).await?;
    let sql = format!(
        "SELECT id FROM recto_operations WHERE input = $1 AND due IS NOT NULL ORDER BY id{}",
        tx.dialect().lock
    );
    let unfinished = tx.rows(&sql, &[id.into()]).await?;
    let mut operations = Vec::with_capacity(unfinished.len());
    for row in &unfinished {
        let operation = row.text(0)?;
        end(tx, &operation, &cancelled("its input file was deleted before the operation finished")).await?;
        operations.push(operation);
    }
    Ok(Some(Removed { contents, operations }))
}

pub(super) async fn submit(
    tx: &mut dyn Tx,
    operation: &NewOperation,
    full: Option<Accepted>,
) -> Result<Accepted, SqlError> {
    let sql = format!("SELECT content FROM recto_files WHERE id = $1{}", tx.dialect().lock);
    let rows = tx.rows(&sql, &[operation.input.as_str().into()]).await?;
    let Some(file) = rows.first() else { return Ok(Accepted::NoSuchFile) };
    if file.maybe_text(0)?.is_none() {
        return Ok(Accepted::NotUploaded);
    }
    if let Some(full) = full {
        return Ok(full);
    }
    tx.execute("UPDATE recto_files SET used = 1 WHERE id = $1", &[operation.input.as_str().into()]).await?;
    let now = now(tx).await?;
    let values = [
        operation.id.as_str().into(),
        operation.kind.name().into(),
        operation.input.as_str().into(),
        operation.sealed.as_slice().into(),
        millis(operation.accepted).into(),
        now.into(),
    ];
    let sql = "INSERT INTO recto_operations (id, kind, input, options, accepted, due, attempts)
               VALUES ($1, $2, $3, $4, $5, $6, 0)";
    tx.execute(sql, &values).await?;
    tx.announce(Event::Work).await?;
    Ok(Accepted::Yes)
}

/// Takes the operation that has been due for the longest time.
pub(super) async fn claim(
    tx: &mut dyn Tx,
    holder: &str,
    lease: Duration,
    attempts: i64,
) -> Result<Claimed, SqlError> {
    let now = now(tx).await?;
    let sql = format!(
        "SELECT id, kind, options, input, attempts FROM recto_operations WHERE due <= $1 ORDER BY due LIMIT 1{}",
        tx.dialect().lock_skipping
    );
    let rows = tx.rows(&sql, &[now.into()]).await?;
    let Some(row) = rows.first() else { return Ok(Claimed::Nothing) };
    let operation = row.text(0)?;
    if row.int(4)? >= attempts {
        let outcome = Outcome::Failed {
            code: "internal".to_owned(),
            detail: format!(
                "the operation failed after {attempts} attempts: each time, the process that worked on it ended unexpectedly. The \
                 document may be the cause; please report it"
            ),
        };
        end(tx, &operation, &outcome).await?;
        return Ok(Claimed::GivenUp);
    }
    let input =
        tx.rows("SELECT name, content, size FROM recto_files WHERE id = $1", &[row.text(3)?.into()]).await?;
    let found = input.first().map(|file| Ok((file.text(0)?, content_of(file, 1)?))).transpose()?;
    let Some((input_name, Some(input))) = found else {
        end(tx, &operation, &cancelled("its input file expired before the operation was started")).await?;
        return Ok(Claimed::GivenUp);
    };
    tx.execute(
        "UPDATE recto_operations SET holder = $1, due = $2, attempts = attempts + 1 WHERE id = $3",
        &[holder.into(), until(now, lease).into(), operation.as_str().into()],
    )
    .await?;
    Ok(Claimed::Work(ClaimedWork { operation, kind: row.text(1)?, sealed: row.bytes(2)?, input_name, input }))
}

pub(super) async fn renew(tx: &mut dyn Tx, lease: &Lease, length: Duration) -> Result<bool, SqlError> {
    let now = now(tx).await?;
    let sql = "UPDATE recto_operations SET due = $1 WHERE id = $2 AND holder = $3 AND due IS NOT NULL";
    let values = [until(now, length).into(), lease.operation.as_str().into(), lease.holder.as_str().into()];
    Ok(tx.execute(sql, &values).await? > 0)
}

/// Puts an operation back into the queue. The attempt that ends here is not counted.
pub(super) async fn release(tx: &mut dyn Tx, lease: &Lease) -> Result<(), SqlError> {
    let now = now(tx).await?;
    let sql = "UPDATE recto_operations SET due = $1, holder = NULL, attempts = attempts - 1
               WHERE id = $2 AND holder = $3 AND due IS NOT NULL";
    let values = [now.into(), lease.operation.as_str().into(), lease.holder.as_str().into()];
    if tx.execute(sql, &values).await? > 0 {
        tx.announce(Event::Work).await?;
    }
    Ok(())
}

/// Puts all leased operations back into the queue. The caller must be sure that no worker is running.
pub(super) async fn release_all(tx: &mut dyn Tx) -> Result<u64, SqlError> {
    let now = now(tx).await?;
    let sql =
        "UPDATE recto_operations SET due = $1, holder = NULL WHERE due IS NOT NULL AND holder IS NOT NULL";
    tx.execute(sql, &[now.into()]).await
}

pub(super) async fn finish(
    tx: &mut dyn Tx,
    lease: &Lease,
    outcome: &Outcome,
    file: Option<&FileEntry>,
    uploads: Option<Uploads>,
) -> Result<bool, SqlError> {
    let sql = format!("SELECT holder, ended FROM recto_operations WHERE id = $1{}", tx.dialect().lock);
    let rows = tx.rows(&sql, &[lease.operation.as_str().into()]).await?;
    let Some(row) = rows.first() else { return Ok(false) };
    if row.maybe_text(0)?.as_deref() != Some(&lease.holder) {
        return Ok(false);
    }
    // The holder of this lease has already ended the operation, and repeats the call because it received no response.
    if row.maybe_int(1)?.is_some() {
        return Ok(true);
    }
    if let Some(file) = file {
        add_file(tx, file, uploads).await?;
    }
    record(tx, &lease.operation, outcome, Some(&lease.holder)).await?;
    Ok(true)
}

pub(super) async fn operation(tx: &mut dyn Tx, id: &str) -> Result<Option<OperationEntry>, SqlError> {
    let rows =
        tx.rows("SELECT kind, accepted, outcome FROM recto_operations WHERE id = $1", &[id.into()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(OperationEntry {
        kind: kind_of(&row.text(0)?)?,
        accepted: time(row.int(1)?),
        outcome: outcome_of(row.maybe_text(2)?)?,
    }))
}

pub(super) async fn latest(tx: &mut dyn Tx, most: i64) -> Result<Vec<Latest>, SqlError> {
    let sql = "SELECT id, kind, accepted, ended, outcome FROM recto_operations
               ORDER BY accepted DESC, id LIMIT $1";
    let rows = tx.rows(sql, &[most.into()]).await?;
    let listed = rows.iter().map(|row| {
        Ok(Latest {
            id: row.text(0)?,
            kind: kind_of(&row.text(1)?)?,
            accepted: time(row.int(2)?),
            ended: row.maybe_int(3)?.map(time),
            outcome: outcome_of(row.maybe_text(4)?)?,
        })
    });
    listed.collect()
}

pub(super) async fn waiting(tx: &mut dyn Tx) -> Result<u64, SqlError> {
    let sql = "SELECT count(*) FROM recto_operations WHERE due IS NOT NULL AND holder IS NULL";
    let rows = tx.rows(sql, &[]).await?;
    let count = rows.first().map(|row| row.int(0)).transpose()?;
    Ok(u64::try_from(count.unwrap_or_default()).unwrap_or_default())
}

fn kind_of(name: &str) -> Result<OperationKind, SqlError> {
    name.parse().map_err(|_| SqlError::new(format!("unknown operation {name:?}")))
}

fn outcome_of(json: Option<String>) -> Result<Option<Outcome>, SqlError> {
    let outcome = json.map(|json| serde_json::from_str(&json)).transpose();
    outcome.map_err(|error| {
        SqlError::new(format!("invalid JSON in the recorded outcome of an operation: {error}"))
    })
}

/// Removes the files that were created before `before` and that no unfinished operation needs. Also removes the ended
/// operations that were accepted before `before`. If more than `results` ended operations remain, or their outcomes
/// have more than `results_bytes` characters, the oldest of them are removed too.
pub(super) async fn expire(
    tx: &mut dyn Tx,
    before: SystemTime,
    results: i64,
    results_bytes: i64,
    uploads: Option<Uploads>,
) -> Result<Removed, SqlError> {
    let before = millis(before);
    let sql = format!(
        "DELETE FROM recto_files WHERE created < $1 AND NOT EXISTS (
             SELECT 1 FROM recto_operations WHERE input = recto_files.id AND due IS NOT NULL)
         RETURNING {FILE}"
    );
    let rows = tx.rows(&sql, &[before.into()]).await?;
    let contents = garbage::of_removed(tx, &rows, uploads).await?;
    tx.execute("DELETE FROM recto_operations WHERE ended IS NOT NULL AND accepted < $1", &[before.into()])
        .await?;
    let sql = "DELETE FROM recto_operations WHERE id IN (
                   SELECT id FROM recto_operations WHERE ended IS NOT NULL
                   ORDER BY ended DESC LIMIT 9223372036854775807 OFFSET $1)";
    tx.execute(sql, &[results.into()]).await?;
    let sql = "DELETE FROM recto_operations WHERE id IN (
                   SELECT id FROM (
                       SELECT id, sum(length(outcome)) OVER (ORDER BY ended DESC, id) AS kept
                       FROM recto_operations WHERE ended IS NOT NULL) AS sums
                   WHERE kept > $1)";
    tx.execute(sql, &[results_bytes.into()]).await?;
    Ok(Removed { contents, operations: Vec::new() })
}

#[cfg(feature = "test-controls")]
pub(super) async fn clear(tx: &mut dyn Tx, uploads: Option<Uploads>) -> Result<Removed, SqlError> {
    let files = tx.rows(&format!("DELETE FROM recto_files RETURNING {FILE}"), &[]).await?;
    let contents = garbage::of_removed(tx, &files, uploads).await?;
    let ended = tx.rows("DELETE FROM recto_operations RETURNING id, ended", &[]).await?;
    let mut operations = Vec::new();
    for row in &ended {
        if row.maybe_int(1)?.is_none() {
            operations.push(row.text(0)?);
            tx.announce(Event::Ended(row.text(0)?)).await?;
        }
    }
    Ok(Removed { contents, operations })
}

/// The contents of all files.
pub(super) async fn contents(tx: &mut dyn Tx) -> Result<Vec<Content>, SqlError> {
    let rows = tx.rows("SELECT content, size FROM recto_files WHERE content IS NOT NULL", &[]).await?;
    rows.iter().filter_map(|row| content_of(row, 0).transpose()).collect()
}

async fn end(tx: &mut dyn Tx, operation: &str, outcome: &Outcome) -> Result<(), SqlError> {
    record(tx, operation, outcome, None).await
}

/// Records how an operation ended, and which holder ended it. Deletes the options of the operation, because they may
/// include a password.
async fn record(
    tx: &mut dyn Tx,
    operation: &str,
    outcome: &Outcome,
    holder: Option<&str>,
) -> Result<(), SqlError> {
    let now = now(tx).await?;
    let json = serde_json::to_string(outcome).map_err(|error| SqlError::new(error.to_string()))?;
    let sql = "UPDATE recto_operations SET due = NULL, options = NULL, ended = $1, outcome = $2, holder = $3
               WHERE id = $4";
    tx.execute(sql, &[now.into(), json.into(), holder.into(), operation.into()]).await?;
    tx.announce(Event::Ended(operation.to_owned())).await
}

fn cancelled(detail: &str) -> Outcome {
    Outcome::Failed { code: "cancelled".to_owned(), detail: detail.to_owned() }
}
