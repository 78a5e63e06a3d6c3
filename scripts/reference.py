"""The parts of the documentation that are made from the code while the site is built, so that they cannot drift.

MkDocs calls `on_page_markdown` for each page (`hooks` in mkdocs.yml). A line `<!-- made: KIND [ARGUMENT] -->` is
replaced by what the function in `MAKERS` says. `python scripts/reference.py KIND [ARGUMENT]` prints it.
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
    """Put what is made from the code into a page."""
    return MARK.sub(lambda found: made(found[1], found[2]), markdown)


def made(kind: str, argument: str = "") -> str:
    """What stands in a page for a mark."""
    return MAKERS[kind](argument) if argument else MAKERS[kind]()


def operations() -> str:
    """A section for each operation: what it takes, and its options."""
    return "\n".join(line for row in _native.operations() for line in _operation(row))


def _operation(row: dict[str, Any]) -> Iterator[str]:
    yield f"## {row['name']}\n\n{row['about']}\n"
    yield f"Takes {', '.join(row['accepts'])}. Called `{_python_name(row['name'])}` in Python.\n"
    if not row["options"]:
        yield "It has no options.\n"
        return
    yield "| Option | | Values | What it is |\n|---|---|---|---|"
    for option in row["options"]:
        needed = "needed" if option["required"] else ""
        values = ", ".join(f"`{choice}`" for choice in option["choices"] or [])
        yield f"| `{option['path']}` | {needed} | {values} | {_cell(option['about'])} |"
    yield ""


def _python_name(operation: str) -> str:
    return operation.replace("-", "_")


def command_line() -> str:
    """The help of every command, as it prints it."""
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
    """Every public name of the Python package, with its signature and its documentation."""
    names = [name for name in recto.__all__ if inspect.isclass(getattr(recto, name))]
    return "\n".join(_class(name) for name in sorted(names, key=_place))


def _place(name: str) -> tuple[int, str]:
    """Where a reader looks for a name: first what programs begin with."""
    first = ["Client", "Operation", "Files", "Batch", "Cancel", "LocalService"]
    homes = ["recto.records", "recto.options", "recto.enums", "recto.errors", "recto.aio"]
    if name in first:
        return first.index(name), name
    return len(first) + homes.index(getattr(recto, name).__module__), name


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
        parts.append("Its values: " + ", ".join(f"`{member.value}`" for member in kind) + ".\n")
    if written[name].fields:
        parts.append("| Field | Type | What it is |\n|---|---|---|")
        parts += [
            f"| `{field}` | `{_cell(of)}` | {_cell(said)} |" for field, of, said in written[name].fields
        ]
        parts.append("")
    # The operations of `AsyncClient` are those of `Client`, awaitable.
    kin = (
        {**written["Operations"].methods, **written[name].methods}
        if name == "Client"
        else written[name].methods
    )
    for method, documented in _methods(kind):
        if method in kin:
            parts.append(f"### {name}.{method}\n\n{_indented(kin[method])}\n{_prose(documented)}")
    return "\n".join(parts)


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    told: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("recto"):
            continue
        for name, value in vars(base).items():
            value = getattr(value, "__func__", value)
            documented = inspect.getdoc(value)
            if documented and not name.startswith("_") and name not in told:
                told.add(name)
                yield name, documented


@dataclass
class Written:
    """What the source says of a class and the interpreter does not: types, and documented fields."""

    methods: dict[str, str]
    fields: list[tuple[str, str, str]]


@functools.cache
def _classes() -> dict[str, Written]:
    found: dict[str, Written] = {}
    # What is written out in Python goes before the stubs of the native classes, which come first by their name.
    for file in sorted((ROOT / "python" / "recto").glob("*.py*"), key=lambda file: file.suffix != ".pyi"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef):
                continue
            written = found.setdefault(node.name, Written({}, []))
            for item, after in itertools.zip_longest(node.body, node.body[1:]):
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    written.methods[item.name] = _signature(item)
                elif isinstance(item, ast.AnnAssign) and (said := _text(after)):
                    written.fields.append((ast.unparse(item.target), ast.unparse(item.annotation), said))
    return found


def _text(node: ast.stmt | None) -> str | None:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return None


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The signature as it is written; a long one with a parameter a line."""
    returned = "" if function.returns is None else f" -> {ast.unparse(function.returns)}"
    if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in function.decorator_list):
        return function.name + returned
    given = function.args
    said = [
        _parameter(one, default)
        for one, default in _with_defaults(given.posonlyargs + given.args, given.defaults)
    ]
    said = [text for text in said if text not in ("self", "cls")]
    if given.vararg:
        said.append(f"*{_parameter(given.vararg, None)}")
    elif given.kwonlyargs:
        said.append("*")
    said += [
        _parameter(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        said.append(f"**{_parameter(given.kwarg, None)}")
    wait = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
    line = f"{wait}{function.name}({', '.join(said)}){returned}"
    if len(line) <= 90:
        return line
    return f"{wait}{function.name}(\n" + "".join(f"    {one},\n" for one in said) + f"){returned}"


def _with_defaults(
    parameters: list[ast.arg], defaults: list[ast.expr]
) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    without = [None] * (len(parameters) - len(defaults))
    return zip(parameters, [*without, *defaults], strict=True)


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    text = ast.unparse(parameter)
    return text if default is None else f"{text} = {ast.unparse(default)}"


def _prose(documentation: str | None) -> str:
    """A docstring as Markdown: examples and tables keep their form."""
    paragraphs = inspect.cleandoc(documentation or "").split("\n\n")
    return "\n\n".join(_indented(text) if text.startswith(">>>") else text for text in paragraphs) + "\n"


def c_header() -> str:
    """What recto.h says above its functions and types, in its order."""
    text = (ROOT / "include" / "recto.h").read_text(encoding="utf-8")
    top = re.search(r"/\*\*\n(.*?)\*/", text, re.DOTALL)
    sections = [_indented(_uncommented(top[1]))] if top else []
    sections.append("## Constants\n\n| Constant | Value | What it is |\n|---|---|---|")
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
    """A table of the fields or builder methods of a Rust file, `path:Type`, with their documentation."""
    path, _, kind = place.partition(":")
    text = (ROOT / path).read_text(encoding="utf-8")
    bodies = re.findall(rf"^(?:pub struct|impl) {kind} {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    rows = ["| Setting | What it is |", "|---|---|"]
    item = r"((?: +///.*\n)+) +pub (?:fn (\w+)\(mut self|(\w+):)"
    for comment, method, field in re.findall(item, "".join(bodies)):
        said = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
        rows.append(f"| `{method or field}` | {_cell(said)} |")
    if len(rows) == 2:
        raise ValueError(f"{path} has no settings in {kind}")
    return "\n".join(rows)


def file(path: str) -> str:
    """A file of the repository, as it is."""
    return _indented((ROOT / path).read_text(encoding="utf-8"))


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip().splitlines())


def _cell(text: str) -> str:
    # Links of rustdoc lead nowhere here: their text stays.
    return re.sub(r"\[(`[^`]*`)\](\([^)]*\))?", r"\1", text).replace("|", "\\|")


MAKERS: dict[str, Callable[..., str]] = {
    "c-header": c_header,
    "command-line": command_line,
    "file": file,
    "operations": operations,
    "python": python,
    "rust-fields": rust_fields,
}

if __name__ == "__main__":
    sys.stdout.write(made(*sys.argv[1:3]))
