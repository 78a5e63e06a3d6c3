//! The queue of operations: accepts operations, executes them under leases, and removes expired files and results.

pub(crate) mod accept;
pub(crate) mod retention;
pub(crate) mod worker;
