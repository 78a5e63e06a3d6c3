//! The blocking client of the PDF processing service.
//!
//! ```no_run
//! use recto::{Call, Client, OptimizeOptions, Profile};
//! # fn main() -> Result<(), recto::Error> {
//! let client = Client::from_env()?;
//! let options = OptimizeOptions { profile: Some(Profile::Web) };
//! client.start("report.pdf", options, &Call::new())?.save("small.pdf", &Call::new())?;
//! # Ok(())
//! # }
//! ```
//!
//! - [`Client`] starts operations and gives access to [`Files`]; [`Operation`] waits for an operation and downloads
//!   its result.
//! - [`Source`] is what a document is read from, [`Sink`] is what a result is written to.
//! - [`Call`] holds the settings of one call: time limits, a [`Cancel`] to end the call from outside, callbacks.
//! - [`Error`] is the only error type; programs branch on its [`ErrorKind`].
//!
//! Calls block. Each call drives a future on the caller's thread; connections belong to a runtime that all clients of
//! a process share. The runtime is created at the first call, and created again in a forked child process.
#![forbid(unsafe_code)]

mod batch;
mod builder;
mod call;
mod client;
mod error;
mod file_record;
mod files;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod io;
#[doc(hidden)]
pub mod log;
mod message;
mod operation;
mod overrides;
#[cfg(test)]
mod properties;
mod redact;
mod runtime;
mod session;
#[doc(hidden)]
pub mod threads;
mod transfer;

#[cfg(feature = "watch")]
pub use batch::Watch;
pub use batch::{Batch, BatchBuilder, BatchItem, BatchSource, Done};
pub use builder::ClientBuilder;
pub use call::Call;
pub use call::cancel::Cancel;
pub use call::progress::Progress;
pub use client::Client;
pub use client::start::Input;
pub use error::{Error, ErrorKind, Phase};
pub use files::Files;
pub use http::address::SignedUrl;
pub use io::sink::{Erase, Sink};
pub use io::source::{FileId, ReadSeek, Source};
pub use operation::Operation;
pub use operation::result::{OperationResult, OutputFile};
pub use operation::stream::ResultStream;
pub use overrides::Overrides;
pub use transfer::download::Downloaded;

pub use recto_interface as interface;
pub use recto_interface::options::*;
pub use recto_interface::{
    FileRecord, OperationKind, OperationStatus, OperationType, Options, Secret, ValidationReport, Yields,
};
