//! Why a service could not be started.

use std::io;
use std::path::PathBuf;

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The service cannot listen on the address.
    #[error(
        "the service cannot listen on {host}:{port}: {source}; choose another host or port, or port 0 for a free one"
    )]
    Listen {
        /// The host name or address of the setting.
        host: String,
        /// The port of the setting.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The service cannot use its data directory, or the folder for its private directory.
    #[error("the service cannot keep files in {}: {source}{}", directory.display(), advice(source))]
    DataDirectory {
        /// The directory that cannot be used.
        directory: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The requested isolation is not available.
    #[error("{0}")]
    Isolation(String),
    /// The program to start workers from cannot be executed.
    #[error(
        "the service cannot start workers from {}: {why}; set RECTO_WORKER to the path of the recto program of the same \
         version, or to none to process documents in the service itself, without isolation",
        program.display()
    )]
    WorkerProgram {
        /// The path of the program.
        program: PathBuf,
        /// The reason.
        why: String,
    },
    /// A setting is invalid.
    #[error("{0}")]
    Setting(String),
    /// The operating system does not provide threads or random numbers.
    #[error("the service cannot start: {0}")]
    System(#[from] io::Error),
}

/// What the user can do about a directory that cannot be used. Empty for a busy directory, because the message of that
/// error already contains the advice.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::ResourceBusy => "",
        _ => "; choose a directory that it can write to",
    }
}
