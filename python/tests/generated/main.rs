//! Generates Python files from the table of operations. With `RECTO_UPDATE_PYTHON=1` the test writes the files;
//! otherwise it compares them with the committed files. A new operation, closed set or option type needs no manual
//! change in Python.
#![allow(clippy::unwrap_used, clippy::panic)]

mod enums;
mod examples;
mod exports;
mod methods;
mod names;
mod options;
mod types;

use std::path::Path;

#[test]
fn the_committed_python_files_are_those_of_the_table() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("recto");
    let module = std::fs::read_to_string(package.join("__init__.py")).unwrap();
    let generated = [
        ("__init__.py", exports::updated(&module)),
        ("_operations.py", methods::blocking()),
        ("_async_operations.py", methods::asynchronous()),
        ("_enum_types.py", types::of_enums()),
        ("_option_types.py", types::of_options()),
        ("enums.py", enums::module()),
        ("options.py", options::module()),
    ];
    for (name, text) in generated {
        let path = package.join(name);
        if std::env::var_os("RECTO_UPDATE_PYTHON").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "python/recto/{name} is out of date: run this test with RECTO_UPDATE_PYTHON=1"
        );
    }
}
