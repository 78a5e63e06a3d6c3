//! The queue of operations: accepting them, working on them under a lease, and removing what has expired.

pub(crate) mod accept;
pub(crate) mod retention;
pub(crate) mod running;
pub(crate) mod worker;
