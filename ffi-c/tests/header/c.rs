//! Generates `recto.h`: the output of cbindgen for this crate, and a constant for each operation of the table.

use recto::OperationKind;
use std::fmt::Write;
use std::path::Path;

pub fn header() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(operations());
    let mut text = Vec::new();
    cbindgen::generate_with_config(here, config).unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

fn operations() -> String {
    let mut text =
        "\n/* The names of the operations, for recto_start(), recto_start_path() and so on. */\n".to_owned();
    for kind in OperationKind::ALL {
        let constant = kind.name().to_uppercase().replace('-', "_");
        let takes: Vec<_> = kind.accepts().iter().map(|extension| format!(".{extension}")).collect();
        let fields: Vec<_> = kind.fields().iter().map(|field| field.path).collect();
        write!(text, "\n/**\n * {} It takes {}.\n", kind.about(), takes.join(", ")).unwrap();
        if fields.is_empty() {
            text.push_str(" * It has no options.\n");
        } else {
            text.push_str(" * Options:");
            let mut width = 12;
            for (index, field) in fields.iter().enumerate() {
                let end = if index + 1 == fields.len() { "." } else { "," };
                if width + field.len() > 105 {
                    text.push_str("\n *  ");
                    width = 5;
                }
                write!(text, " {field}{end}").unwrap();
                width += field.len() + 2;
            }
            text.push('\n');
        }
        writeln!(text, " */\n#define RECTO_{constant} \"{}\"", kind.name()).unwrap();
    }
    text
}
