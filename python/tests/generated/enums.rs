//! Generates `enums.py`: the closed sets of the table as `StrEnum`s.

use crate::examples;
use crate::names::{closed_sets, python_enum, snake};
use recto_interface::{ClosedSet, OperationKind};
use std::fmt::Write;

/// An enum that is not generated from the table.
const PHASE: &str = include_str!("phase.txt");

const TOP: &str = r#""""The closed sets of the interface, as `StrEnum`s. Each is accepted as its plain string as well.

Loaded on first use: importing `enum` takes a third of the time that importing `recto` may take.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from enum import StrEnum

"#;

/// The sets that have their own enum in Python. If another set of the same option has all values of a set and more,
/// only that other set has an enum.
pub fn sets() -> Vec<&'static ClosedSet> {
    closed_sets().into_iter().map(|(_, set)| set).filter(|set| python_enum(set).name == set.name).collect()
}

pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = sets().iter().map(|set| set.name).collect();
    names.extend(["OperationType", "Phase"]);
    names.sort_unstable();
    names
}

pub fn module() -> String {
    let mut text = TOP.to_owned();
    text.push_str("__all__ = [\n");
    for name in names() {
        writeln!(text, "    \"{name}\",").unwrap();
    }
    text.push_str("]\n\n\nclass OperationType(StrEnum):\n    \"\"\"The type of an operation, as the service names it.\n\n");
    text.push_str(
        "    >>> recto.OperationType.STAMP_QR\n    <OperationType.STAMP_QR: 'stampQR'>\n    \"\"\"\n",
    );
    for kind in OperationKind::ALL {
        let name = kind.name().replace('-', "_").to_uppercase();
        write!(text, "\n    {name} = \"{}\"\n    \"\"\"{}\"\"\"", kind.wire_name(), kind.about()).unwrap();
    }
    for set in sets() {
        write!(text, "\n\n\nclass {}(StrEnum):\n    \"\"\"{}\n\n", set.name, set.about).unwrap();
        for line in examples::of_set(set) {
            writeln!(text, "    {line}").unwrap();
        }
        text.push_str("    \"\"\"\n");
        for (value, about) in set.texts.iter().zip(set.abouts) {
            write!(text, "\n    {} = \"{value}\"\n    \"\"\"{about}\"\"\"", snake(value).to_uppercase())
                .unwrap();
        }
    }
    text + "\n\n\n" + PHASE
}
