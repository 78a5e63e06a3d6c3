//! The C ABI: what `include/recto.h` declares. A file for each C type; the conventions stand at the top of the header
//! (`ffi-c/cbindgen.toml`).

mod status;
mod version;

pub use status::*;
pub use version::{RECTO_VERSION_NUMBER, recto_version_number, recto_version_string};
