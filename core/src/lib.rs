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

mod address;
mod batch;
mod body;
mod call;
mod cancel;
mod client;
mod config;
mod connect;
mod deadline;
mod error;
mod exchange;
mod files;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
#[doc(hidden)]
pub mod log;
mod names;
mod operation;
mod poll;
mod problem;
mod progress;
#[cfg(test)]
mod properties;
mod redact;
mod redirect;
mod result;
mod retry;
mod runtime;
mod sink;
mod source;
mod tls;
mod token;
mod transfer;
mod transport;

pub use address::SignedUrl;
pub use batch::{Batch, BatchBuilder, BatchItem, Done};
pub use call::Call;
pub use cancel::Cancel;
pub use client::Client;
pub use config::ClientBuilder;
pub use error::{Error, ErrorKind, Phase};
pub use files::{Downloaded, Files};
pub use operation::Operation;
pub use progress::Progress;
pub use result::{OperationResult, OutputFile};
pub use sink::{Erase, Sink};
pub use source::{FileId, ReadSeek, Source};

pub use recto_interface as interface;
pub use recto_interface::options::*;
pub use recto_interface::{
    FileRecord, OperationKind, OperationStatus, OperationType, Secret, ValidationReport, Yields,
};
