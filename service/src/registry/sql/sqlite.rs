//! SQLite: only one process uses the database. One thread writes, another thread reads.
//!
//! The writing thread runs all waiting calls in one transaction: a hundred operations that are accepted at the same
//! time need only one sync of the disk, not a hundred.

use super::notify::Notifier;
use super::transaction::{Dialect, Event, Row, SqlError, Tx, Value};
use super::vault::Vault;
use super::{Database, Durability, Sql, TxFn, queries, schema};
use crate::registry::{Quota, Registry};
use crate::storage::Content;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// The maximum number of calls in one transaction.
const MAX_BATCH: usize = 256;

/// The name of the database file in the data directory.
const FILE: &str = "recto.sqlite3";

const DIALECT: Dialect = Dialect {
    // There is only one writer, so no rows need to be locked.
    lock: "",
    lock_skipping: "",
    now: "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
};

/// The threads that read and write. Both end when this value is dropped.
pub(super) struct Sqlite {
    writer: Worker,
    reader: Worker,
}

/// A thread that runs jobs. Dropping this value waits until the thread has ended.
struct Worker {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Worker {
    fn send(&self, job: Job) -> Result<(), SqlError> {
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(gone)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("a thread of the database panicked");
        }
    }
}

/// A call that is sent to a thread of the database.
struct Job {
    durability: Durability,
    /// Runs the call in the transaction.
    run: Box<dyn FnOnce(&mut SqliteTx<'_>) -> Done + Send>,
}

/// A call that ran in a transaction that has not been committed yet.
struct Done {
    /// Whether to keep the changes that the function made in the transaction: `true` if it succeeded.
    keep: bool,
    /// A function that sends the outcome of the transaction to the caller.
    reply: Box<dyn FnOnce(Result<(), SqlError>)>,
}

/// Opens the registry in `directory`. No other process may use this directory. Returns the registry, and the contents
/// of its files. Operations that were running when the last process ended are put back into the queue.
pub(crate) fn open(
    directory: &Path,
    quota: Quota,
    vault: Arc<Vault>,
    lease: Duration,
) -> io::Result<(Arc<dyn Registry>, Vec<Content>)> {
    let (registry, contents) = Sql::open(directory, quota, vault, lease)?;
    Ok((Arc::new(registry), contents))
}

impl Sql<Sqlite> {
    fn open(
        directory: &Path,
        quota: Quota,
        vault: Arc<Vault>,
        lease: Duration,
    ) -> io::Result<(Self, Vec<Content>)> {
        let sql_error = |error: rusqlite::Error| io::Error::other(format!("{FILE}: {error}"));
        let path = directory.join(FILE);
        let mut writer = Connection::open(&path).map_err(sql_error)?;
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;",
            )
            .map_err(sql_error)?;
        let notifier = Arc::new(Notifier::default());
        let contents = {
            writer.execute_batch("BEGIN IMMEDIATE").map_err(sql_error)?;
            let mut tx = SqliteTx { connection: &mut writer, events: Vec::new() };
            let prepared = resolve_now(async {
                schema::prepare(&mut tx).await?;
                let again = queries::release_all(&mut tx).await?;
                Ok((again, queries::contents(&mut tx).await?))
            });
            let (again, contents) = prepared.map_err(|error| io::Error::other(format!("{FILE}: {error}")))?;
            writer.execute_batch("COMMIT").map_err(sql_error)?;
            if again > 0 {
                tracing::info!(
                    operations = again,
                    "operations that were running when the service ended are queued again"
                );
            }
            contents
        };
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(&path, read_only).map_err(sql_error)?;
        let database = Sqlite {
            writer: start("recto-write", writer, Arc::clone(&notifier))?,
            reader: start("recto-read", reader, Arc::clone(&notifier))?,
        };
        Ok((Self::new(database, notifier, quota, vault, lease, None), contents))
    }
}

impl Database for Sqlite {
    fn transact<T: Send + 'static>(
        &self,
        durability: Durability,
        run: TxFn<T>,
    ) -> BoxFuture<'_, Result<T, SqlError>> {
        let thread = if durability == Durability::Read { &self.reader } else { &self.writer };
        let (sender, receiver) = oneshot::channel();
        let run = Box::new(move |tx: &mut SqliteTx<'_>| {
            let result = resolve_now(run(tx));
            Done {
                keep: result.is_ok(),
                reply: Box::new(move |ended| {
                    // An error means that the caller no longer waits.
                    let _ = sender.send(result.and_then(|value| ended.map(|()| value)));
                }),
            }
        });
        let sent = thread.send(Job { durability, run });
        Box::pin(async move {
            sent?;
            receiver.await.map_err(|_| gone())?
        })
    }
}

