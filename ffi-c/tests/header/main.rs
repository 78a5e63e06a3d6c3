//! The committed headers are up to date with this crate and the table of operations. `RECTO_UPDATE_HEADER=1` generates
//! them again.
#![allow(clippy::unwrap_used, clippy::panic)]

mod c;
mod cpp;
mod ffi;
mod manual;
mod wrap;

use std::path::Path;

#[test]
fn the_committed_c_header_is_up_to_date() {
    compare("include/recto.h", &c::header());
}

#[test]
fn the_committed_cpp_options_are_up_to_date() {
    compare("include/recto_options.hpp", &cpp::options());
}

#[test]
fn the_committed_declarations_without_directives_are_up_to_date() {
    compare("include/recto_ffi.h", &ffi::declarations(&c::header()));
}

#[test]
fn the_committed_manual_pages_are_up_to_date() {
    compare("docs/man/recto.3", &manual::functions(&c::header()));
    compare("docs/man/recto-operations.7", &manual::operations());
}

fn compare(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    if std::env::var_os("RECTO_UPDATE_HEADER").is_some() {
        std::fs::write(&path, generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "{name} is out of date: run this test again with RECTO_UPDATE_HEADER=1");
}
