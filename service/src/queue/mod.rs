//! The queue of operations: accepts operations, executes them under leases, and removes files and results that
//! have expired or are no longer needed.

pub(crate) mod accept;
pub(crate) mod retention;
pub(crate) mod unused;
pub(crate) mod worker;
