//! PostgreSQL: any number of processes share the registry.
//!
//! Transactions read committed data and lock the rows that they change. A worker skips rows that another worker has
//! locked. Events reach all processes through `LISTEN`. A lost event causes a delay of at most about one second,
//! because waiting tasks also query every second.

use super::notify::Notifier;
use super::transaction::{Dialect, Event, Row, SqlError, Tx, Value};
use super::vault::Vault;
use super::{Database, Durability, Sql, TxFn, Uploads, schema};
use crate::registry::{Quota, Registry};
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts, Transaction};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use recto_interface::Secret;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{AsyncMessage, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The maximum number of connections of a process, in addition to the connection that listens for events.
const CONNECTIONS: usize = 10;

/// The maximum time to open a connection, to run a statement, or to wait for a lock.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The maximum number of attempts to run a transaction. A transaction is repeated if the database rolls it back, or if
/// its connection was lost before the transaction started.
const MAX_ATTEMPTS: u32 = 5;

/// The `LISTEN` channel of the events.
const CHANNEL: &str = "recto_events";

const DIALECT: Dialect = Dialect {
    lock: " FOR UPDATE",
    lock_skipping: " FOR UPDATE SKIP LOCKED",
    now: "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
};

/// Follows the error of a connection that requires TLS.
const TLS_ADVICE: &str = "; the connection to a database on another machine requires TLS with a certificate that this \
    machine trusts, unless --allow-insecure-database (RECTO_SERVE_ALLOW_INSECURE_DATABASE=true) allows one without TLS";

/// The address of a database.
#[derive(Clone, Copy)]
pub(crate) struct DatabaseAddress<'a> {
    pub(crate) address: &'a Secret,
    /// Whether the connection to another machine may be without TLS.
    pub(crate) allow_insecure: bool,
}

impl DatabaseAddress<'_> {
    /// Reads the address. The connection to another machine requires TLS, unless the settings allow one without it:
    /// `sslmode=prefer`, the default of an address, falls back to an unencrypted connection without notice.
    fn config(self) -> Result<Config, String> {
        // The error of the parser is not used, because it would quote the database address with its password.
        let mut config: Config = self.address.expose().parse().map_err(|_| {
            "invalid database address: use one such as postgres://user:password@host/name".to_owned()
        })?;
        if self.allow_insecure || is_local(&config) {
            return Ok(config);
        }
        if config.get_ssl_mode() == SslMode::Disable {
            return Err("the database is on another machine, and its address has sslmode=disable, so its contents and \
                        password would be sent unencrypted; use sslmode=require, or allow this with \
                        --allow-insecure-database (RECTO_SERVE_ALLOW_INSECURE_DATABASE=true)"
                .to_owned());
        }
        config.ssl_mode(SslMode::Require);
        Ok(config)
    }
}

