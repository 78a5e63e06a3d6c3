//! Generates `_option_types.py`: the types of the options, for type annotations.

use crate::names::{Opt, closed_sets, options_of, python_enum};
use crate::{enums, options};
use recto_interface::{FieldKind, OperationKind};
use std::collections::BTreeMap;
use std::fmt::Write;

const TOP: &str = r#""""The types of the options, for annotations: an enum or its text, and the options of all operations.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

"#;

pub fn module() -> String {
    let mut text = TOP.to_owned();
    let mut enums: Vec<_> = enums::sets().iter().map(|set| set.name).collect();
    enums.sort_unstable();
    for (module, names) in [("enums", enums), ("options", options::names())] {
        writeln!(text, "from recto.{module} import (").unwrap();
        for name in names {
            writeln!(text, "    {name},").unwrap();
        }
        text.push_str(")\n");
    }
    let mut exported: Vec<String> = vec!["Options".to_owned()];
    exported.extend(closed_sets().iter().map(|(_, set)| format!("{}Like", set.name)));
    exported.extend(options::names().into_iter().map(str::to_owned));
    exported.sort_unstable();
    text.push_str("\n__all__ = [\n");
    for name in exported {
        writeln!(text, "    \"{name}\",").unwrap();
    }
    text.push_str("]\n\n");
    for (_, set) in closed_sets() {
        let texts: Vec<_> = set.texts.iter().map(|text| format!("\"{text}\"")).collect();
        let alias = format!("{}Like: TypeAlias = {} | Literal[", set.name, python_enum(set).name);
        writeln!(text, "{alias}{}]", texts.join(", ")).unwrap();
    }
    text.push_str("\n\nclass Options(TypedDict, total=False):\n");
    text.push_str(
        "    \"\"\"The options of all operations, for the calls that take the operation's name.\"\"\"\n\n",
    );
    for (name, declared) in every_option() {
        writeln!(text, "    {name}: {declared}").unwrap();
    }
    text
}

/// Every option with all the types that it has in any operation. `None` is added if the option is optional in some
/// operation.
fn every_option() -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, (Vec<String>, bool)> = BTreeMap::new();
    for option in OperationKind::ALL.iter().flat_map(|kind| options_of(*kind)) {
        let (types, optional) = found.entry(option.name()).or_default();
        let name = match &option {
            Opt::Plain(field) => match field.kind {
                FieldKind::Choice(set) => format!("{}Like", python_enum(set).name),
                _ => option.type_name(""),
            },
            Opt::Object(..) => option.type_name(""),
        };
        if !types.contains(&name) {
            types.push(name);
        }
        *optional |= !option.is_required();
    }
    let mut options = BTreeMap::new();
    for (name, (mut types, optional)) in found {
        // An enum is a string, and so are its texts: the type `str` includes both.
        if types.iter().any(|name| name == "str") {
            types.retain(|name| !name.ends_with("Like"));
        }
        let none = if optional { " | None" } else { "" };
        options.insert(name, format!("{}{none}", types.join(" | ")));
    }
    options
}
