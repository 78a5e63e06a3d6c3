"""Generates the parts of the documentation that come from the code, while the site is built.

MkDocs calls `on_page_markdown` for each page (`hooks` in mkdocs.yml). It replaces a line
`<!-- made: KIND [ARGUMENT] -->` with the output of the function in `GENERATORS`, which
`python scripts/reference.py KIND [ARGUMENT]` prints.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import recto
from recto import _native

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"^<!-- made: (\S+) ?(\S*) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page with text generated from the code."""
    return MARK.sub(lambda found: generated(found[1], found[2]), markdown)


def generated(kind: str, argument: str = "") -> str:
    """Return the text for a mark."""
    return GENERATORS[kind](argument) if argument else GENERATORS[kind]()


def operations() -> str:
    """Return a section for each operation: the documents it takes, and its options."""
    return "\n".join(line for row in _native.operations() for line in _operation(row))


def _operation(row: dict[str, Any]) -> Iterator[str]:
    yield f"## {row['name']}\n\n{row['about']}\n"
    yield f"Takes {', '.join(row['accepts'])}. Called `{_python_name(row['name'])}` in Python.\n"
    if not row["options"]:
        yield "It has no options.\n"
        return
    yield "| Option | | Values | Meaning |\n|---|---|---|---|"
    for option in row["options"]:
        required = "required" if option["required"] else ""
        values = ", ".join(f"`{choice}`" for choice in option["choices"] or [])
        yield f"| `{option['path']}` | {required} | {values} | {_cell(option['about'])} |"
    yield ""


def _python_name(operation: str) -> str:
    return operation.replace("-", "_")


def command_line() -> str:
    """Return the help of every command."""
    return "\n".join(f"## {' '.join(path)}\n\n{_indented(text)}\n" for path, text in _helps(["recto"]))


