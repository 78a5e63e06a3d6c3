"""The table of operations for the generators of the bindings, and how a generator writes or checks its files.

A generator is a program `bindings/generate/LANGUAGE.py` that calls `main` with a function of the table that returns its
files: the path in the repository and the text.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTICE = "Generated from bindings/operations.json by {generator}: do not edit."

# The table is JSON, whose shape interface/tests/bindings declares.
Table = dict[str, Any]
Row = dict[str, Any]


def read_table() -> Table:
    """The table of operations."""
    table: Table = json.loads((ROOT / "bindings/operations.json").read_text(encoding="utf-8"))
    return table


def words(name: str) -> list[str]:
    """The words of a name in any case, in lower case: `stamp-qr`, `pageMargin`, `timeout_ms`, `ArchivePdfA`."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    return [part.lower() for part in parts]


def camel(name: str) -> str:
    """`pageMargin` for `page-margin`, `page_margin` and `PageMargin`."""
    first, *rest = words(name)
    return first + "".join(map(str.capitalize, rest))


def pascal(name: str) -> str:
    """`PageMargin` for `page-margin`, `page_margin` and `pageMargin`."""
    return "".join(map(str.capitalize, words(name)))


def snake(name: str) -> str:
    """`page_margin` for `page-margin` and `pageMargin`."""
    return "_".join(words(name))


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` characters; words are not broken."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def error_type(kind: str) -> str:
    """The name of the class of an error in languages whose error classes end with `Error`: `NotFoundError`."""
    return kind if kind.endswith("Error") else f"{kind}Error"


def meaning(option: Row) -> str:
    """The description of an option, with its limits and its default."""
    text: str = option["about"]
    if option["type"] == "integer":
        text += f" From {option['min']} to {option['max']}."
    if option["length"]:
        text += ' Also a text with a unit, such as "1.5cm".'
    if option["default"] is not None:
        text += f" The default of the service is {option['default']}."
    return text


def result_of(operation: Row) -> str:
    """What the operation takes and gives, in two sentences."""
    takes = ", ".join(f".{extension}" for extension in operation["accepts"])
    if operation["result"] == "report":
        return f"Takes {takes}. The result is a validation report."
    gives = " or ".join(f".{extension}" for extension in operation["resultExtensions"])
    return f"Takes {takes}. The result is a file: {gives}."


def main(generator: str, generate: Callable[[Table], Iterable[tuple[str, str]]]) -> None:
    """Writes the files of a generator, or with `--check` fails if a committed file is not up to date."""
    is_check = sys.argv[1:] == ["--check"]
    stale = []
    for name, text in generate(read_table()):
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if is_check and stale:
        sys.exit(f"{generator}: out of date: {', '.join(stale)}; run scripts/bindings generate")
