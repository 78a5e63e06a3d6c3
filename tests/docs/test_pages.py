"""Every code block of the README and of docs/ runs, in the order of its page, in one folder with the samples.

A local service replaces the hosted service of the pages, https://pdf.example.com with the key `your-key`.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recto
from c.support import C11, CPP17, Library, missing, need
from docs.fences import Block, blocks
from rust_programs import rust_program

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Pages outside docs/ that have relative links.
OTHERS = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
SAMPLES = ["report.pdf", "scan.pdf", "form.pdf", "scan.png", "scan.jpg", "scan.tiff"]
# The commands in the first block of the README are not run here: `make test` runs `make demo` and then these tests.
FIRST_COMMANDS = {"make demo", "make test"}
# tests/c/test_install.py runs these commands instead, with a library that is already built and with another prefix.
C_INSTALL = {"cmake -B build/c", "cmake --build build/c --target install"}


def _all_blocks() -> list[Block]:
    return [block for page in PAGES for block in blocks(page)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """A folder with the samples for each page: a block may use the files of the blocks before it."""
    made = {}
    for page in PAGES:
        made[page] = tmp_path_factory.mktemp(page.stem)
        for name in SAMPLES:
            shutil.copy(ROOT / "examples" / name, made[page])
    return made


@pytest.fixture(scope="module")
def hosted() -> Iterator[recto.LocalService]:
    """The local service that replaces the hosted one."""
    with recto.LocalService() as service:
        yield service


def _rust_example(code: str, _: Path) -> list[str]:
    """Runs the example in the block: a file of examples/ without its opening comment."""
    for example in (ROOT / "examples").glob("*.rs"):
        if example.read_text(encoding="utf-8").partition("\n\n")[2] == code:
            return [str(rust_program(example.stem))]
    pytest.fail("the block is not one of the Rust examples in examples/")


def _compiled(suffix: str, flags: list[str], code: str, folder: Path) -> list[str]:
    """Compiles a program against the C library."""
    source = folder / f"block.{suffix}"
    source.write_text(code, encoding="utf-8")
    return [str(Library.linked_in(folder).compile([source], folder / "block", flags))]


def _node(code: str, folder: Path) -> list[str]:
    """A module that imports the package in bindings/node, which `scripts/bindings test` builds."""
    package = ROOT / "bindings" / "node"
    if not (package / "build" / "recto.node").exists():
        missing("the package in bindings/node is not built: scripts/bindings test node")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "recto").symlink_to(package)
    program = folder / "block.mjs"
    program.write_text(code, encoding="utf-8")
    return [need("node"), str(program)]


RUNNERS: dict[str, Callable[[str, Path], list[str]]] = {
    "python": lambda code, _: [sys.executable, "-c", code],
    "rust": _rust_example,
    "c": functools.partial(_compiled, "c", C11),
    "cpp": functools.partial(_compiled, "cpp", CPP17),
    "js": _node,
    "sh": lambda code, _: ["bash", "-euo", "pipefail", "-c", code],
}


@pytest.mark.parametrize("block", _all_blocks(), ids=str)
def test_the_block_runs(
    block: Block, folders: dict[Path, Path], hosted: recto.LocalService, tmp_path: Path
) -> None:
    code = block.code.replace("https://pdf.example.com", hosted.base_url).replace("your-key", hosted.api_key)
    if block.language == "sh" and _commands(code) <= FIRST_COMMANDS | C_INSTALL:
        return
    assert block.language in RUNNERS, f"{block}: give the block a language that can be run"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    run = subprocess.run(
        RUNNERS[block.language](code, tmp_path),
        cwd=folders[block.page],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, f"{block}\n{run.stdout}\n{run.stderr}"


def test_the_readme_begins_with_the_two_commands() -> None:
    first = blocks(ROOT / "README.md")[0]
    assert _commands(first.code) == FIRST_COMMANDS


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: page.name)
def test_relative_links_have_a_target(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def _commands(code: str) -> set[str]:
    return {line.split("#")[0].strip() for line in code.splitlines() if line.split("#")[0].strip()}
