//! One transaction, as the promises see it, whatever database is behind it.

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
    /// The same transaction may succeed when it is tried again.
    pub(super) retryable: bool,
    /// The database says that nothing was done, even if that was the answer to a commit.
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

/// What others are told when a transaction is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// There is work.
    Work,
    /// This operation has ended.
    Ended(String),
}

/// Where the databases differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// At the end of a `SELECT` of rows that are changed after it: nobody else changes them meanwhile.
    pub(super) lock: &'static str,
    /// The same, leaving out the rows that somebody else has locked.
    pub(super) lock_free: &'static str,
    /// The time in milliseconds since 1970, by the one clock of all who use the database.
    pub(super) now: &'static str,
}

/// A transaction. In SQL, `$1`, `$2`, … are the values, and first appear in this order.
pub(super) trait Tx: Send {
    fn dialect(&self) -> Dialect;

    fn rows<'t>(&'t mut self, sql: &'t str, values: &'t [Value])
    -> BoxFuture<'t, Result<Vec<Row>, SqlError>>;

    /// How many rows were changed.
    fn execute<'t>(&'t mut self, sql: &'t str, values: &'t [Value]) -> BoxFuture<'t, Result<u64, SqlError>>;

    /// Tells everybody, when the transaction is done.
    fn announce(&mut self, event: Event) -> BoxFuture<'_, Result<(), SqlError>>;
}

/// A row that was found.
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
    SqlError::new(format!("column {column} of a row should hold {wanted}, and holds {found}"))
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
