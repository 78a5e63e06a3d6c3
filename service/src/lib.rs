//! The PDF processing service over HTTP: embedded in a program, or standalone.
//!
//! - [`LocalService`] runs the service on its own thread, on loopback, with a random port and a random API key. Clients
//!   without a base URL use such a service. When the [`LocalService`] is dropped, the service stops and removes its
//!   files.
//!   [`remove_folders_at_exit`] is for programs that exit without dropping it, and a watch process removes the files
//!   if the program is killed and workers can be started.
//! - [`serve`] and [`serve_until_signal`] run the service until its caller or a signal stops it. `recto serve` uses
//!   them.
//!
//! The modules, from the top:
//!
//! ```text
//! server      connections and HTTP/1.1
//! endpoints   routes and handlers
//! queue       accepts operations, works on them, removes expired files and results
//! state       the state that handlers and the queue use: configuration, registry, storage, ...
//! isolation   runs one operation in a sandboxed worker process
//! registry    files, operations and the queue, in memory, SQLite or PostgreSQL
//! execution   runs one operation in this process
//! fetch       downloads files by address
//! auth        API key, one-time tokens, hosts, presigned addresses
//! storage     the bytes of files, in a folder or a bucket
//! http        bodies, problem details and headers, for every endpoint
//! per_process values that a forked child does not share
//! ```
//!
//! A module uses only modules below it in this list.
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
mod local_settings;
mod metrics;
mod open;
mod per_process;
mod process_wide;
mod queue;
mod registry;
mod server;
mod signal_mask;
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
#[cfg(feature = "test-controls")]
#[doc(hidden)]
pub use isolation::{attack_with, signal_refused_calls};
pub use limits::Limits;
pub use local::{LocalService, LocalServiceBuilder};
pub use local_settings::LocalSettings;
#[doc(hidden)]
pub use per_process::PerProcess;
pub use process_wide::SharedService;
pub use queue::unused::UnusedFiles;
pub use recto_engine::office_program;
pub use server::{Serving, runs_as_root, serve, serve_until_signal};
pub use storage::remove_folders_at_exit;
