//! Generates the manual pages from `recto.h` and the table of operations: `recto.3`, the functions, and
//! `recto-operations.7`, the operations with their options.

use recto::OperationKind;
use recto::interface::{FieldKind, Need};
use std::fmt::Write;

pub fn functions(header: &str) -> String {
    let mut page =
        top("RECTO", 3, "recto", "the C interface of Recto, a client for a PDF processing service");
    page +=
        ".SH SYNOPSIS\n.nf\n#include <recto.h>\n\ncc program.c $(pkg-config --cflags --libs recto)\n.fi\n";
    let (introduction, rest) = header.split_once("*/").unwrap();
    page += ".SH DESCRIPTION\n.nf\n";
    for line in introduction.lines().skip(2) {
        let line = line.trim_start().trim_start_matches('*');
        if !line.contains("SPDX") && !line.contains("cbindgen") {
            writeln!(page, "{}", escaped(line.strip_prefix(' ').unwrap_or(line))).unwrap();
        }
    }
    page += ".fi\n.SH FUNCTIONS\n";
    for part in rest.split("/**\n").skip(1) {
        let Some((comment, code)) = part.split_once("*/") else { continue };
        let declaration = code.split(';').next().unwrap().trim();
        if !declaration.contains('(') || declaration.starts_with('#') || declaration.starts_with("typedef") {
            continue;
        }
        let declaration = declaration.lines().filter(|line| !line.starts_with("RECTO_CHECKED"));
        page += ".PP\n.nf\n";
        for line in declaration {
            writeln!(page, "\\fB{}\\fP", escaped(line)).unwrap();
        }
        page += ".fi\n.RS\n.nf\n";
        for line in comment.lines() {
            let line = line.trim_start().trim_start_matches('*');
            writeln!(page, "{}", escaped(line.strip_prefix(' ').unwrap_or(line).trim_end())).unwrap();
        }
        page += ".fi\n.RE\n";
    }
    page + ".SH SEE ALSO\n.BR recto-operations (7)\n"
}

pub fn operations() -> String {
    let mut page =
        top("RECTO-OPERATIONS", 7, "recto-operations", "the operations of Recto and their options");
    page += ".SH OPERATIONS\n";
    for kind in OperationKind::ALL {
        writeln!(page, ".SS {}\n{}", escaped(kind.name()), escaped(kind.about())).unwrap();
        let takes: Vec<_> = kind.accepts().iter().map(|extension| format!(".{extension}")).collect();
        writeln!(page, "It takes {}.", escaped(&takes.join(", "))).unwrap();
        for field in kind.fields() {
            let values = match field.kind {
                FieldKind::Text | FieldKind::Secret => "text".to_owned(),
                FieldKind::Bool => "true or false".to_owned(),
                FieldKind::Integer { min, max } => format!("{min} to {max}"),
                FieldKind::Number => "number".to_owned(),
                FieldKind::Choice(set) => set.texts.join(" | "),
            };
            writeln!(page, ".TP\n\\fB{}\\fP = {}", escaped(field.path), escaped(&values)).unwrap();
            let mut about = field.about.to_owned();
            about[..1].make_ascii_uppercase();
            write!(page, "{}.", escaped(&about)).unwrap();
            match (field.need, field.default) {
                (Need::Required, _) => page += " Required.",
                (Need::WithParent, _) => page += " Required in its object.",
                (Need::Optional, Some(default)) => write!(page, " Default: {}.", escaped(default)).unwrap(),
                (Need::Optional, None) => {}
            }
            page.push('\n');
        }
    }
    page + ".SH SEE ALSO\n.BR recto (3)\n"
}

fn top(title: &str, section: u8, name: &str, about: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let comment = ".\\\" Generated from recto.h and the table of operations: do not edit.";
    format!("{comment}\n.TH {title} {section} \"\" \"Recto {version}\"\n.SH NAME\n{name} \\- {about}\n")
}

/// Escapes a line for roff, in which backslashes, hyphens, and dots and quotes at the beginning of a line are special.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
