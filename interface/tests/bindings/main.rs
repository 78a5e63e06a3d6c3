//! The committed `bindings/operations.json` is up to date with the table of operations and the headers of the C
//! interface. `RECTO_UPDATE_BINDINGS=1` generates it again.
//!
//! The file has what a generator of an API in another language needs: the operations with their options and enums from
//! the table, and the errors, settings and functions from `recto.h` and `recto_ffi.h`, which a test of `recto-ffi`
//! compares with the code.
#![allow(clippy::unwrap_used, clippy::panic)]

mod header;
mod neutral;
mod operations;

use serde::Serialize;
use std::path::Path;

/// The file. Its fields are written in this order.
#[derive(Serialize)]
struct Table {
    about: &'static str,
    version: &'static str,
    operations: Vec<operations::Operation>,
    objects: Vec<operations::ObjectType>,
    enums: Vec<operations::Enum>,
    errors: Vec<header::ErrorKind>,
    statuses: Vec<header::Constant>,
    phases: Vec<header::Named>,
    #[serde(rename = "logLevels")]
    log_levels: Vec<header::Named>,
    settings: Vec<header::Setting>,
    #[serde(rename = "batchSettings")]
    batch_settings: Vec<header::Setting>,
    #[serde(rename = "localSettings")]
    local_settings: Vec<header::Setting>,
    functions: Vec<header::Function>,
}

#[test]
fn the_committed_table_for_the_bindings_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (manual, declarations) = (read("include/recto.h"), read("include/recto_ffi.h"));
    let table = Table {
        about: "Generated from the table of operations by interface/tests/bindings: do not edit.",
        version: env!("CARGO_PKG_VERSION"),
        operations: operations::operations(),
        objects: operations::objects(),
        enums: operations::enums(),
        errors: header::errors(&manual),
        statuses: header::statuses(&manual),
        phases: header::named(&manual, "RECTO_PHASE_"),
        log_levels: header::named(&manual, "RECTO_LOG_"),
        settings: header::client_settings(&manual),
        batch_settings: header::batch_settings(&manual),
        local_settings: header::local_settings(&manual),
        functions: header::functions(&declarations),
    };
    let generated = serde_json::to_string_pretty(&table).unwrap() + "\n";
    neutral::check(&serde_json::to_value(&table).unwrap());
    let name = "bindings/operations.json";
    if std::env::var_os("RECTO_UPDATE_BINDINGS").is_some() {
        std::fs::write(root.join(name), &generated).unwrap();
    }
    let committed = std::fs::read_to_string(root.join(name)).unwrap_or_default();
    assert!(
        committed == generated,
        "{name} is out of date: run this test again with RECTO_UPDATE_BINDINGS=1"
    );
}
