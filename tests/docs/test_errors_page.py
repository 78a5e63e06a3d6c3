"""The table of errors has every kind, with its name in each language and the exit code of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import recto

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TABLE = ROW.findall((ROOT / "docs" / "how-to" / "errors.md").read_text(encoding="utf-8"))
# Errors that only exist in the C interface, where incorrect calls return them.
ONLY_IN_C = {"RECTO_E_NULL", "RECTO_E_FORKED", "RECTO_E_PANIC", "RECTO_E_UNKNOWN"}


def _source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _kinds() -> dict[str, str]:
    """The variants of `ErrorKind` and their names."""
    return dict(
        re.findall(r'Self::(\w+) => "(\w+)"', _source("core/src/error.rs").partition("enum Phase")[0])
    )


def test_every_kind_is_in_the_table_in_the_order_of_the_code() -> None:
    assert [row[0] for row in TABLE] == list(_kinds().values())


def test_python_has_the_same_names() -> None:
    classes = {name for name in recto.errors.__all__ if name != "Error"}
    assert {row[0] for row in TABLE} == classes | {"IoError"}


def test_c_has_a_constant_for_each() -> None:
    constants = set(re.findall(r"#define (RECTO_E_\w+)", _source("include/recto.h")))
    assert {row[1] for row in TABLE} | ONLY_IN_C == constants
    assert all(name in _source("docs/how-to/errors.md") for name in ONLY_IN_C)
    mapped = dict(
        re.findall(r"ErrorKind::(\w+) => (?:status::)?(RECTO_E_\w+)", _source("ffi-c/src/error.rs"))
    )
    names = _kinds()
    assert {row[0]: row[1] for row in TABLE}.items() >= {names[kind]: mapped[kind] for kind in mapped}.items()
    assert mapped


def test_the_exit_codes_are_those_of_the_command_line() -> None:
    source = _source("cli/src/exit.rs")
    codes = dict(re.findall(r"pub const (\w+): u8 = (\d+);", source))
    arms = re.findall(r"^        ([\w:| ]+) => (\w+),$", source.partition("fn code_of")[2], re.MULTILINE)
    otherwise = next(codes[code] for kinds, code in arms if kinds == "_")
    by_kind = {
        kind.split("::")[1]: codes[code]
        for kinds, code in arms
        if kinds != "_"
        for kind in kinds.split(" | ")
    }
    assert {row[0]: row[2] for row in TABLE} == {
        name: by_kind.get(kind, otherwise) for kind, name in _kinds().items()
    }


def test_each_row_has_a_cause_and_what_to_do() -> None:
    assert [row[0] for row in TABLE if not (row[3].endswith(".") and row[4].endswith("."))] == []
