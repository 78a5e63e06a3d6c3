//! The service on a data directory keeps the promises that it keeps in memory: the same tests, on SQLite and files.
#![cfg(feature = "durable")]
#![allow(clippy::duplicate_mod)] // each has its own client

#[path = "interface.rs"]
mod interface;
#[path = "lifecycle.rs"]
mod lifecycle;
#[path = "transfer.rs"]
mod transfer;
