//! Tests that the table of operations in the README matches the crate's.

use recto_interface::{OperationKind, Yields};

#[test]
fn the_readme_lists_every_operation_as_the_table_declares_it() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let written: Vec<&str> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| Operation |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let declared: Vec<String> = OperationKind::ALL
        .iter()
        .map(|kind| {
            let gives = match kind.yields() {
                Yields::File => "file",
                Yields::Report => "report",
            };
            format!("| `{}` | {} | {} | {gives} |", kind.name(), kind.about(), kind.accepts().join(", "))
        })
        .collect();
    assert_eq!(written, declared, "README.md should read:\n{}\n", declared.join("\n"));
}
