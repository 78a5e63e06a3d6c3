//! The registry in a database: every promise once, in SQL that SQLite and PostgreSQL both speak.
//!
//! `promises.rs` holds them, each a function over one transaction; a [`Database`] runs them: `sqlite.rs` for one
//! machine, `postgres.rs` for many. What they tell each other goes through `signals.rs`.
//!
//! Work is held by leases: an operation is due when it waits, and due again when its lease has run out, so that what a
//! killed worker held is found by the same look that finds new work.

mod promises;
mod schema;
mod signals;
mod sqlite;
mod tally;
mod transaction;

pub(crate) use sqlite::open as open_sqlite;

use super::{
    Accepted, Answer, Bounds, FileEntry, Lease, OperationEntry, Outcome, Placed, Registry, RegistryError,
    Removed, Submission, Work,
};
use crate::ids::identifier;
use crate::storage::Content;
use crate::vault::Vault;
use futures_util::future::BoxFuture;
use promises::{Claimed, NewOperation};
use signals::Signals;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tally::{Counts, Tally};
use transaction::{SqlError, Tx};

/// How long a worker may be silent before its work is another's.
const LEASE: Duration = Duration::from_secs(30);

/// How often work that nobody told of is looked for: leases that ran out, and messages that were lost.
const LOOK: Duration = Duration::from_secs(1);

/// How often the work on an operation may break off, its worker killed, before it is given up.
const ATTEMPTS: i64 = 3;

/// What is done in one transaction. It may be done again when the database asks for it, so it borrows what it needs.
type Act<T> = Box<dyn for<'t> Fn(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, SqlError>> + Send + Sync>;

/// Whether what a transaction did must outlast a loss of power, or only the end of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// It changes nothing.
    Read,
    /// It outlasts the process. After a loss of power it may not have happened.
    Process,
    /// It outlasts everything but the disk.
    Power,
}

/// Runs transactions, each wholly or not at all.
trait Database: Send + Sync + 'static {
    fn transact<T: Send + 'static>(
        &self,
        durability: Durability,
        act: Act<T>,
    ) -> BoxFuture<'_, Result<T, SqlError>>;
}

/// A registry over a database.
struct Sql<D> {
    database: D,
    signals: Arc<Signals>,
    bounds: Bounds,
    tally: Tally,
    vault: Arc<Vault>,
}

fn act<T>(
    act: impl for<'t> Fn(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, SqlError>> + Send + Sync + 'static,
) -> Act<T> {
    Box::new(act)
}

/// Makes an [`Act`] of a call of a promise; what the call uses is cloned for each time that it is done.
macro_rules! act {
    (|$tx:ident $(, $used:ident)*| $call:expr) => {{
        $(let $used = $used.clone();)*
        act(move |$tx| {
            $(let $used = $used.clone();)*
            Box::pin(async move { $call.await })
        })
    }};
}

impl<D: Database> Sql<D> {
    async fn counts(&self) -> Result<Counts, SqlError> {
        if let Some(counts) = self.tally.fresh() {
            return Ok(counts);
        }
        let counts = self.database.transact(Durability::Read, act!(|tx| promises::counts(tx))).await?;
        self.tally.set(counts);
        Ok(counts)
    }

