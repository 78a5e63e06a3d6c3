//! The registry in a database, in SQL that both SQLite and PostgreSQL understand.
//!
//! `queries.rs` has one function for each method of the registry, which runs in one transaction. A [`Database`] runs
//! transactions: `sqlite.rs` for one machine, `postgres.rs` for many machines. `notify.rs` wakes the tasks that wait
//! for queued operations or for results.
//!
//! Workers take operations under leases. An operation is due when it is queued, and due again when its lease expires.
//! So the query for new work also finds the operations of killed workers.

mod garbage;
mod notify;
#[cfg(feature = "shared")]
mod postgres;
mod queries;
mod quota;
mod rows;
mod schema;
mod sqlite;
mod transaction;
mod vault;

#[cfg(feature = "shared")]
pub(crate) use garbage::Uploads;
#[cfg(feature = "shared")]
pub(crate) use postgres::{DatabaseAddress, connect as connect_postgres};
pub(crate) use sqlite::open as open_sqlite;

use super::{
    Accepted, Added, FileEntry, Latest, Lease, OperationEntry, Outcome, Placed, Quota, Registry,
    RegistryError, RegistryFuture, Removed, Submission, Work,
};
use crate::ids::identifier;
use crate::storage::Content;
use futures_util::future::BoxFuture;
#[cfg(not(feature = "shared"))]
use garbage::Uploads;
use notify::Notifier;
use queries::{Claimed, NewOperation};
use quota::{CachedCounts, Counts};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use transaction::{SqlError, Tx};
pub(crate) use vault::{Vault, fresh_key};

/// The pause between two queries when no notification arrives. These queries find operations whose lease has expired,
/// and operations whose notification was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The maximum number of times that an operation is started, if its worker is killed each time. After that, the
/// operation fails.
const ATTEMPTS: i64 = 5;

/// A function that runs in one transaction. If the transaction has to be repeated, the function runs again.
type TxFn<T> = Box<dyn for<'t> Fn(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, SqlError>> + Send + Sync>;

/// Which failures the changes of a transaction must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// The transaction only reads, so there are no changes.
    Read,
    /// The changes survive the end of the process, but may be lost in a power failure.
    Process,
    /// The changes survive a power failure, because they are synced to the disk.
    Power,
}

/// A database, which runs transactions.
trait Database: Send + Sync + 'static {
    fn transact<T: Send + 'static>(
        &self,
        durability: Durability,
        run: TxFn<T>,
    ) -> BoxFuture<'_, Result<T, SqlError>>;
}

/// A registry that keeps its data in a database.
struct Sql<D> {
    database: D,
    notifier: Arc<Notifier>,
    quota: Quota,
    counts_cache: CachedCounts,
    vault: Arc<Vault>,
    /// How long a lease is valid if it is not renewed.
    lease: Duration,
    /// `Some` if clients upload directly to the storage.
    uploads: Option<Uploads>,
}

fn tx_fn<T>(
    run: impl for<'t> Fn(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, SqlError>> + Send + Sync + 'static,
) -> TxFn<T> {
    Box::new(run)
}

/// Makes a [`TxFn`] from the call of a query. The values that the call uses are cloned for each run.
macro_rules! tx_fn {
    (|$tx:ident $(, $used:ident)*| $call:expr) => {{
        $(let $used = $used.clone();)*
        tx_fn(move |$tx| {
            $(let $used = $used.clone();)*
            Box::pin(async move { $call.await })
        })
    }};
}

impl<D: Database> Sql<D> {
    fn new(
        database: D,
        notifier: Arc<Notifier>,
        quota: Quota,
        vault: Arc<Vault>,
        lease: Duration,
        uploads: Option<Uploads>,
    ) -> Self {
        Self { database, notifier, quota, counts_cache: CachedCounts::default(), vault, lease, uploads }
    }

    async fn counts(&self) -> Result<Counts, SqlError> {
        if let Some(counts) = self.counts_cache.fresh() {
            return Ok(counts);
        }
        let counts = self.database.transact(Durability::Read, tx_fn!(|tx| queries::counts(tx))).await?;
        self.counts_cache.set(counts);
        Ok(counts)
    }

    /// The limit that an operation with options of `size` bytes would exceed.
    async fn full(&self, size: i64) -> Result<Option<Accepted>, SqlError> {
        let counts = self.counts().await?;
        let queued_bytes = i64::try_from(self.quota.queued_bytes).unwrap_or(i64::MAX);
        if counts.operations >= self.quota.operations as i64 {
            return Ok(Some(Accepted::TooMany));
        }
        Ok((counts.queued_bytes.saturating_add(size) > queued_bytes).then_some(Accepted::TooManyBytes))
    }

