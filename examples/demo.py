"""Compresses the sample documents through Python and through the command line, and shows what each became.

    python examples/demo.py [FOLDER]        # where the results go; default: a temporary folder

Counting pages takes `pikepdf` (the `demo` dependency group); Recto itself needs nothing.
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
    """What became of one document."""

    through: str
    source: Path
    profile: str
    result: Path
    seconds: float

    def row(self) -> tuple[str, ...]:
        """The line of the table, as `HEADER` names its cells."""
        before, after = self.source.stat().st_size, self.result.stat().st_size
        return (
            self.source.name,
            self.profile,
            self.through,
            f"{before:,}",
            f"{after:,}",
            f"{after / before:.0%}",
            f"{pages(self.source)} -> {pages(self.result)}",
            f"{self.seconds:.2f}",
        )


HEADER = ("document", "profile", "through", "bytes", "became", "ratio", "pages", "seconds")


def pages(path: Path) -> int:
    """The number of pages of a PDF."""
    with pikepdf.open(path) as document:
        return len(document.pages)


def through_python(folder: Path) -> list[Outcome]:
    """Every document in every profile, with one client and the service it brings along."""
    outcomes = []
    with recto.Client() as client:
        for source in DOCUMENTS:
            for profile in recto.Profile:
                target = folder / f"{source.stem}-{profile}.pdf"
                began = time.perf_counter()
                client.optimize(source, profile=profile).save(target)
                outcomes.append(Outcome("Python", source, profile, target, time.perf_counter() - began))
    return outcomes


def through_command_line(folder: Path) -> list[Outcome]:
    """Every document for the web with `recto optimize`; each run starts and ends a service of its own."""
    command = shutil.which("recto")
    if command is None:
        sys.exit("The command `recto` is not on PATH; `pip install .` puts it beside python.")
    outcomes = []
    for source in DOCUMENTS:
        target = folder / f"{source.stem}-command-line.pdf"
        began = time.perf_counter()
        subprocess.run([command, "optimize", source, "--profile", "web", "-o", target], check=True)
        outcomes.append(Outcome("recto", source, "web", target, time.perf_counter() - began))
    return outcomes


def table(rows: list[tuple[str, ...]]) -> str:
    """Columns as wide as their longest cell; figures to the right."""
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
    outcomes = through_python(folder) + through_command_line(folder)
    print(table([HEADER, *(outcome.row() for outcome in outcomes)]))
    print(f"\nThe results are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="recto-demo-")))