    async fn try_claim(&self) -> Result<Option<Work>, SqlError> {
        loop {
            let holder = identifier().map_err(|error| SqlError::new(error.to_string()))?;
            let claimed = self
                .database
                .transact(
                    Durability::Process,
                    act!(|tx, holder| promises::claim(tx, &holder, LEASE, ATTEMPTS)),
                )
                .await?;
            let claimed = match claimed {
                Claimed::Nothing => return Ok(None),
                Claimed::GivenUp => {
                    self.tally.operations(-1);
                    continue;
                }
                Claimed::Work(claimed) => claimed,
            };
            let lease = Lease { operation: claimed.operation, holder };
            match self.vault.open(&lease.operation, &claimed.kind, &claimed.sealed) {
                Ok(options) => {
                    return Ok(Some(Work {
                        lease,
                        options,
                        input_name: claimed.input_name,
                        input: claimed.input,
                    }));
                }
                Err(error) => {
                    tracing::error!(operation = %lease.operation, %error, "an operation's options cannot be read");
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
        let files = i64::from(file.is_some());
        let ended = self
            .database
            .transact(
                Durability::Power,
                act!(|tx, lease, outcome, file| promises::finish(tx, &lease, &outcome, file.as_ref())),
            )
            .await?;
        if ended {
            self.tally.operations(-1);
            self.tally.files(files);
        }
        Ok(ended)
    }
}

impl<D: Database> Registry for Sql<D> {
    fn add_file(&self, file: FileEntry) -> Answer<'_, bool> {
        Box::pin(async move {
            if self.counts().await?.files >= self.bounds.files as i64 {
                return Ok(false);
            }
            // A ticket holds nothing yet that could be lost.
            let durability = if file.content.is_some() { Durability::Power } else { Durability::Process };
            self.database.transact(durability, act!(|tx, file| promises::add_file(tx, &file))).await?;
            self.tally.files(1);
            Ok(true)
        })
    }

    fn place(&self, file: &str, content: Content) -> Answer<'_, Placed> {
        let file = file.to_owned();
        Box::pin(async move {
            let act = act!(|tx, file, content| promises::place(tx, &file, &content));
            Ok(self.database.transact(Durability::Power, act).await?)
        })
    }

    fn file(&self, id: &str) -> Answer<'_, Option<FileEntry>> {
        let id = id.to_owned();
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, act!(|tx, id| promises::file(tx, &id))).await?)
        })
    }

    fn files(&self) -> Answer<'_, Vec<FileEntry>> {
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, act!(|tx| promises::files(tx))).await?)
        })
    }

    fn remove_file(&self, id: &str) -> Answer<'_, Option<Removed>> {
        let id = id.to_owned();
        Box::pin(async move {
            let act = act!(|tx, id| promises::remove_file(tx, &id));
            let removed = self.database.transact(Durability::Power, act).await?;
            if let Some(removed) = &removed {
                self.tally.files(-1);
                self.tally.operations(-(removed.operations.len() as i64));
            }
            Ok(removed)
        })
    }

    fn submit(&self, submission: Submission) -> Answer<'_, Accepted> {
        Box::pin(async move {
            let full = self.counts().await?.operations >= self.bounds.operations as i64;
            let Submission { id, options, input, accepted } = submission;
            let sealed = self.vault.seal(&id, &options).map_err(|error| RegistryError(error.to_string()))?;
            let operation = NewOperation { id, kind: options.kind(), sealed, input, accepted };
            let act = act!(|tx, operation| promises::submit(tx, &operation, full));
            let answer = self.database.transact(Durability::Power, act).await?;
            if answer == Accepted::Yes {
                self.tally.operations(1);
            }
            Ok(answer)
        })
    }

    fn claim(&self) -> Answer<'_, Work> {
        Box::pin(async move {
            loop {
                // Before the look, so that what comes after it is not missed.
                let more = self.signals.more_work();
                if let Some(work) = self.try_claim().await? {
                    return Ok(work);
                }
                // When the time is over that is a reason to look as well.
                let _ = tokio::time::timeout(LOOK, more).await;
            }
        })
    }

    fn renewal(&self) -> Option<Duration> {
        Some(LEASE / 6)
    }

    fn renew(&self, lease: &Lease) -> Answer<'_, bool> {
        let lease = lease.clone();
        Box::pin(async move {
            let act = act!(|tx, lease| promises::renew(tx, &lease, LEASE));
            Ok(self.database.transact(Durability::Process, act).await?)
        })
    }

    fn release(&self, lease: &Lease) -> Answer<'_, ()> {
        let lease = lease.clone();
        Box::pin(async move {
            let act = act!(|tx, lease| promises::release(tx, &lease));
            Ok(self.database.transact(Durability::Process, act).await?)
        })
    }

    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> Answer<'_, bool> {
        let lease = lease.clone();
        Box::pin(async move { Ok(self.end(&lease, outcome, file).await?) })
    }

    fn operation(&self, id: &str) -> Answer<'_, Option<OperationEntry>> {
        let id = id.to_owned();
        Box::pin(async move {
            Ok(self.database.transact(Durability::Read, act!(|tx, id| promises::operation(tx, &id))).await?)
        })
    }

    fn ended(&self, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        Box::pin(async move {
            let watch = self.signals.watch(&id);
            loop {
                let ended = watch.ended();
                if self.operation(&id).await?.is_none_or(|operation| operation.outcome.is_some()) {
                    return Ok(());
                }
                let _ = tokio::time::timeout(LOOK, ended).await;
            }
        })
    }

    fn expire(&self, before: SystemTime) -> Answer<'_, Removed> {
        Box::pin(async move {
            let results = self.bounds.results as i64;
            let act = act!(|tx| promises::expire(tx, before, results));
            let removed = self.database.transact(Durability::Power, act).await?;
            self.tally.forget();
            Ok(removed)
        })
    }

    fn clear(&self) -> Answer<'_, Removed> {
        Box::pin(async move {
            let removed = self.database.transact(Durability::Power, act!(|tx| promises::clear(tx))).await?;
            self.tally.forget();
            Ok(removed)
        })
    }
}

impl From<SqlError> for RegistryError {
    fn from(error: SqlError) -> Self {
        Self(error.to_string())
    }
}
