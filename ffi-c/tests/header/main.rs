//! The committed headers are up to date with this crate and the table of operations. `RECTO_UPDATE_HEADER=1` generates them
//! again.
#![allow(clippy::unwrap_used, clippy::panic)]

mod c;
mod cpp;

use std::path::Path;

#[test]
fn the_committed_c_header_is_up_to_date() {
    compare("recto.h", &c::header());
}

#[test]
fn the_committed_cpp_options_are_up_to_date() {
    compare("recto_options.hpp", &cpp::options());
}

fn compare(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include").join(name);
    if std::env::var_os("RECTO_UPDATE_HEADER").is_some() {
        std::fs::write(&path, generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/{name} is out of date: run this test again with RECTO_UPDATE_HEADER=1"
    );
}
