//! What the measurements share: a server that costs as little as can be, a stopwatch over whole processes, medians.
//!
//! Every figure is a ratio to a peer measured in the same run, turn by turn, so that a machine whose speed drifts
//! does not decide it.
#![forbid(unsafe_code)]

pub mod process;
pub mod server;
pub mod spread;
