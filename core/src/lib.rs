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
//! - [`Client`] starts operations and hands out [`Files`]; [`Operation`] waits for one and fetches its result.
//! - [`Source`] is where a document comes from, [`Sink`] where a result goes.
//! - [`Call`] holds what one call may be told besides: a time limit, a [`Cancel`] switch, callbacks.
//! - [`Error`] is the one error type; its [`ErrorKind`] is what programs branch on.
//!
//! Calls block. Inside, one future is driven on the caller's thread, and connections live on a shared runtime
//! that is made at the first call and knows about forks.
#![forbid(unsafe_code)]

mod batch;
mod builder;
mod call;
mod client;
mod error;
mod files;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod io;
#[doc(hidden)]
pub mod log;
mod operation;
#[cfg(test)]
mod properties;
mod redact;
mod runtime;
mod session;
mod transfer;

pub use batch::{Batch, BatchBuilder, BatchItem, Done};
pub use builder::ClientBuilder;
pub use call::Call;
pub use call::cancel::Cancel;
pub use call::progress::Progress;
pub use client::Client;
pub use error::{Error, ErrorKind, Phase};
pub use files::Files;
pub use http::address::SignedUrl;
pub use io::sink::{Erase, Sink};
pub use io::source::{FileId, ReadSeek, Source};
pub use operation::Operation;
pub use operation::result::{OperationResult, OutputFile};
pub use transfer::download::Downloaded;

pub use recto_interface as interface;
pub use recto_interface::options::*;
pub use recto_interface::{
    FileRecord, OperationKind, OperationStatus, OperationType, Options, Secret, ValidationReport, Yields,
};
