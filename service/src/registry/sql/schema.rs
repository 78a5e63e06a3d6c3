//! The tables, and how a database gets them.

use super::transaction::{SqlError, Tx, Value};

/// The version of the tables; another one is not touched.
const VERSION: i64 = 1;

/// In both databases' SQL. Times are milliseconds since 1970.
const TABLES: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS recto_schema (version BIGINT NOT NULL)",
    // A file, or the ticket for one while `content` is NULL. `used`: an operation has used it, its content stays.
    "CREATE TABLE IF NOT EXISTS recto_files (
        id TEXT PRIMARY KEY, created BIGINT NOT NULL, origin TEXT NOT NULL, name TEXT NOT NULL,
        content TEXT, size BIGINT, used BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_files_created ON recto_files (created, id)",
    // `due`: when a worker may take it; while one holds it, when the lease runs out; NULL once it has ended.
    // `options` are sealed, and forgotten at the end.
    "CREATE TABLE IF NOT EXISTS recto_operations (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, input TEXT NOT NULL, options BYTEA, accepted BIGINT NOT NULL,
        due BIGINT, holder TEXT, attempts BIGINT NOT NULL, ended BIGINT, outcome TEXT)",
    // A content that belongs to no file, or to none yet; `since` and `state` say when it is to be removed.
    "CREATE TABLE IF NOT EXISTS recto_garbage (
        content TEXT PRIMARY KEY, state TEXT NOT NULL, since BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recto_operations_due ON recto_operations (due) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_input ON recto_operations (input) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS recto_operations_ended ON recto_operations (ended) WHERE ended IS NOT NULL",
];

/// Makes the tables where there are none.
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
            "its tables are of version {}, and this recto knows version {VERSION}; use the recto that made them, or give another place",
            row.int(0)?
        ))),
    }
}
