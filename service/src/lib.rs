//! The PDF processing service, for real and over real HTTP: embedded in a program, or standing alone.
//!
//! - [`LocalService`] runs it on a thread of its own, on loopback, with a random port and key: what a client without
//!   a base URL uses. It ends with the value and leaves nothing behind.
//! - [`serve`] and [`serve_until_signal`] run it until they are told to stop: `recto serve`.
//!
//! Inside, from the wire to the work: `server` (connections) → `routes` → `files`, `transfer`, `operations` (the
//! endpoints) → `Registry` (what exists and what waits) and `Storage` (bytes) → `worker` (the queue's end) → `executor` and
//! `isolation` (the engine, in processes of its own).
//! Both traits have an embedded form here; a durable one needs no change elsewhere.
#![forbid(unsafe_code)]

mod auth;
mod config;
mod endpoints;
mod error;
mod execution;
mod fetch;
mod http;
mod ids;
mod isolation;
mod limits;
mod local;
mod metrics;
mod open;
mod process_wide;
mod queue;
mod registry;
mod server;
mod state;
mod storage;
#[cfg(feature = "test-controls")]
mod test_controls;

#[cfg(feature = "shared")]
pub use config::Shared;
pub use config::{Config, Store};
pub use error::ServiceError;
#[doc(hidden)]
pub use execution::Engine;
pub use isolation::Protection;
pub use isolation::{Isolation, IsolationMode, WORKER_COMMAND, WORKER_VARIABLE, WorkerProgram, run_worker};
pub use limits::Limits;
pub use local::{LocalService, LocalServiceBuilder};
#[doc(hidden)]
pub use process_wide::PerProcess;
pub use process_wide::SharedService;
pub use recto_engine::office_program;
pub use server::{Serving, serve, serve_until_signal};
