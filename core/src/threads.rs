//! What a language binding needs for threads of its own: values that exist once per process, threads that receive no
//! signals, and the end of the threads of this crate.

pub use crate::runtime::PerProcess;
pub use crate::runtime::shut_down;
pub use crate::runtime::signals::spawn;
