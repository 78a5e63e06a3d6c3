//! The tables of the registry, and their creation.

use super::transaction::{SqlError, Tx, Value};

/// The version of the tables. A database with another version is not changed.
const VERSION: i64 = 1;

/// In SQL for both databases. Times are milliseconds since 1970.
const TABLES: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS recto_schema (version BIGINT NOT NULL)",
    // A file, or an upload ticket while `content` is NULL. `used`: an operation has used it, so its content does not change.
    "CREATE TABLE IF NOT EXISTS recto_files (
        id TEXT PRIMARY KEY, created BIGINT NOT NULL, origin TEXT NOT NULL, name TEXT NOT NULL,
        content TEXT, size BIGINT, used BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_files_created ON recto_files (created, id)",
    // `due`: when a worker may take it; while one has it, when the lease expires; NULL after it has ended.
    // `options` are encrypted, and deleted at the end.
    "CREATE TABLE IF NOT EXISTS recto_operations (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, input TEXT NOT NULL, options BYTEA, accepted BIGINT NOT NULL,
        due BIGINT, holder TEXT, attempts BIGINT NOT NULL, ended BIGINT, outcome TEXT)",
    // A content that no file names, or not yet; `since` and `state` say when to delete it.
    "CREATE TABLE IF NOT EXISTS recto_garbage (
        content TEXT PRIMARY KEY, state TEXT NOT NULL, since BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_operations_due ON recto_operations (due) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_input ON recto_operations (input) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_ended ON recto_operations (ended) WHERE ended IS NOT NULL",
];

/// Creates the tables if they do not exist.
pub(super) async fn prepare(tx: &mut dyn Tx) -> Result<(), SqlError> {
    for table in TABLES {
        tx.execute(table, &[]).await?;
    }
    match tx.rows("SELECT version FROM recto_schema", &[]).await?.first() {
        None => {
            tx.execute("INSERT INTO recto_schema (version) VALUES ($1)", &[Value::Int(VERSION)]).await?;
            Ok(())
        }
        Some(row) if row.int(0)? == VERSION => Ok(()),
        Some(row) => Err(SqlError::new(format!(
            "its tables have version {}, but this recto needs version {VERSION}; use the version of recto that created them, or another database",
            row.int(0)?
        ))),
    }
}
