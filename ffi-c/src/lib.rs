//! The C ABI: what `include/recto.h` declares. A file for each C type; the conventions stand at the top of the header
//! (`ffi-c/cbindgen.toml`), and `boundary` is the one way across.
//!
//! The modules stand in the order in which the header explains them.
#![allow(non_camel_case_types)] // C's names for C's types.
#![allow(clippy::missing_safety_doc)] // What a caller must see to is said once, at the top of the header.
#![allow(clippy::too_many_arguments)] // C has no other way to name what may be left out.

#[macro_use]
mod boundary;

mod status;

mod error;

mod config;

mod log;

mod client;

mod operation;

mod result;

mod upload;

mod batch;

mod file;

mod phase;

mod call;

mod cancel;

mod local;

mod memory;

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
pub use phase::*;
pub use result::*;
pub use status::*;
pub use upload::*;
pub use version::*;
