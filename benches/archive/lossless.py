"""Checks that the profile `archive` changes no pixel of a document, as pdfium and Poppler render it.

lossless.py [--most PAGES] FOLDER...

The profile `archive` may change how a document is written, but not what it shows. Documents that are returned
unchanged, and documents that fail, are counted separately. For each document that differs, the page, the number of
different samples and the largest difference are printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from common import machine, pdfs, program, table, timed

Samples = np.ndarray[Any, np.dtype[np.uint8]]


def by_pdfium(file: Path, most: int) -> list[Samples]:
    """The first pages in colour, at 72 pixels per inch. pdfium runs in a separate process, because it may crash."""
    script = (
        "import sys, numpy, pypdfium2\n"
        "document = pypdfium2.PdfDocument(sys.argv[1])\n"
        "pages = range(min(len(document), int(sys.argv[2])))\n"
        "numpy.savez(sys.argv[3], *[document[at].render(scale=1).to_numpy() for at in pages])\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "pages.npz"
        subprocess.run(
            [sys.executable, "-c", script, str(file), str(most), str(target)],
            capture_output=True,
            timeout=120,
            check=True,
        )
        with np.load(target) as arrays:
            return [arrays[name] for name in arrays.files]


def by_poppler(file: Path, most: int) -> list[Samples]:
    """The first pages in colour, rendered by Poppler."""
    with tempfile.TemporaryDirectory() as folder:
        line = ["pdftoppm", "-r", "72", "-l", str(most), str(file), f"{folder}/page"]
        subprocess.run(line, capture_output=True, timeout=120, check=False)
        return [np.frombuffer(page.read_bytes(), np.uint8) for page in sorted(Path(folder).iterdir())]


READERS: dict[str, Callable[[Path, int], list[Samples]]] = {"pdfium": by_pdfium, "Poppler": by_poppler}


def differences(before: Path, after: Path, most: int) -> list[str]:
    """The differences. A reader that cannot read the original document is skipped."""
    found = []
    for name, read in READERS.items():
        try:
            one = read(before, most)
        except subprocess.SubprocessError:
            continue
        if not one:
            continue
        try:
            other = read(after, most)
        except subprocess.SubprocessError as error:
            found.append(f"{name}: {type(error).__name__}")
            continue
        if [page.shape for page in one] != [page.shape for page in other]:
            found.append(f"{name}: the number or the sizes of the pages differ")
            continue
        for number, (a, b) in enumerate(zip(one, other, strict=True), 1):
            off = np.abs(a.astype(np.int16) - b)
            if off.any():
                found.append(f"{name}: page {number}, {np.count_nonzero(off)} samples by at most {off.max()}")
    return found


def compared(document: Path, most: int) -> tuple[Path, str, list[str]]:
    """A document, the outcome of its conversion, and the differences."""
    with tempfile.TemporaryDirectory() as folder:
        timed(
            [
                program("sweep"),
                "-o",
                'optimize={"profile": "archive"}',
                "-k",
                folder,
                "-s",
                "60",
                str(document),
            ]
        )
        made = list(Path(folder).glob("*.pdf"))
        if not made:
            return document, "failed", []
        if made[0].read_bytes() == document.read_bytes():
            return document, "unchanged", []
        found = differences(document, made[0], most)
        return document, "differ" if found else "equal", found


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    lines = []
    with ThreadPoolExecutor(2) as pool:
        for document, outcome, found in pool.map(
            lambda file: compared(file, given.most), pdfs(given.folders)
        ):
            counts[outcome] += 1
            lines += [f"{document.name}: {line}" for line in found]
    print(machine())
    outcomes = ["equal", "differ", "unchanged", "failed"]
    table(outcomes, [[counts[outcome] for outcome in outcomes]])
    for line in lines:
        print(line)


if __name__ == "__main__":
    main()
