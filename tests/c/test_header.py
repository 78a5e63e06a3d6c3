"""The headers compile without warnings with every compiler and standard, and the library exports what they declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from c.header import functions
from c.support import INCLUDE, ROOT, WARNINGS, Library, need, passes

STANDARDS = [
    *[("recto.h", compiler, standard) for compiler in ("gcc", "clang") for standard in ("c99", "c11", "c17")],
    *[("recto.h", compiler, "c++11") for compiler in ("g++", "clang++")],
    *[
        ("recto.hpp", compiler, standard)
        for compiler in ("g++", "clang++")
        for standard in ("c++17", "c++20")
    ],
]


@pytest.mark.parametrize(("header", "compiler", "standard"), STANDARDS)
def test_the_header_compiles_included_twice(
    header: str, compiler: str, standard: str, tmp_path: Path
) -> None:
    source = tmp_path / ("source.cpp" if "+" in compiler else "source.c")
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n")
    # Use -I instead of -isystem: compilers suppress warnings in system headers.
    flags = [f"-std={standard}", *WARNINGS, "-Wshadow", "-Wconversion", f"-I{INCLUDE}"]
    passes(need(compiler), *flags, "-fsyntax-only", source)


def test_the_library_exports_what_the_header_declares_and_no_more(library: Library) -> None:
    table = passes(need("nm"), "--dynamic", "--defined-only", library.shared)
    exported = {line.split()[-1] for line in table.splitlines()}
    assert exported == {function.name for function in functions()}
    assert len(exported) > 80


def test_every_declaration_is_documented(tmp_path: Path) -> None:
    settings = tmp_path / "Doxyfile"
    settings.write_text(f"@INCLUDE = ffi-c/Doxyfile\nOUTPUT_DIRECTORY = {tmp_path}\n")
    passes(need("doxygen"), settings, folder=ROOT)


def test_every_function_that_sends_requests_documents_its_errors() -> None:
    text = (INCLUDE / "recto.h").read_text(encoding="utf-8")
    without_errors = [
        function.name
        for function in functions()
        if function.may_fail and not function.name.endswith("_new") and "_set_" not in function.name
        if "Errors:" not in text.split(f"recto_status {function.name}(")[0].rsplit("/**", 1)[1]
    ]
    assert without_errors == []
