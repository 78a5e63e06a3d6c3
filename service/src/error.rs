//! Why a service could not be started.

use std::io;
use std::path::PathBuf;

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The address cannot be listened on.
    #[error(
        "the service cannot listen on {host}:{port}: {source}; choose another host or port, or port 0 for any free one"
    )]
    Listen {
        /// The host asked for.
        host: String,
        /// The port asked for.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The directory for the service's files cannot be used.
    #[error("the service cannot keep files in {}: {source}{}", directory.display(), advice(source))]
    DataDirectory {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The isolation that was asked for cannot be had.
    #[error("the isolation `strict` cannot be had here: {0}; ask for `best` to do with what there is")]
    Isolation(String),
    /// A setting that cannot be followed.
    #[error("{0}")]
    Setting(String),
    /// The system does not give what every service needs: threads, random numbers.
    #[error("the service cannot start: {0}")]
    System(#[from] io::Error),
}

/// What to do about a directory that cannot be used; some causes say so themselves.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::ResourceBusy => "",
        _ => "; give it a directory that it may write to",
    }
}