fn gone() -> SqlError {
    SqlError::new("the thread of the database has ended")
}

/// The result of a future that must be ready at once. `Err` if the future waits.
fn resolve_now<T>(future: impl Future<Output = Result<T, SqlError>>) -> Result<T, SqlError> {
    future.now_or_never().unwrap_or_else(|| Err(SqlError::new("a transaction was not ready at once")))
}

fn start(name: &str, mut connection: Connection, notifier: Arc<Notifier>) -> io::Result<Worker> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let serve = move || {
        connection.set_prepared_statement_cache_capacity(64);
        let mut synchronous = Durability::Power;
        while let Ok(first) = jobs.recv() {
            let mut batch = vec![first];
            while batch.len() < MAX_BATCH
                && let Ok(next) = jobs.try_recv()
            {
                batch.push(next);
            }
            let wanted = batch.iter().map(|job| job.durability);
            // If one call of the batch needs a sync, the changes of all calls in the batch are synced to the disk.
            let wanted = if wanted.into_iter().any(|one| one == Durability::Power) {
                Durability::Power
            } else {
                Durability::Process
            };
            if wanted != synchronous {
                let mode = if wanted == Durability::Power { "FULL" } else { "NORMAL" };
                if let Err(error) = connection.pragma_update(None, "synchronous", mode) {
                    tracing::error!(%error, "could not set the synchronous mode of SQLite");
                }
                synchronous = wanted;
            }
            run(&mut connection, batch, &notifier);
        }
    };
    let thread = thread::Builder::new().name(name.to_owned()).spawn(serve)?;
    Ok(Worker { jobs: Some(sender), thread: Some(thread) })
}

/// Runs all calls of `batch` in one transaction. If a call fails, only the changes of this call are rolled back.
fn run(connection: &mut Connection, batch: Vec<Job>, notifier: &Notifier) {
    let mut replies = Vec::with_capacity(batch.len());
    let mut events = Vec::new();
    if let Err(error) = connection.execute_batch("BEGIN") {
        // The calls are dropped without a reply, so their callers get an error.
        tracing::error!(%error, "could not start a transaction");
        return;
    }
    for job in batch {
        let saved = connection.execute_batch("SAVEPOINT call");
        let mut tx = SqliteTx { connection, events: Vec::new() };
        let done = (job.run)(&mut tx);
        let announced = tx.events;
        let kept = saved.and_then(|()| {
            let end = if done.keep { "RELEASE call" } else { "ROLLBACK TO call; RELEASE call" };
            connection.execute_batch(end)
        });
        match kept {
            Ok(()) => {
                if done.keep {
                    events.extend(announced);
                }
                replies.push((done.reply, Ok(())));
            }
            Err(error) => replies.push((done.reply, Err(SqlError::new(error.to_string())))),
        }
    }
    let committed =
        connection.execute_batch("COMMIT").map_err(|error| SqlError::retryable(error.to_string()));
    if let Err(error) = &committed {
        tracing::error!(%error, "could not commit a transaction");
        // An error means that the transaction has already been rolled back.
        let _ = connection.execute_batch("ROLLBACK");
    }
    for (reply, kept) in replies {
        reply(kept.and_then(|()| committed.clone()));
    }
    if committed.is_ok() {
        events.iter().for_each(|event| notifier.notify(event));
    }
}

struct SqliteTx<'c> {
    connection: &'c mut Connection,
    events: Vec<Event>,
}

impl SqliteTx<'_> {
    fn find(&self, sql: &str, values: &[Value]) -> rusqlite::Result<Vec<Row>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let found = statement.query_map(params_from_iter(values), |row| {
            (0..columns)
                .map(|column| row.get_ref(column).and_then(value))
                .collect::<rusqlite::Result<_>>()
                .map(Row)
        })?;
        found.collect()
    }

    fn change(&self, sql: &str, values: &[Value]) -> rusqlite::Result<u64> {
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.execute(params_from_iter(values)).map(|changed| changed as u64)
    }
}

fn sql_error(error: rusqlite::Error) -> SqlError {
    SqlError::new(error.to_string())
}

