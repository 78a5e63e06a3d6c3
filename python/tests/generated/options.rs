//! Generates `options.py`: classes with immutable fields for the options that have several fields.

use crate::examples;
use crate::names::{
    field_meaning, field_type, list, method, objects, part, python_object, sentence, snake, wrapped,
};
use recto_interface::{Field, Need, Object};
use std::fmt::Write;

const TOP: &str = r#""""The options that have several fields: margins, sizes, text styles.

The fields are named as in the specification. A field that is left out is not sent.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto import _enum_types as enum_types
else:
    from recto._lazy import enum_types

"#;

/// The objects that have their own class in Python, with their fields. If another object of the same option has all
/// fields of an object and more, only that other object has a class.
pub fn classes() -> Vec<(&'static Object, Vec<&'static Field>)> {
    let mut found: Vec<(&Object, Vec<&Field>)> = Vec::new();
    for (_, object, parts) in objects() {
        let is_known = found.iter().any(|(known, _)| known.name == object.name);
        if python_object(object, &parts).name == object.name && !is_known {
            found.push((object, parts));
        }
    }
    found
}

pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = classes().iter().map(|(object, _)| object.name).collect();
    names.sort_unstable();
    names
}

pub fn module() -> String {
    let mut text = TOP.to_owned();
    text.push_str("__all__ = [\n");
    for name in names() {
        writeln!(text, "    \"{name}\",").unwrap();
    }
    text.push_str("]\n");
    for (object, parts) in classes() {
        write_class(&mut text, object, &parts);
    }
    text
}

fn write_class(text: &mut String, object: &'static Object, parts: &[&'static Field]) {
    write!(text, "\n\nclass {}(Frozen):\n    \"\"\"{}\n\n", object.name, object.about).unwrap();
    for line in narrower(object, parts).iter().flat_map(|said| wrapped(said, 106)) {
        text.push_str(format!("    {line}").trim_end());
        text.push('\n');
    }
    for line in examples::of_object(object.name, parts) {
        writeln!(text, "    {line}").unwrap();
    }
    text.push_str("    \"\"\"\n\n    __slots__ = (\n");
    for field in parts {
        writeln!(text, "        \"{}\",", snake(part(field))).unwrap();
    }
    text.push_str("    )\n    __match_args__ = (\n");
    for field in parts {
        writeln!(text, "        \"{}\",", snake(part(field))).unwrap();
    }
    text.push_str("    )\n\n");
    for field in parts {
        let about = sentence(&field_meaning(field));
        writeln!(text, "    {}: {}\n    \"\"\"{about}\"\"\"", snake(part(field)), declared(field)).unwrap();
    }
    text.push_str("\n    def __init__(\n        self,\n");
    let mut parameters = parts.to_vec();
    parameters.sort_by_key(|field| field.need == Need::Optional);
    for field in parameters {
        let default = if field.need == Need::Optional { " = None" } else { "" };
        writeln!(text, "        {}: {}{default},", snake(part(field)), declared(field)).unwrap();
    }
    let names: Vec<_> = parts.iter().map(|field| snake(part(field))).collect();
    let about = if parts.iter().any(|field| field.need == Need::Optional) {
        "Set the fields. A field that is `None` is not sent."
    } else {
        "Set all fields."
    };
    writeln!(text, "    ) -> None:\n        \"\"\"{about}\"\"\"\n        self._fill({})", names.join(", "))
        .unwrap();
}

fn declared(field: &Field) -> String {
    let none = if field.need == Need::Optional { " | None" } else { "" };
    format!("{}{none}", field_type(field, "enum_types."))
}

/// A paragraph that lists the operations that accept only some of the fields.
fn narrower(object: &Object, parts: &[&Field]) -> Vec<String> {
    let mut said = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (_, other, fewer) in objects() {
        if other.option != object.option
            || other.name == object.name
            || seen.contains(&other.name)
            || python_object(other, &fewer).name != object.name
        {
            continue;
        }
        seen.push(other.name);
        let takers: Vec<_> = objects()
            .iter()
            .filter(|(_, candidate, _)| candidate.name == other.name)
            .map(|(kind, _, _)| format!("`{}`", method(*kind)))
            .collect();
        let taken: Vec<_> = fewer.iter().map(|field| format!("`{}`", snake(part(field)))).collect();
        assert!(taken.len() < parts.len());
        said.extend([format!("{} take {} only.", list(&takers, "and"), list(&taken, "and")), String::new()]);
    }
    said
}