    async fn try_claim(&self) -> Result<Option<Work>, SqlError> {
        let lease = self.lease;
        loop {
            let holder = identifier().map_err(|error| SqlError::new(error.to_string()))?;
            let claimed = self
                .database
                .transact(
                    Durability::Process,
                    tx_fn!(|tx, holder| queries::claim(tx, &holder, lease, ATTEMPTS)),
                )
                .await?;
            let claimed = match claimed {
                Claimed::Nothing => return Ok(None),
                Claimed::GivenUp => {
                    self.counts_cache.operations(-1);
                    continue;
                }
                Claimed::Work(claimed) => claimed,
            };
            let lease = Lease { operation: claimed.operation, holder };
            match self.vault.open(&lease.operation, &claimed.kind, &claimed.sealed) {
                Ok(options) => {
                    return Ok(Some(Work {
                        lease,
                        options: Arc::new(options),
                        input_name: claimed.input_name,
                        input: claimed.input,
                    }));
                }
                Err(error) => {
                    tracing::error!(operation = %lease.operation, %error, "could not decrypt the options of an operation");
                    let outcome = Outcome::Failed {
                        code: "internal".to_owned(),
                        detail: format!("{error}; start the operation again"),
                    };
                    self.end(&lease, outcome, None).await?;
                }
            }
        }
    }

    async fn end(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> Result<bool, SqlError> {
        let lease = lease.clone();
        let (files, uploads) = (i64::from(file.is_some()), self.uploads);
        let ended = self
            .database
            .transact(
                Durability::Power,
                tx_fn!(|tx, lease, outcome, file| queries::finish(
                    tx,
                    &lease,
                    &outcome,
                    file.as_ref(),
                    uploads
                )),
            )
            .await?;
        if ended {
            self.counts_cache.operations(-1);
            self.counts_cache.files(files);
        }
        Ok(ended)
    }
}

impl<D: Database> Registry for Sql<D> {
    fn add_file(&self, file: FileEntry) -> RegistryFuture<'_, Added> {
        Box::pin(async move {
            let (counts, uploads) = (self.counts().await?, self.uploads);
            if counts.files >= self.quota.files as i64 {
                return Ok(Added::TooMany);
            }
            if uploads.is_some() && counts.bytes >= i64::try_from(self.quota.bytes).unwrap_or(i64::MAX) {
                return Ok(Added::NoRoom);
            }
            // A file without content may be lost in a power failure, because the client can request its upload again.
            let durability = if file.content.is_some() { Durability::Power } else { Durability::Process };
            self.database
                .transact(durability, tx_fn!(|tx, file| queries::add_file(tx, &file, uploads)))
                .await?;
            self.counts_cache.files(1);
            Ok(Added::Yes)
        })
    }

