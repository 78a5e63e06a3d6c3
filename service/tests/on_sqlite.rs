//! Runs the tests of the service again on a data directory (SQLite and files). The other test programs run these tests
//! in memory.
#![cfg(feature = "durable")]
#![allow(clippy::duplicate_mod)] // each test file has its own copy of `support`

#[path = "interface.rs"]
mod interface;
#[path = "lifecycle.rs"]
mod lifecycle;
#[path = "transfer.rs"]
mod transfer;