/// Whether all connections stay on this machine. If the address has `hostaddr`, the connections go there.
fn is_local(config: &Config) -> bool {
    let local_host = |host: &Host| match host {
        Host::Tcp(host) => {
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(local_host),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// The connections to the database, and the task that listens for events.
pub(super) struct Postgres {
    pool: Pool,
    listener: JoinHandle<()>,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Opens the registry in the database at `address`. If the tables do not exist, creates them.
pub(crate) async fn connect(
    address: DatabaseAddress<'_>,
    quota: Quota,
    vault: Arc<Vault>,
    tls: rustls::ClientConfig,
    lease: Duration,
    uploads: Uploads,
) -> Result<Arc<dyn Registry>, String> {
    Ok(Arc::new(Sql::connect(address, quota, vault, tls, lease, uploads).await?))
}

impl Sql<Postgres> {
    async fn connect(
        address: DatabaseAddress<'_>,
        quota: Quota,
        vault: Arc<Vault>,
        tls: rustls::ClientConfig,
        lease: Duration,
        uploads: Uploads,
    ) -> Result<Self, String> {
        let mut config = address.config()?;
        let requires_tls = config.get_ssl_mode() == SslMode::Require;
        config.connect_timeout(TIMEOUT).tcp_user_timeout(TIMEOUT * 2);
        if config.get_application_name().is_none() {
            config.application_name("recto");
        }
        if config.get_options().is_none() {
            let millis = TIMEOUT.as_millis();
            config.options(format!(
                "-c statement_timeout={millis} -c lock_timeout={millis} -c idle_in_transaction_session_timeout={millis}"
            ));
        }
        let tls = MakeRustlsConnect::new(tls);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config.clone(), tls.clone(), recycling);
        let timeouts = Timeouts { wait: Some(TIMEOUT), create: Some(TIMEOUT), recycle: Some(TIMEOUT) };
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| error.to_string())?;
        let notifier = Arc::new(Notifier::default());
        let listener = tokio::spawn(listen(config, tls, Arc::clone(&notifier)));
        let database = Postgres { pool, listener };
        let prepared = super::tx_fn(|tx| {
            Box::pin(async move {
                // Only one process at a time prepares the tables: two processes that create the same table at the same
                // time would fail.
                tx.execute("SELECT pg_advisory_xact_lock(7236867)", &[]).await?;
                schema::prepare(tx).await
            })
        });
        database.transact(Durability::Power, prepared).await.map_err(|error| {
            let advice = if requires_tls { TLS_ADVICE } else { "" };
            format!("cannot use the database: {error}{advice}")
        })?;
        Ok(Self::new(database, notifier, quota, vault, lease, Some(uploads)))
    }
}

impl Database for Postgres {
    fn transact<T: Send + 'static>(
        &self,
        durability: Durability,
        run: TxFn<T>,
    ) -> BoxFuture<'_, Result<T, SqlError>> {
        Box::pin(async move {
            let mut attempts = 0;
            loop {
                attempts += 1;
                match self.try_transact(durability, &run).await {
                    Err(error) if error.retryable && attempts < MAX_ATTEMPTS => {
                        tracing::debug!(%error, "repeating a transaction");
                        sleep(Duration::from_millis(10) * 3_u32.pow(attempts)).await;
                    }
                    ended => return ended,
                }
            }
        })
    }
}

impl Postgres {
    async fn try_transact<T>(&self, durability: Durability, run: &TxFn<T>) -> Result<T, SqlError> {
        let mut client = self.pool.get().await.map_err(|error| SqlError::retryable(with_causes(&error)))?;
        let transaction = client.transaction().await.map_err(sql_error)?;
        if durability == Durability::Process {
            // The changes of this transaction need not be synced to the disk before the response.
            transaction.batch_execute("SET LOCAL synchronous_commit TO off").await.map_err(sql_error)?;
        }
        let mut tx = PostgresTx { transaction };
        let value = run(&mut tx).await?;
        // If the response to a commit is lost, it is unknown whether the database has committed. In this case, the
        // transaction is not repeated.
        tx.transaction.commit().await.map_err(|error| {
            let error = sql_error(error);
            SqlError { retryable: error.retryable && error.rolled_back, ..error }
        })?;
        Ok(value)
    }
}

struct PostgresTx<'c> {
    transaction: Transaction<'c>,
}

