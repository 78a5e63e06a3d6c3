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

mod access;
mod config;
#[cfg(feature = "durable")]
mod data_dir;
mod executor;
mod fetch;
mod files;
mod guard;
mod ids;
mod isolation;
mod json;
mod links;
mod local;
mod metrics;
mod names;
mod openapi;
mod operations;
mod page;
mod prefer;
mod problem;
mod range;
mod registry;
mod routes;
mod server;
mod shared;
mod state;
mod storage;
mod store;
mod sweep;
mod test_controls;
mod threads;
mod timestamp;
mod tls;
mod trace;
mod transfer;
#[cfg(feature = "durable")]
mod vault;
mod worker;

#[cfg(feature = "shared")]
pub use config::Shared;
pub use config::{Config, Limits, Store};
#[doc(hidden)]
pub use executor::Engine;
pub use isolation::Protection;
pub use isolation::{Isolation, IsolationMode, WORKER_COMMAND, WORKER_VARIABLE, WorkerProgram, run_worker};
pub use local::{LocalService, LocalServiceBuilder};
pub use recto_engine::office_program;
pub use server::{ServiceError, Serving, serve, serve_until_signal};
#[doc(hidden)]
pub use shared::PerProcess;
pub use shared::SharedService;
