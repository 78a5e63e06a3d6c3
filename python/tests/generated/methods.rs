//! Generates the methods of the operations: `_operations.py` for `Client`, `_async_operations.py` for `AsyncClient`.

use crate::examples;
use crate::names::{Opt, field_meaning, imperative, is_pair, list, method, options_of, phrase, wrapped};
use recto_interface::{OperationKind, Yields};
use std::fmt::Write;

/// The arguments that every method has after the options of its operation.
const CALL: &[(&str, &str)] = &[
    ("name", "str | None = None"),
    ("force", "bool = False"),
    ("timeout", "float | None = None"),
    ("on_progress", "types.OnProgress | None = None"),
    ("extra_options", "abc.Mapping[str, object] | None = None"),
    ("headers", "types.Headers | None = None"),
];

const ARGUMENTS: &str = r#"Options are keyword-only and named as in the specification. An option that is left out is not sent: the default of the
service applies. A length may be a text such as `"1.5cm"`.

Every operation takes six more arguments:

    name            the file name of the document, for a source without one
    force           send the document even if the operation does not take its extension
    timeout         the time limit of the whole call, in seconds: here upload, start and retries
    on_progress     called with a `Progress` on the caller's thread, here and in the calls of the operation; an
                    exception that it raises cancels the call; a coroutine function is refused
    extra_options   options that this version does not know; they are sent without a check, named as in the interface
    headers         headers for the requests of the call, besides those of the client

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

"#;

const ASYNC_START: &str = r#"    async def start(
        self,
        operation: str,
        source: types.AsyncSource,
        options: abc.Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Start an operation by its name, with its options as a dict; implemented by `AsyncClient`."""
        raise NotImplementedError
"#;

pub fn blocking() -> String {
    let mut text =
        format!("\"\"\"`Operations`: the methods of `Client`, one for each operation.\n\n{ARGUMENTS}");
    text.push_str("from recto import _native\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from collections import abc\n\n");
    text.push_str(
        "    from recto import _types as types\nelse:\n    from recto._lazy import abc, types\n\n\n",
    );
    text.push_str("class Operations(_native.Client):\n");
    text.push_str(
        "    \"\"\"The native client with a method for each operation.\"\"\"\n\n    __slots__ = ()\n",
    );
    for kind in OperationKind::ALL {
        write_method(&mut text, *kind, "def", "_native.Operation", "return self.start");
    }
    text
}

pub fn asynchronous() -> String {
    let mut text = format!(
        "\"\"\"`AsyncOperations`: the methods of `AsyncClient`, one for each operation.\n\n{ARGUMENTS}"
    );
    text.push_str("TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from collections import abc\n\n");
    text.push_str("    from recto import _async_handle as async_handle\n");
    text.push_str("    from recto import _types as types\nelse:\n");
    text.push_str("    from recto._lazy import abc, async_handle, types\n\n\n");
    text.push_str("class AsyncOperations:\n");
    text.push_str(
        "    \"\"\"A method for each operation. `AsyncClient` is the subclass that starts the operations.\"\"\"\n\n    __slots__ = ()\n\n",
    );
    text.push_str(ASYNC_START);
    for kind in OperationKind::ALL {
        write_method(&mut text, *kind, "async def", "async_handle.AsyncOperation", "return await self.start");
    }
    text
}

fn write_method(text: &mut String, kind: OperationKind, define: &str, returned: &str, start: &str) {
    let options = options_of(kind);
    write!(
        text,
        "\n    {define} {}(\n        self,\n        source: types.{},\n        *,\n",
        method(kind),
        if define.starts_with("async") { "AsyncSource" } else { "Source" }
    )
    .unwrap();
    for option in &options {
        let none = if option.is_required() { "" } else { " | None = None" };
        writeln!(text, "        {}: {}{none},", option.name(), option.type_name("types.")).unwrap();
    }
    for (name, declared) in CALL {
        writeln!(text, "        {name}: {declared},").unwrap();
    }
    writeln!(text, "    ) -> {returned}:").unwrap();
    text.push_str(&docstring(kind, &options, define.starts_with("async")));
    writeln!(text, "        {start}(\n            \"{}\",\n            source,", kind.name()).unwrap();
    match options.as_slice() {
        [] => text.push_str("            {},\n"),
        [only] => writeln!(text, "            {{\"{0}\": {0}}},", only.name()).unwrap(),
        several => {
            text.push_str("            {\n");
            for option in several {
                writeln!(text, "                \"{0}\": {0},", option.name()).unwrap();
            }
            text.push_str("            },\n");
        }
    }
    for (name, _) in CALL {
        writeln!(text, "            {name}={name},").unwrap();
    }
    text.push_str("        )\n");
}

fn docstring(kind: OperationKind, options: &[Opt], is_async: bool) -> String {
    let mut lines = vec![imperative(kind.about()), String::new()];
    if kind.accepts() != ["pdf"] {
        let extensions: Vec<_> = kind.accepts().iter().map(|extension| (*extension).to_owned()).collect();
        lines.extend([format!("It takes {}.", list(&extensions, "and")), String::new()]);
    }
    if kind.yields() == Yields::Report {
        lines.extend(["The report is in the result: `result().validation`.".to_owned(), String::new()]);
    }
    let width = options.iter().map(|option| option.name().len()).max().unwrap_or_default();
    for option in options {
        for (number, line) in wrapped(&meaning(option), 94 - width).iter().enumerate() {
            let name = if number == 0 { option.name() } else { String::new() };
            lines.push(format!("    {name:<width$}   {line}"));
        }
    }
    if !options.is_empty() {
        lines.push(String::new());
    }
    lines.extend(examples::of_operation(kind, is_async));
    let mut text = format!("        \"\"\"{}\n", lines[0]);
    for line in &lines[1..] {
        text.push_str(format!("        {line}").trim_end());
        text.push('\n');
    }
    text + "        \"\"\"\n"
}

/// Describes an option: its meaning, values, default and form.
fn meaning(option: &Opt) -> String {
    match option {
        Opt::Plain(field) => field_meaning(field),
        Opt::Object(object, parts) => {
            let tuple = if is_pair(parts) { "; a tuple is accepted as well" } else { "" };
            format!("{}{tuple}", phrase(object.about))
        }
    }
}