impl PostgresTx<'_> {
    async fn find(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, tokio_postgres::Error> {
        let statement = self.transaction.prepare_cached(sql).await?;
        let found = self.transaction.query(&statement, &parameters(values)).await?;
        found.iter().map(row).collect()
    }

    async fn change(&self, sql: &str, values: &[Value]) -> Result<u64, tokio_postgres::Error> {
        let statement = self.transaction.prepare_cached(sql).await?;
        self.transaction.execute(&statement, &parameters(values)).await
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

fn row(found: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    let values = found.columns().iter().enumerate().map(|(number, column)| {
        Ok(match *column.type_() {
            Type::INT8 => found.try_get::<_, Option<i64>>(number)?.into(),
            Type::BYTEA => found.try_get::<_, Option<&[u8]>>(number)?.into(),
            _ => found.try_get::<_, Option<String>>(number)?.into(),
        })
    });
    values.collect::<Result<_, _>>().map(Row)
}

impl Tx for PostgresTx<'_> {
    fn dialect(&self) -> Dialect {
        DIALECT
    }

    fn rows<'t>(
        &'t mut self,
        sql: &'t str,
        values: &'t [Value],
    ) -> BoxFuture<'t, Result<Vec<Row>, SqlError>> {
        Box::pin(async move { self.find(sql, values).await.map_err(sql_error) })
    }

    fn execute<'t>(&'t mut self, sql: &'t str, values: &'t [Value]) -> BoxFuture<'t, Result<u64, SqlError>> {
        Box::pin(async move { self.change(sql, values).await.map_err(sql_error) })
    }

    fn announce(&mut self, event: Event) -> BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move {
            let sql = "SELECT pg_notify($1, $2)";
            self.change(sql, &[CHANNEL.into(), payload(&event).into()]).await.map(drop).map_err(sql_error)
        })
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(of, out),
            Self::Text(text) => text.to_sql(of, out),
            Self::Bytes(bytes) => bytes.to_sql(of, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Passes the events of the database on to `notifier`. Reconnects when the connection fails.
async fn listen(config: Config, tls: MakeRustlsConnect, notifier: Arc<Notifier>) {
    loop {
        if let Err(error) = listen_once(&config, tls.clone(), &notifier).await {
            tracing::warn!(
                error = with_causes(&error),
                "cannot listen for events of the database; waiting requests take up to a second longer"
            );
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn listen_once(
    config: &Config,
    tls: MakeRustlsConnect,
    notifier: &Notifier,
) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = config.connect(tls).await?;
    let mut messages = stream::poll_fn(|context| connection.poll_message(context));
    let listen = format!("LISTEN {CHANNEL}");
    let mut listening = std::pin::pin!(client.batch_execute(&listen));
    let mut listens = false;
    loop {
        tokio::select! {
            begun = &mut listening, if !listens => {
                begun?;
                listens = true;
            }
            message = messages.next() => match message {
                None => return Ok(()),
                Some(Err(error)) => return Err(error),
                Some(Ok(AsyncMessage::Notification(notification))) => {
                    if let Some(event) = event_of(notification.payload()) {
                        notifier.notify(&event);
                    }
                }
                Some(Ok(_)) => {}
            },
        }
    }
}

fn payload(event: &Event) -> String {
    match event {
        Event::Work => "work".to_owned(),
        Event::Ended(operation) => format!("ended {operation}"),
    }
}

fn event_of(payload: &str) -> Option<Event> {
    match payload.split_once(' ') {
        None if payload == "work" => Some(Event::Work),
        Some(("ended", operation)) => Some(Event::Ended(operation.to_owned())),
        _ => None,
    }
}

fn sql_error(error: tokio_postgres::Error) -> SqlError {
    let rolled_back = error.code().is_some_and(|code| {
        [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
        ]
        .contains(code)
    });
    SqlError { message: with_causes(&error), retryable: rolled_back || error.is_closed(), rolled_back }
}

/// The message of an error and the messages of all its causes. None of these messages quotes the database address.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_message = inner.to_string();
        if !message.contains(&inner_message) {
            message = format!("{message}: {inner_message}");
        }
        cause = inner.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ssl_mode(address: &str, allow_insecure: bool) -> Result<SslMode, String> {
        let address = DatabaseAddress { address: &address.into(), allow_insecure };
        address.config().map(|config| config.get_ssl_mode())
    }

    #[test]
    fn a_database_on_another_machine_requires_tls() {
        for remote in [
            "postgres://recto:hush@db.example/recto",
            "postgres://recto:hush@db.example/recto?sslmode=prefer",
            "postgres://recto:hush@db.example/recto?sslmode=require",
            "postgres://recto:hush@10.0.0.7/recto",
            "postgres://recto:hush@localhost,db.example/recto",
            "host=localhost hostaddr=10.0.0.7 user=recto password=hush",
        ] {
            assert_eq!(ssl_mode(remote, false), Ok(SslMode::Require), "{remote}");
        }
        let disabled = "postgres://recto:hush@db.example/recto?sslmode=disable";
        let error = ssl_mode(disabled, false).unwrap_err();
        assert!(error.contains("--allow-insecure-database") && !error.contains("hush"), "{error}");
        assert_eq!(ssl_mode(disabled, true), Ok(SslMode::Disable));
        assert_eq!(ssl_mode("postgres://recto:hush@db.example/recto", true), Ok(SslMode::Prefer));
    }

    #[test]
    fn a_database_on_this_machine_does_not_require_tls() {
        for local in [
            "postgres://recto@localhost/recto",
            "postgres://recto@127.0.0.1:5433/recto",
            "postgres://recto@[::1]/recto",
            "host=/run/postgresql user=recto",
            "host=db.example hostaddr=127.0.0.1 user=recto",
        ] {
            assert_eq!(ssl_mode(local, false), Ok(SslMode::Prefer), "{local}");
        }
        assert_eq!(ssl_mode("postgres://recto@localhost/recto?sslmode=require", false), Ok(SslMode::Require));
    }
}
