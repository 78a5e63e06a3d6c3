//! `_exports.py`: the public names that come from the table.

use crate::{enums, options};
use std::fmt::Write;

const TOP: &str = r#""""The enums and the option types, which `recto` exports.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
"#;

pub fn module() -> String {
    let mut text = TOP.to_owned();
    for (module, names) in [("enums", enums::names()), ("options", options::names())] {
        writeln!(text, "    from recto.{module} import (").unwrap();
        for name in names {
            writeln!(text, "        {name},").unwrap();
        }
        text.push_str("    )\n");
    }
    let mut names = [enums::names(), options::names()].concat();
    names.sort_unstable();
    text.push_str("\n__all__ = [\n");
    for name in names {
        writeln!(text, "    \"{name}\",").unwrap();
    }
    text + "]\n"
}
