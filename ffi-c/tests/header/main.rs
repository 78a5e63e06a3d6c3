//! The committed headers are those that are made of this crate and of the table of operations. `RECTO_UPDATE_HEADER=1`
//! writes them anew.
#![allow(clippy::unwrap_used, clippy::panic)]

mod c;
mod cpp;

use std::path::Path;

#[test]
fn the_committed_header_is_the_one_made_of_this_crate() {
    compare("recto.h", &c::header());
}

#[test]
fn the_committed_options_of_cpp_are_those_of_the_table() {
    compare("recto_options.hpp", &cpp::options());
}

fn compare(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include").join(name);
    if std::env::var_os("RECTO_UPDATE_HEADER").is_some() {
        std::fs::write(&path, made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "include/{name} is out of date: run with RECTO_UPDATE_HEADER=1");
}
