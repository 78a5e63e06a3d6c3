//! The queue of operations: accepts them, works on them under leases, and removes what has expired.

pub(crate) mod accept;
pub(crate) mod retention;
pub(crate) mod worker;
