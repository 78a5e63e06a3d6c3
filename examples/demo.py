"""Compresses the sample documents with Python and with the command line, and prints the results as a table.

    python examples/demo.py [FOLDER]        # for the results; default: a temporary folder

Counting pages needs `pikepdf` (the `demo` dependency group); Recto itself has no dependencies.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pikepdf

import recto

SAMPLES = Path(__file__).parent
DOCUMENTS = [SAMPLES / "report.pdf", SAMPLES / "scan.pdf", SAMPLES / "form.pdf"]


@dataclass(frozen=True)
class Outcome:
    """The result for one document."""

    interface: str
    source: Path
    profile: str
    result: Path
    seconds: float

    def row(self) -> tuple[str, ...]:
        """The row of the table, with the columns of `HEADER`."""
        before, after = self.source.stat().st_size, self.result.stat().st_size
        return (
            self.source.name,
            self.profile,
            self.interface,
            f"{before:,}",
            f"{after:,}",
            f"{after / before:.0%}",
            f"{pages(self.source)} -> {pages(self.result)}",
            f"{self.seconds:.2f}",
        )


HEADER = ("document", "profile", "interface", "bytes", "result", "ratio", "pages", "seconds")


def pages(path: Path) -> int:
    """The number of pages of a PDF."""
    with pikepdf.open(path) as document:
        return len(document.pages)


def with_python(folder: Path) -> list[Outcome]:
    """Each document in each profile, with one client and its embedded service."""
    outcomes = []
    with recto.Client() as client:
        for source in DOCUMENTS:
            for profile in recto.Profile:
                target = folder / f"{source.stem}-{profile}.pdf"
                began = time.perf_counter()
                client.optimize(source, profile=profile).save(target)
                outcomes.append(Outcome("Python", source, profile, target, time.perf_counter() - began))
    return outcomes


def with_command_line(folder: Path) -> list[Outcome]:
    """Each document for the web with `recto optimize`; each run starts and stops its own embedded service."""
    command = shutil.which("recto")
    if command is None:
        sys.exit("The command `recto` is not on PATH; `pip install .` installs it next to python.")
    outcomes = []
    for source in DOCUMENTS:
        target = folder / f"{source.stem}-command-line.pdf"
        began = time.perf_counter()
        subprocess.run([command, "optimize", source, "--profile", "web", "-o", target], check=True)
        outcomes.append(Outcome("recto", source, "web", target, time.perf_counter() - began))
    return outcomes


def table(rows: list[tuple[str, ...]]) -> str:
    """The rows with aligned columns, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number < 3 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main(folder: Path) -> None:
    """Runs both and prints one table."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = with_python(folder) + with_command_line(folder)
    print(table([HEADER, *(outcome.row() for outcome in outcomes)]))
    print(f"\nThe results are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="recto-demo-")))