def _helps(path: list[str]) -> Iterator[tuple[list[str], str]]:
    command = [sys.executable, "-m", *path, "--help"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    yield path, run.stdout
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", run.stdout, re.MULTILINE)
    for line in listed[1].splitlines() if listed else []:
        name = line.split()[0]
        if name != "help":
            yield from _helps([*path, name])


def python() -> str:
    """Return every public name of the Python package, with its signature and its documentation."""
    names = [name for name in recto.__all__ if inspect.isclass(getattr(recto, name))]
    return "\n".join(_class(name) for name in sorted(names, key=_place))


def _place(name: str) -> tuple[int, str]:
    """Return the position of a name on the page: first the names that programs start with."""
    first = ["Client", "Operation", "ByteStream", "Files", "Batch", "Cancel", "LocalService"]
    modules = [
        "recto.records",
        "recto._watch",
        "recto._udf",
        "recto.options",
        "recto.enums",
        "recto.errors",
        "recto.aio",
        "recto._async_handle",
    ]
    if name in first:
        return first.index(name), name
    return len(first) + modules.index(getattr(recto, name).__module__), name


def _class(name: str) -> str:
    kind = getattr(recto, name)
    written = _classes()
    parts = [f"## {name}\n"]
    if "__new__" in written[name].methods:
        parts.append(
            _indented(written[name].methods["__new__"].replace("__new__", name, 1).removesuffix(" -> Self"))
        )
    parts.append(_prose(inspect.getdoc(kind)))
    if issubclass(kind, Enum):
        parts.append("| Member | Value | Meaning |\n|---|---|---|")
        about = written[name].members
        parts += [f"| `{member.name}` | `{member.value}` | {_cell(about[member.name])} |" for member in kind]
        parts.append("")
    if written[name].fields:
        parts.append("| Field | Type | Meaning |\n|---|---|---|")
        parts += [
            f"| `{field}` | `{_cell(of)}` | {_cell(about)} |" for field, of, about in written[name].fields
        ]
        parts.append("")
    # `AsyncClient` has the same operations as `Client`, as awaitable methods: the operations are listed only for
    # `Client`.
    listed = (
        {**written["Operations"].methods, **written[name].methods}
        if name == "Client"
        else written[name].methods
    )
    for method, documented in _methods(kind):
        if method in listed:
            parts.append(f"### {name}.{method}\n\n{_indented(listed[method])}\n{_prose(documented)}")
    return "\n".join(parts)


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("recto"):
            continue
        for name, value in vars(base).items():
            value = getattr(value, "__func__", value)
            documented = inspect.getdoc(value)
            if documented and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, documented


@dataclass
class Source:
    """The parts of a class that only its source has: annotations, and the documentation of fields and members."""

    methods: dict[str, str]
    fields: list[tuple[str, str, str]]
    members: dict[str, str]


@functools.cache
def _classes() -> dict[str, Source]:
    found: dict[str, Source] = {}
    # The stubs of the native classes are read first, so that a Python class of the same name replaces the stub.
    for file in sorted((ROOT / "python" / "recto").glob("*.py*"), key=lambda file: file.suffix != ".pyi"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef):
                continue
            written = found.setdefault(node.name, Source({}, [], {}))
            for item, after in itertools.zip_longest(node.body, node.body[1:]):
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    written.methods[item.name] = _signature(item)
                elif isinstance(item, ast.AnnAssign) and (about := _text(after)):
                    written.fields.append((ast.unparse(item.target), _type(item.annotation), about))
                elif isinstance(item, ast.Assign) and (about := _text(after)):
                    written.members[ast.unparse(item.targets[0])] = about
    return found


def _text(node: ast.stmt | None) -> str | None:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return None


def _type(annotation: ast.expr) -> str:
    """An annotation without the names of modules."""
    return re.sub(
        r"\b(?:_native|abc|aio|builtins|datetime|enums|pathlib|types|typing)\.", "", ast.unparse(annotation)
    )


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The signature; a long one with a line for each parameter."""
    returned = "" if function.returns is None else f" -> {_type(function.returns)}"
    if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in function.decorator_list):
        return function.name + returned
    given = function.args
    parameters = [
        _parameter(one, default)
        for one, default in _with_defaults(given.posonlyargs + given.args, given.defaults)
    ]
    parameters = [text for text in parameters if text not in ("self", "cls")]
    if given.vararg:
        parameters.append(f"*{_parameter(given.vararg, None)}")
    elif given.kwonlyargs:
        parameters.append("*")
    parameters += [
        _parameter(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        parameters.append(f"**{_parameter(given.kwarg, None)}")
    wait = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
    line = f"{wait}{function.name}({', '.join(parameters)}){returned}"
    if len(line) <= 90:
        return line
    return f"{wait}{function.name}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){returned}"


def _with_defaults(
    parameters: list[ast.arg], defaults: list[ast.expr]
) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    without = [None] * (len(parameters) - len(defaults))
    return zip(parameters, [*without, *defaults], strict=True)


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    annotation = "" if parameter.annotation is None else f": {_type(parameter.annotation)}"
    text = parameter.arg + annotation
    return text if default is None else f"{text} = {ast.unparse(default)}"


def _prose(documentation: str | None) -> str:
    """A docstring as Markdown: examples and tables become code blocks."""
    paragraphs = inspect.cleandoc(documentation or "").split("\n\n")
    return "\n\n".join(_indented(text) if text.startswith(">>>") else text for text in paragraphs) + "\n"


def c_header() -> str:
    """Return the documentation of the functions and types of recto.h, in its order."""
    text = (ROOT / "include" / "recto.h").read_text(encoding="utf-8")
    top = re.search(r"/\*\*\n(.*?)\*/", text, re.DOTALL)
    sections = [_indented(_uncommented(top[1]))] if top else []
    sections.append("## Constants\n\n| Constant | Value | Meaning |\n|---|---|---|")
    for comment, name, value in re.findall(
        r"^/\*\*\n((?: \*.*\n)*?) \*/\n#define (\w+) (.+)$", text, re.MULTILINE
    ):
        sections.append(f"| `{name}` | `{value}` | {_cell(' '.join(_uncommented(comment).split()))} |")
    sections.append("")
    for comment, declared in re.findall(
        r"^/\*\*\n((?: \*.*\n)*?) \*/\n([^#\n][^;{]*)[;{]", text, re.MULTILINE
    ):
        name = re.search(r"(recto_\w+)\)?\s*(?:\(|$)", declared.strip())
        if name:
            sections.append(
                f"## {name[1]}\n\n{_indented(declared.strip() + ';')}\n\n{_uncommented(comment).strip()}\n"
            )
    return "\n".join(sections)


def _uncommented(comment: str) -> str:
    return "\n".join(line.removeprefix(" *").removeprefix(" ") for line in comment.splitlines())


def rust_fields(place: str) -> str:
    """Return a table of the fields or builder methods of a Rust file, `path:Type`, with their documentation."""
    path, _, kind = place.partition(":")
    text = (ROOT / path).read_text(encoding="utf-8")
    bodies = re.findall(rf"^(?:pub struct|impl) {kind} {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    rows = ["| Setting | Meaning |", "|---|---|"]
    item = r"((?: +///.*\n)+) +pub (?:fn (\w+)\(mut self|(\w+):)"
    for comment, method, field in re.findall(item, "".join(bodies)):
        about = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
        rows.append(f"| `{method or field}` | {_cell(about)} |")
    if len(rows) == 2:
        raise ValueError(f"{path} has no settings in {kind}")
    return "\n".join(rows)


def file(path: str) -> str:
    """Return a file of the repository, as a code block."""
    return _indented((ROOT / path).read_text(encoding="utf-8"))


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip().splitlines())


def _cell(text: str) -> str:
    # Links in rustdoc comments lead nowhere on this page: only their text is kept.
    return re.sub(r"\[(`[^`]*`)\](\([^)]*\))?", r"\1", text).replace("|", "\\|")


GENERATORS: dict[str, Callable[..., str]] = {
    "c-header": c_header,
    "command-line": command_line,
    "file": file,
    "operations": operations,
    "python": python,
    "rust-fields": rust_fields,
}

if __name__ == "__main__":
    sys.stdout.write(generated(*sys.argv[1:3]))
