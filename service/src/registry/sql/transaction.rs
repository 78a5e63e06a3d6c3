//! The interface of a transaction, which is the same for both databases.

use futures_util::future::BoxFuture;

/// A value in a statement or a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// Why a transaction failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct SqlError {
    pub(super) message: String,
    /// Whether the transaction may succeed if it is repeated.
    pub(super) retryable: bool,
    /// Whether the database reported that the transaction changed nothing. The database may report this even in
    /// response to a commit.
    pub(super) rolled_back: bool,
}

impl SqlError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: false, rolled_back: false }
    }

    pub(super) fn retryable(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: true, rolled_back: false }
    }
}

/// An event that is announced when a transaction is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// An operation was queued.
    Work,
    /// The operation with this identifier ended.
    Ended(String),
}

/// The SQL texts that differ between the databases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// This text is appended to a `SELECT` of rows that the transaction changes later. With this text, the `SELECT`
    /// locks these rows.
    pub(super) lock: &'static str,
    /// This text is appended to a `SELECT`. With this text, the `SELECT` locks the rows, and skips rows that are
    /// already locked.
    pub(super) lock_skipping: &'static str,
    /// The statement that selects the current time in milliseconds since 1970. All processes use the clock of the
    /// database.
    pub(super) now: &'static str,
}

/// A transaction. `$1`, `$2`, … in the SQL stand for the first, the second, … of `values`. In the SQL, `$1` must appear
/// first, then `$2`, and so on.
pub(super) trait Tx: Send {
    fn dialect(&self) -> Dialect;

    fn rows<'t>(&'t mut self, sql: &'t str, values: &'t [Value])
    -> BoxFuture<'t, Result<Vec<Row>, SqlError>>;

    /// Runs a statement, and returns the number of changed rows.
    fn execute<'t>(&'t mut self, sql: &'t str, values: &'t [Value]) -> BoxFuture<'t, Result<u64, SqlError>>;

    /// Announces an event to all processes when the transaction is committed.
    fn announce(&mut self, event: Event) -> BoxFuture<'_, Result<(), SqlError>>;
}

/// A row that a query returns.
#[derive(Clone, Debug)]
pub(super) struct Row(pub(super) Vec<Value>);

impl Row {
    pub(super) fn int(&self, column: usize) -> Result<i64, SqlError> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(*number),
            other => Err(unexpected(column, "a number", other)),
        }
    }

    pub(super) fn maybe_int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        if self.is_null(column) { Ok(None) } else { self.int(column).map(Some) }
    }

    pub(super) fn text(&self, column: usize) -> Result<String, SqlError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(text.clone()),
            other => Err(unexpected(column, "a text", other)),
        }
    }

    pub(super) fn maybe_text(&self, column: usize) -> Result<Option<String>, SqlError> {
        if self.is_null(column) { Ok(None) } else { self.text(column).map(Some) }
    }

    pub(super) fn bytes(&self, column: usize) -> Result<Vec<u8>, SqlError> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
            other => Err(unexpected(column, "bytes", other)),
        }
    }

    fn is_null(&self, column: usize) -> bool {
        matches!(self.0.get(column), Some(Value::Null))
    }
}

fn unexpected(column: usize, wanted: &str, found: Option<&Value>) -> SqlError {
    let found = match found {
        None => "no column",
        Some(Value::Null) => "nothing",
        Some(Value::Int(_)) => "a number",
        Some(Value::Text(_)) => "a text",
        Some(Value::Bytes(_)) => "bytes",
    };
    SqlError::new(format!("column {column} of a row should contain {wanted}, but contains {found}"))
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_owned())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