impl Tx for SqliteTx<'_> {
    fn dialect(&self) -> Dialect {
        DIALECT
    }

    fn rows<'t>(
        &'t mut self,
        sql: &'t str,
        values: &'t [Value],
    ) -> BoxFuture<'t, Result<Vec<Row>, SqlError>> {
        Box::pin(ready(self.find(sql, values).map_err(sql_error)))
    }

    fn execute<'t>(&'t mut self, sql: &'t str, values: &'t [Value]) -> BoxFuture<'t, Result<u64, SqlError>> {
        Box::pin(ready(self.change(sql, values).map_err(sql_error)))
    }

    fn announce(&mut self, event: Event) -> BoxFuture<'_, Result<(), SqlError>> {
        self.events.push(event);
        Box::pin(ready(Ok(())))
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn value(found: ValueRef<'_>) -> rusqlite::Result<Value> {
    Ok(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Text(number.to_string()),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::sql::ATTEMPTS;
    use crate::registry::{Accepted, Added, FileEntry, Lease, Origin, Outcome, Submission};
    use recto_interface::{OperationKind, Options};
    use serde_json::json;
    use std::time::SystemTime;
    use tempfile::TempDir;

    const QUOTA: Quota = Quota {
        files: 100,
        bytes: 1000,
        operations: 100,
        queued_bytes: 10_000,
        results: 2,
        results_bytes: 10_000,
    };

    fn opened(directory: &TempDir) -> Sql<Sqlite> {
        let vault = Arc::new(Vault::new(&[7; 32]).unwrap());
        Sql::open(directory.path(), QUOTA, vault, Duration::from_secs(30)).unwrap().0
    }

    async fn claimed(registry: &Sql<Sqlite>) -> crate::registry::Work {
        registry.claim(Box::pin(std::future::pending())).await.unwrap().unwrap()
    }

    async fn submit(registry: &Sql<Sqlite>, id: &str) {
        assert_eq!(submit_with_size(registry, id, 2).await, Accepted::Yes);
    }

    async fn submit_with_size(registry: &Sql<Sqlite>, id: &str, options_size: usize) -> Accepted {
        let content = Some(Content { key: format!("bytes of {id}"), size: 3 });
        let (created, origin) = (SystemTime::now(), Origin::Local);
        let file = FileEntry { id: format!("f{id}"), created, origin, name: "a.pdf".to_owned(), content };
        assert_eq!(registry.add_file(file).await.unwrap(), Added::Yes);
        let options = Options::from_json(OperationKind::Optimize, &json!({"profile": "web"})).unwrap();
        let submission = Submission {
            id: id.to_owned(),
            options,
            options_size,
            input: format!("f{id}"),
            accepted: SystemTime::now(),
        };
        registry.submit(submission).await.unwrap()
    }

    /// Makes all leases expire.
    fn expire_leases(directory: &TempDir) {
        let connection = Connection::open(directory.path().join(FILE)).unwrap();
        connection.execute("UPDATE recto_operations SET due = 1 WHERE due IS NOT NULL", []).unwrap();
    }

    fn done() -> Outcome {
        Outcome::File { id: "r".to_owned(), name: "a.pdf".to_owned(), notes: vec!["noted".to_owned()] }
    }

    fn result_file() -> Option<FileEntry> {
        Some(FileEntry {
            id: "r".to_owned(),
            created: SystemTime::now(),
            origin: Origin::Result,
            name: "a.pdf".to_owned(),
            content: Some(Content { key: "content".to_owned(), size: 1 }),
        })
    }

    #[tokio::test]
    async fn work_whose_lease_expires_is_given_to_another_worker_and_the_first_cannot_end_it() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        submit(&registry, "a").await;
        let first = claimed(&registry).await.lease;
        assert!(registry.renew(&first).await.unwrap());
        assert!(registry.try_claim().await.unwrap().is_none(), "it is held");
        expire_leases(&directory);
        let second = claimed(&registry).await;
        assert_eq!(second.options.to_json(), Some(json!({"profile": "web"})));
        assert!(!registry.renew(&first).await.unwrap());
        assert!(!registry.finish(&first, done(), result_file()).await.unwrap());
        assert_eq!(registry.file("r").await.unwrap().map(|file| file.id), None);
        for _ in 0..2 {
            assert!(
                registry.finish(&second.lease, done(), result_file()).await.unwrap(),
                "a repeated call whose response was lost"
            );
        }
        let ended = registry.operation("a").await.unwrap().unwrap().outcome.unwrap();
        assert!(matches!(ended, Outcome::File { notes, .. } if notes == ["noted"]));
        assert_eq!(registry.files().await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn work_that_kills_its_worker_each_time_fails_with_that_reason() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        submit(&registry, "a").await;
        for _ in 0..ATTEMPTS {
            assert_eq!(claimed(&registry).await.lease.operation, "a");
            expire_leases(&directory);
        }
        assert!(registry.try_claim().await.unwrap().is_none());
        registry.ended("a").await.unwrap();
        let ended = registry.operation("a").await.unwrap().unwrap().outcome.unwrap();
        assert!(
            matches!(ended, Outcome::Failed { detail, .. } if detail.contains("failed after 5 attempts"))
        );
    }

    #[tokio::test]
    async fn released_work_is_queued_again_any_number_of_times() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        submit(&registry, "a").await;
        for _ in 0..ATTEMPTS * 2 {
            let lease = claimed(&registry).await.lease;
            registry.release(&lease).await.unwrap();
            registry.release(&lease).await.unwrap();
        }
        let old = Lease { operation: "a".to_owned(), holder: "nobody".to_owned() };
        registry.release(&old).await.unwrap();
        assert!(registry.finish(&claimed(&registry).await.lease, done(), None).await.unwrap());
    }

    #[tokio::test]
    async fn leased_work_is_queued_again_when_the_database_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        submit(&registry, "a").await;
        let lost = claimed(&registry).await.lease;
        drop(registry);
        let registry = opened(&directory);
        assert!(!registry.finish(&lost, done(), result_file()).await.unwrap());
        assert_eq!(claimed(&registry).await.lease.operation, "a");
    }

    #[tokio::test]
    async fn options_of_ended_operations_are_deleted_and_only_the_latest_results_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        for id in ["a", "b", "c"] {
            submit(&registry, id).await;
            let lease = claimed(&registry).await.lease;
            assert!(registry.finish(&lease, done(), None).await.unwrap());
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let removed = registry.expire(SystemTime::UNIX_EPOCH).await.unwrap();
        assert!(removed.contents.is_empty());
        assert!(registry.operation("a").await.unwrap().is_none());
        assert!(registry.operation("b").await.unwrap().is_some());
        let connection = Connection::open(directory.path().join(FILE)).unwrap();
        let sealed: i64 = connection
            .query_row("SELECT count(*) FROM recto_operations WHERE options IS NOT NULL", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(sealed, 0);
        let removed = registry.expire(SystemTime::now() + std::time::Duration::from_secs(1)).await.unwrap();
        assert_eq!(removed.contents.len(), 3);
        assert!(registry.operation("c").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn the_options_of_queued_operations_are_bounded_in_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        assert_eq!(submit_with_size(&registry, "a", 6000).await, Accepted::Yes);
        assert_eq!(submit_with_size(&registry, "b", 5000).await, Accepted::TooManyBytes);
        assert_eq!(submit_with_size(&registry, "c", 3000).await, Accepted::Yes);
    }

    #[tokio::test]
    async fn kept_results_are_bounded_in_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        for id in ["a", "b"] {
            submit(&registry, id).await;
            let lease = claimed(&registry).await.lease;
            let failed = Outcome::Failed { code: "internal".to_owned(), detail: "x".repeat(6000) };
            assert!(registry.finish(&lease, failed, None).await.unwrap());
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        registry.expire(SystemTime::UNIX_EPOCH).await.unwrap();
        assert!(registry.operation("a").await.unwrap().is_none());
        assert!(registry.operation("b").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_call_that_fails_is_rolled_back_alone() {
        let directory = tempfile::tempdir().unwrap();
        let registry = opened(&directory);
        let calls = (0..50).map(|number| {
            let id = format!("f{}", number % 40);
            let (created, origin) = (SystemTime::now(), Origin::Local);
            registry.add_file(FileEntry { id, created, origin, name: "a".to_owned(), content: None })
        });
        let replies = futures_util::future::join_all(calls).await;
        assert_eq!(
            replies.iter().filter(|reply| reply.is_err()).count(),
            10,
            "identifiers that exist already"
        );
        drop(registry);
        let kept = opened(&directory).counts().await.unwrap();
        assert_eq!((kept.files, kept.operations), (40, 0));
    }
}
