//! Modules that the measurements share: a server that uses little processor time, the time and memory of processes, and
//! medians.
//!
//! A measurement compares two programs in the same run, and runs them alternately. If the speed of the machine changes
//! during the run, both programs are affected in the same way.
#![forbid(unsafe_code)]

pub mod process;
pub mod server;
pub mod spread;
