//! The settings of a service: where it listens, who may use it, where it keeps files.

use crate::execution::Engine;
use crate::isolation::Isolation;
use crate::limits::Limits;
use recto_interface::Secret;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

/// The settings of a service.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name or address to listen on; `127.0.0.1` by default, which only this machine can reach.
    pub host: String,
    /// The port to listen on; 0, the default, chooses a free one.
    pub port: u16,
    /// The key that clients must send; a random one of 256 bits by default.
    pub api_key: Option<Secret>,
    /// Where files, results and operations are kept; by default they are removed when the service ends.
    pub store: Store,
    /// How many operations run at the same time; by default as many as there are cores. With zero, this service only
    /// accepts requests, and `recto worker` processes do the work.
    pub workers: Option<usize>,
    /// The limits of what clients may request.
    pub limits: Limits,
    /// The limits of one operation.
    pub engine_limits: recto_engine::Limits,
    /// What a document may decode to, in bytes, if its operation runs in the process of the service instead of in a
    /// worker; 256 MiB by default. This bounds the memory that a small document can take from the program.
    pub in_process_bytes: u64,
    /// The time after which an operation is given to another worker if its worker has not renewed the lease; 30 s by
    /// default.
    pub lease: Duration,
    /// How operations are isolated from the service.
    pub isolation: Isolation,
    /// How long files and results are kept; 24 hours by default.
    pub retention: Duration,
    /// How long an upload or download address is valid; one hour by default.
    pub link_lifetime: Duration,
    /// The address that clients use for the service, if it is not the one that they connect to, such as behind a proxy.
    /// It may have a path.
    pub public_url: Option<String>,
    /// Whether files may be fetched from private, loopback and link-local addresses; `false` by default.
    pub allow_private_urls: bool,
    /// The ports that files may be fetched from; by default 80 and 443, or every port with `allow_private_urls`.
    pub fetch_ports: Option<Vec<u16>>,
    /// Whether a request with a field or an option that the service does not know is refused; by default it is ignored.
    pub strict_fields: bool,
    /// Whether the test controls below `/test` are available; `false` by default.
    #[cfg(feature = "test-controls")]
    pub test_controls: bool,
    /// How long running operations may continue after the service was requested to stop; zero by default.
    pub drain: Duration,
    /// The engine that runs the operations; tests may replace it.
    #[doc(hidden)]
    pub engine: Engine,
}

/// Where a service keeps files, results and operations.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Store {
    /// In memory, and in a private directory below `parent` (by default the system's temporary directory). Everything
    /// is removed when the service ends.
    Temporary {
        /// An existing directory.
        parent: Option<PathBuf>,
    },
    /// In this directory, which is created if it does not exist and which only one service at a time may use. Accepted
    /// operations survive the end of the process, also a crash, and the next service finishes them.
    #[cfg(feature = "durable")]
    Directory(PathBuf),
    /// In a database and a bucket, shared by any number of services and workers.
    #[cfg(feature = "shared")]
    Shared(Shared),
}

/// The database and bucket that services and workers on many machines share.
#[cfg(feature = "shared")]
#[derive(Clone, Debug)]
pub struct Shared {
    /// The PostgreSQL database: `postgres://user:password@host/name`. The connection uses TLS, except to this machine.
    pub database: Secret,
    /// Whether the connection to a database on another machine may be without TLS. If so, `sslmode` in the query of its
    /// address decides whether TLS is used.
    pub allow_insecure_database: bool,
    /// The bucket of an S3-compatible store, and the prefix of its objects: `s3://name/prefix`. The credentials come
    /// from the environment or the machine, where Amazon's own tools look for them too.
    pub bucket: String,
    /// The endpoint of the store; Amazon's by default.
    pub endpoint: Option<String>,
    /// The endpoint for clients, if it is another one.
    pub public_endpoint: Option<String>,
    /// Whether the endpoints may be plain http to another machine.
    pub allow_insecure_bucket: bool,
    /// Encrypts the options of waiting operations. The same in every process; at least 32 bytes, random.
    pub secret_key: Secret,
    /// Where files are kept until they are sent to the store; the system's temporary directory by default.
    pub spool: Option<PathBuf>,
}

impl Default for Store {
    fn default() -> Self {
        Self::Temporary { parent: None }
    }
}

impl Config {
    /// How many operations run at the same time.
    pub(crate) fn workers(&self) -> usize {
        self.workers
            .unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
            .max(self.least_workers())
    }

    /// At least one, unless other processes can do the work.
    fn least_workers(&self) -> usize {
        match self.store {
            #[cfg(feature = "shared")]
            Store::Shared(_) => 0,
            _ => 1,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 0,
            api_key: None,
            store: Store::default(),
            workers: None,
            limits: Limits::default(),
            engine_limits: recto_engine::Limits::default(),
            in_process_bytes: 256 << 20,
            lease: Duration::from_secs(30),
            isolation: Isolation::default(),
            retention: Duration::from_secs(24 * 60 * 60),
            link_lifetime: Duration::from_secs(60 * 60),
            public_url: None,
            allow_private_urls: false,
            fetch_ports: None,
            strict_fields: false,
            #[cfg(feature = "test-controls")]
            test_controls: false,
            drain: Duration::ZERO,
            engine: Engine::default(),
        }
    }
}
