//! The committed header is the one that cbindgen makes of this crate. `RECTO_UPDATE_HEADER=1` writes it anew.
#![allow(clippy::unwrap_used)]

use std::path::Path;

#[test]
fn the_committed_header_is_the_generated_one() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let mut generated = Vec::new();
    cbindgen::generate_with_config(here, config).unwrap().write(&mut generated);
    let generated = String::from_utf8(generated).unwrap();
    let header = here.join("../include/recto.h");
    if std::env::var_os("RECTO_UPDATE_HEADER").is_some() {
        std::fs::write(&header, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&header).unwrap_or_default();
    assert!(
        committed == generated,
        "include/recto.h is not what ffi-c declares: run with RECTO_UPDATE_HEADER=1"
    );
}
