//! Generates the parts of `__init__.py` that depend on the table: the public names, between two marker comments.

use crate::{enums, options};
use std::fmt::Write;

const BEGIN: &str = "# Generated from the table of operations by python/tests/generated: do not edit.\n";
const END: &str = "# End of the generated part.\n";

/// Returns the module with its two generated parts: the imports for type checkers and the names in `__all__`.
pub fn updated(module: &str) -> String {
    let mut imports = "if TYPE_CHECKING:\n".to_owned();
    for (module, names) in [("enums", enums::names()), ("options", options::names())] {
        writeln!(imports, "    from recto.{module} import (").unwrap();
        for name in names {
            writeln!(imports, "        {name},").unwrap();
        }
        imports.push_str("    )\n");
    }
    let mut names = [enums::names(), options::names()].concat();
    names.sort_unstable();
    let mut exported = "__all__ += [\n".to_owned();
    for name in names {
        writeln!(exported, "    \"{name}\",").unwrap();
    }
    exported.push_str("]\n");
    let mut parts = module.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, generated) in parts.zip([imports, exported]) {
        let (_, rest) = part.split_once(END).unwrap_or_else(|| panic!("__init__.py has no line {END:?}"));
        text.push_str(&format!("{BEGIN}{generated}{END}{rest}"));
    }
    text
}
