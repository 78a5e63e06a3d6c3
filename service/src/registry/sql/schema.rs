//! The tables of the registry, and their creation.

use super::transaction::{SqlError, Tx, Value};

/// The version of the tables. The service does not change a database with another version.
const VERSION: i64 = 1;

/// The statements that create the tables, in SQL for both databases. All times are milliseconds since 1970.
const TABLES: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS recto_schema (version BIGINT NOT NULL)",
    // A file. While `content` is NULL, the bytes have not been uploaded yet. `used` is 1 after an operation has used
    // the file; then the content of the file does not change any more.
    "CREATE TABLE IF NOT EXISTS recto_files (
        id TEXT PRIMARY KEY, created BIGINT NOT NULL, origin TEXT NOT NULL, name TEXT NOT NULL,
        content TEXT, size BIGINT, used BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_files_created ON recto_files (created, id)",
    // `due`: while the operation is queued, the time from which a worker may take it; while a worker has a lease on the
    // operation, the time when the lease expires; NULL after the operation has ended. `options` are encrypted, and are
    // deleted when the operation ends.
    "CREATE TABLE IF NOT EXISTS recto_operations (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, input TEXT NOT NULL, options BYTEA, accepted BIGINT NOT NULL,
        due BIGINT, holder TEXT, attempts BIGINT NOT NULL, ended BIGINT, outcome TEXT)",
    // A content that no file uses, or that no file uses yet. `since` and `state` determine when the content is deleted.
    "CREATE TABLE IF NOT EXISTS recto_garbage (
        content TEXT PRIMARY KEY, state TEXT NOT NULL, since BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_operations_due ON recto_operations (due) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_input ON recto_operations (input) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_ended ON recto_operations (ended) WHERE ended IS NOT NULL",
];

/// Creates the tables that do not exist. `Err` if the tables have another version.
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
