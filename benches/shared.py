"""Code that the measurements of documents share: programs of this workspace, folders of documents, tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def program(name: str) -> str:
    """The path of a program of this workspace: `RECTO_NAME`, or the place where cargo builds it."""
    root = Path(__file__).resolve().parents[1]
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    named = os.environ.get(f"RECTO_{name.upper()}", str(target / "release" / name))
    if not Path(named).is_file():
        sys.exit(
            f"there is no {named}: cargo build --release -p recto-benches --bin {name}, or set RECTO_{name.upper()}"
        )
    return named


def pdfs(folders: Iterable[str]) -> list[Path]:
    """All PDF files below some folders."""
    found: list[Path] = []
    for folder in map(Path, folders):
        found += [folder] if folder.is_file() else sorted(folder.rglob("*"))
    return [path for path in found if path.suffix.lower() == ".pdf" and path.is_file()]


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    """Prints a table."""
    print("| " + " | ".join(map(str, head)) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