    fn place(&self, file: &str, content: Content) -> RegistryFuture<'_, Placed> {
        let file = file.to_owned();
        Box::pin(async move {
            let run = tx_fn!(|tx, file, content| queries::place(tx, &file, &content));
            Ok(self.database.transact(Durability::Power, run).await?)
        })
    }

    fn file(&self, id: &str) -> RegistryFuture<'_, Option<FileEntry>> {
        let id = id.to_owned();
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx, id| queries::file(tx, &id))).await?)
        })
    }

    fn files(&self) -> RegistryFuture<'_, Vec<FileEntry>> {
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx| queries::files(tx))).await?)
        })
    }

    fn tickets(&self) -> RegistryFuture<'_, Vec<String>> {
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx| queries::tickets(tx))).await?)
        })
    }

    fn remove_file(&self, id: &str) -> RegistryFuture<'_, Option<Removed>> {
        let (id, uploads) = (id.to_owned(), self.uploads);
        Box::pin(async move {
            let run = tx_fn!(|tx, id| queries::remove_file(tx, &id, uploads));
            let removed = self.database.transact(Durability::Power, run).await?;
            if let Some(removed) = &removed {
                self.counts_cache.files(-1);
                self.counts_cache.operations(-(removed.operations.len() as i64));
            }
            Ok(removed)
        })
    }

    fn submit(&self, submission: Submission) -> RegistryFuture<'_, Accepted> {
        Box::pin(async move {
            let Submission { id, options, options_size, input, accepted } = submission;
            let size = i64::try_from(options_size).unwrap_or(i64::MAX);
            let full = self.full(size).await?;
            let sealed = self.vault.seal(&id, &options).map_err(|error| RegistryError(error.to_string()))?;
            let operation = NewOperation { id, kind: options.kind(), sealed, input, accepted };
            let run = tx_fn!(|tx, operation| queries::submit(tx, &operation, full));
            let outcome = self.database.transact(Durability::Power, run).await?;
            if outcome == Accepted::Yes {
                self.counts_cache.operations(1);
                self.counts_cache.queued_bytes(size);
            }
            Ok(outcome)
        })
    }

    fn claim<'a>(&'a self, mut until: BoxFuture<'a, ()>) -> RegistryFuture<'a, Option<Work>> {
        Box::pin(async move {
            loop {
                // The task subscribes before it queries, so that it does not miss a notification after the query.
                let more = self.notifier.more_work();
                if let Some(work) = self.try_claim().await? {
                    return Ok(Some(work));
                }
                tokio::select! {
                    () = &mut until => return Ok(None),
                    () = more => {}
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                }
            }
        })
    }

    fn renewal(&self) -> Option<Duration> {
        Some(self.lease / 6)
    }

    fn renew(&self, lease: &Lease) -> RegistryFuture<'_, bool> {
        let (lease, length) = (lease.clone(), self.lease);
        Box::pin(async move {
            let run = tx_fn!(|tx, lease| queries::renew(tx, &lease, length));
            Ok(self.database.transact(Durability::Process, run).await?)
        })
    }

    fn release(&self, lease: &Lease) -> RegistryFuture<'_, ()> {
        let lease = lease.clone();
        Box::pin(async move {
            let run = tx_fn!(|tx, lease| queries::release(tx, &lease));
            Ok(self.database.transact(Durability::Process, run).await?)
        })
    }

    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> RegistryFuture<'_, bool> {
        let lease = lease.clone();
        Box::pin(async move { Ok(self.end(&lease, outcome, file).await?) })
    }

    fn operation(&self, id: &str) -> RegistryFuture<'_, Option<OperationEntry>> {
        let id = id.to_owned();
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx, id| queries::operation(tx, &id))).await?)
        })
    }

    fn latest(&self, most: usize) -> RegistryFuture<'_, Vec<Latest>> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx, most| queries::latest(tx, most))).await?)
        })
    }

    fn waiting(&self) -> RegistryFuture<'_, u64> {
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx| queries::waiting(tx))).await?)
        })
    }

    fn ended(&self, id: &str) -> RegistryFuture<'_, ()> {
        let id = id.to_owned();
        Box::pin(async move {
            let watch = self.notifier.watch(&id);
            loop {
                let ended = watch.ended();
                if self.operation(&id).await?.is_none_or(|operation| operation.outcome.is_some()) {
                    return Ok(());
                }
                let _ = tokio::time::timeout(POLL_INTERVAL, ended).await;
            }
        })
    }

    fn expire(&self, before: SystemTime) -> RegistryFuture<'_, Removed> {
        Box::pin(async move {
            let (results, uploads) = (self.quota.results as i64, self.uploads);
            let bytes = i64::try_from(self.quota.results_bytes).unwrap_or(i64::MAX);
            let run = tx_fn!(|tx| queries::expire(tx, before, results, bytes, uploads));
            let removed = self.database.transact(Durability::Power, run).await?;
            self.counts_cache.invalidate();
            Ok(removed)
        })
    }

    #[cfg(feature = "test-controls")]
    fn clear(&self) -> RegistryFuture<'_, Removed> {
        Box::pin(async move {
            let uploads = self.uploads;
            let run = tx_fn!(|tx| queries::clear(tx, uploads));
            let removed = self.database.transact(Durability::Power, run).await?;
            self.counts_cache.invalidate();
            Ok(removed)
        })
    }

    fn reserve(&self, key: &str) -> RegistryFuture<'_, ()> {
        let key = key.to_owned();
        Box::pin(async move {
            let run = tx_fn!(|tx, key| garbage::reserve(tx, &key));
            Ok(self.database.transact(Durability::Power, run).await?)
        })
    }

    fn garbage(&self) -> RegistryFuture<'_, Vec<Content>> {
        Box::pin(async move {
            let Some(uploads) = self.uploads else { return Ok(Vec::new()) };
            Ok(self.database.transact(Durability::Read, tx_fn!(|tx| garbage::due(tx, uploads))).await?)
        })
    }

    fn contents_deleted(&self, contents: Vec<Content>) -> RegistryFuture<'_, ()> {
        Box::pin(async move {
            let Some(uploads) = self.uploads.filter(|_| !contents.is_empty()) else { return Ok(()) };
            let run = tx_fn!(|tx, contents| garbage::removed(tx, &contents, uploads));
            Ok(self.database.transact(Durability::Process, run).await?)
        })
    }
}

impl From<SqlError> for RegistryError {
    fn from(error: SqlError) -> Self {
        Self(error.to_string())
    }
}
