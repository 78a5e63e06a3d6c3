//! The C ABI: the functions and types that `include/recto.h` declares, with a file for each C type.
//!
//! The conventions are at the top of the header (in `ffi-c/cbindgen.toml`). `boundary` has the macro `entry!`, with
//! which every function that can fail reads its arguments and returns its outcome; `memory` has what the caller frees.
//! The modules are declared in the order of the header.
#![allow(non_camel_case_types)] // The types have C names.
#![allow(clippy::missing_safety_doc)] // The header states the requirements of all functions at its top.
#![allow(clippy::too_many_arguments)] // C has no optional arguments.

#[macro_use]
mod boundary;

mod status;

mod error;

mod config;

mod embedded;

mod log;

mod client;

mod options;

mod operation;

mod result;

mod task;

mod upload;

mod batch;

mod file;

mod phase;

mod call;

mod cancel;

mod local;

mod memory;

mod stack;

mod shutdown;

mod version;

pub use batch::*;
pub use call::*;
pub use cancel::*;
pub use client::*;
pub use config::*;
pub use error::*;
pub use file::*;
pub use local::*;
pub use log::*;
pub use memory::recto_free;
pub use operation::*;
pub use options::*;
pub use phase::*;
pub use result::*;
pub use shutdown::*;
pub use status::*;
pub use task::*;
pub use upload::*;
pub use version::*;
