//! What a service is told: where it listens, who may use it, and its limits, every one finite by default.

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
    /// The name or address to listen on; `127.0.0.1` by default, which only this machine reaches.
    pub host: String,
    /// The port to listen on; 0, the default, takes a free one.
    pub port: u16,
    /// The key that clients must send; a random one of 256 bits by default.
    pub api_key: Option<Secret>,
    /// Where files, results and work are kept; by default they end with the service.
    pub store: Store,
    /// How many operations run at the same time; as many as there are cores by default. Zero where others work: then
    /// this service only takes requests.
    pub workers: Option<usize>,
    /// What clients may ask of the service.
    pub limits: Limits,
    /// What one operation may take.
    pub engine_limits: recto_engine::Limits,
    /// How long a worker may be silent before its operation is given to another; 30 s by default.
    pub lease: Duration,
    /// How operations are kept apart from the service.
    pub isolation: Isolation,
    /// How long files and results are kept; 24 hours by default.
    pub retention: Duration,
    /// How long an upload or download address is good for; one hour by default.
    pub link_lifetime: Duration,
    /// The address under which clients reach the service, where that is not the address they connect to: behind a
    /// proxy. It may have a path.
    pub public_url: Option<String>,
    /// Whether a file may be fetched from private, loopback and link-local addresses; not by default.
    pub allow_private_urls: bool,
    /// Whether the test controls answer below `/test`; not by default.
    #[cfg(feature = "test-controls")]
    pub test_controls: bool,
    /// How long running operations may go on once the service was told to stop; none by default.
    pub drain: Duration,
    /// What does the work, where tests need another than the engine.
    #[doc(hidden)]
    pub engine: Engine,
}

/// Where a service keeps files, results and work.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Store {
    /// In memory, and in a private directory below `parent` (by default the system's temporary directory): nothing
    /// outlasts the service.
    Temporary {
        /// An existing directory.
        parent: Option<PathBuf>,
    },
    /// In this directory, which one service at a time has to itself; made if need be. What was accepted outlasts the
    /// process however it ends, and is finished by the next one.
    #[cfg(feature = "durable")]
    Directory(PathBuf),
    /// In a database and a bucket that any number of services and workers share.
    #[cfg(feature = "shared")]
    Shared(Shared),
}

/// What services and workers on many machines share.
#[cfg(feature = "shared")]
#[derive(Clone, Debug)]
pub struct Shared {
    /// The PostgreSQL database: `postgres://user:password@host/name`. `sslmode=require` in its query asks for TLS.
    pub database: Secret,
    /// The bucket of an S3-compatible store, and what the names of its objects begin with: `s3://name/prefix`. The
    /// credentials are those of the environment or of the machine, as Amazon's own tools find them.
    pub bucket: String,
    /// Where the store is; Amazon's own by default.
    pub endpoint: Option<String>,
    /// Where clients reach it, if that is another address.
    pub public_endpoint: Option<String>,
    /// Seals the options of operations that wait; the same at every process, at least 32 bytes that nobody can guess.
    pub secret_key: Secret,
    /// Where files are until they are sent to the store; the system's temporary directory by default.
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

    /// Work that nobody else takes must be done here.
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
            lease: Duration::from_secs(30),
            isolation: Isolation::default(),
            retention: Duration::from_secs(24 * 60 * 60),
            link_lifetime: Duration::from_secs(60 * 60),
            public_url: None,
            allow_private_urls: false,
            #[cfg(feature = "test-controls")]
            test_controls: false,
            drain: Duration::ZERO,
            engine: Engine::default(),
        }
    }
}
