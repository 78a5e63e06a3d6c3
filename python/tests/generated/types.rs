//! Generates the types of the options for type annotations: `_enum_types.py` and `_option_types.py`. `options.py` uses
//! the first one and is used by the second one, so they are two modules.

use crate::names::{Opt, closed_sets, options_of, python_enum};
use crate::{enums, options};
use recto_interface::{FieldKind, OperationKind};
use std::collections::BTreeMap;
use std::fmt::Write;

const ENUM_TYPES: &str = r#""""The types of the options with a closed set of values, for annotations: an enum or its text.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

"#;

const OPTION_TYPES: &str = r#""""The type of the options of all operations, for annotations.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import TypedDict

"#;

pub fn of_enums() -> String {
    let mut text = ENUM_TYPES.to_owned();
    let mut enums: Vec<_> = enums::sets().iter().map(|set| set.name.to_owned()).collect();
    enums.sort_unstable();
    write_import(&mut text, "enums", &enums);
    write_exports(&mut text, &aliases());
    for (_, set) in closed_sets() {
        let texts: Vec<_> = set.texts.iter().map(|text| format!("\"{text}\"")).collect();
        let alias = format!("{}Like: TypeAlias = {} | Literal[", set.name, python_enum(set).name);
        writeln!(text, "{alias}{}]", texts.join(", ")).unwrap();
    }
    text
}

pub fn of_options() -> String {
    let mut text = OPTION_TYPES.to_owned();
    let classes: Vec<_> = options::names().into_iter().map(str::to_owned).collect();
    write_import(&mut text, "_enum_types", &aliases());
    write_import(&mut text, "options", &classes);
    let mut exported = [vec!["Options".to_owned()], aliases(), classes].concat();
    exported.sort_unstable();
    write_exports(&mut text, &exported);
    text.push_str("\nclass Options(TypedDict, total=False):\n");
    text.push_str(
        "    \"\"\"The options of all operations, for the calls that take the operation's name.\"\"\"\n\n",
    );
    for (name, declared) in every_option() {
        writeln!(text, "    {name}: {declared}").unwrap();
    }
    text
}

/// The sorted names of the types that are an enum or its text.
fn aliases() -> Vec<String> {
    let mut names: Vec<_> = closed_sets().iter().map(|(_, set)| format!("{}Like", set.name)).collect();
    names.sort_unstable();
    names
}

fn write_import(text: &mut String, module: &str, names: &[String]) {
    writeln!(text, "from recto.{module} import (").unwrap();
    for name in names {
        writeln!(text, "    {name},").unwrap();
    }
    text.push_str(")\n");
}

fn write_exports(text: &mut String, names: &[String]) {
    text.push_str("\n__all__ = [\n");
    for name in names {
        writeln!(text, "    \"{name}\",").unwrap();
    }
    text.push_str("]\n\n");
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
