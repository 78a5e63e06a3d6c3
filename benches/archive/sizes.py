"""Compares the sizes of optimized documents with Ghostscript's and qpdf's, the similarity of their pages, and the time.

sizes.py [--each FILE] FOLDER...

The first table covers the documents that all programs could process. The second table covers those of them in which no
program lost form fields, signatures, attachments or bookmarks, because lost content makes a file smaller. With
`--each`, a line for each document and program is written to FILE: bytes, ratio, similarity, seconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from common import alike, machine, pdfs, program, table, timed

PROFILES = {"minimalFileSize": "/screen", "web": "/ebook", "print": "/printer"}


MAKERS = ["minimalFileSize", "gs /screen", "web", "gs /ebook", "print", "gs /printer", "archive", "qpdf"]


class Made(NamedTuple):
    """The output of a program (or profile) for a document."""

    document: Path
    path: Path
    seconds: float

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.path.stat().st_size

    @property
    def share(self) -> float:
        """The size divided by the size of the document."""
        return self.size / self.document.stat().st_size


def ours(document: Path, profile: str, folder: Path) -> Made | None:
    """The output of a profile for a document."""
    keep = folder / profile
    wanted = f"optimize={json.dumps({'profile': profile})}"
    _, seconds = timed([program("sweep"), "-o", wanted, "-k", str(keep), "-s", "60", str(document)])
    found = list(keep.glob("*.pdf")) if keep.is_dir() else []
    return Made(document, found[0], seconds) if found else None


def ghostscript(document: Path, setting: str, folder: Path) -> Made | None:
    """The output of Ghostscript with a setting for a document."""
    target = folder / f"gs{setting[1:]}.pdf"
    line = ["gs", "-q", "-sDEVICE=pdfwrite", f"-dPDFSETTINGS={setting}", "-o", str(target), str(document)]
    status, seconds = timed(line)
    return Made(document, target, seconds) if not status and target.is_file() else None


def qpdf(document: Path, folder: Path) -> Made | None:
    """The output of qpdf with the options for small files."""
    target = folder / "qpdf.pdf"
    line = ["qpdf", "--object-streams=generate", "--recompress-flate", "--compression-level=9"]
    status, seconds = timed([*line, "--optimize-images", str(document), str(target)])
    return Made(document, target, seconds) if status in (0, 3) and target.is_file() else None


def sound(path: Path) -> bool:
    """Whether qpdf reports no error and no warning."""
    return not subprocess.run(["qpdf", "--check", str(path)], capture_output=True, check=False).returncode


def belongings(path: Path) -> list[int]:
    """The numbers of form fields, attachments and bookmarks of a document."""
    keys = ["acroform", "attachments", "outlines"]
    line = ["qpdf", "--json=1", *[f"--json-key={key}" for key in keys], str(path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        return [0, 0, 0]

    def entries(items: list[dict[str, Any]]) -> int:
        return sum(1 + entries(item["kids"]) for item in items)

    return [len(told["acroform"]["fields"]), len(told["attachments"]), entries(told["outlines"])]


def lost(made: Made) -> bool:
    """Whether a document lost form fields, attachments or bookmarks."""
    pairs = zip(belongings(made.document), belongings(made.path), strict=True)
    return any(before > after for before, after in pairs)


def row(name: str, files: list[Made], likes: dict[Path, float | None], losses: set[Path]) -> list[object]:
    """The row of a program."""
    before = sum(made.document.stat().st_size for made in files)
    known = [value for made in files if (value := likes[made.path]) is not None]
    return [
        name,
        len(files),
        f"{sum(made.size for made in files) / before:.3f}",
        f"{mean(made.share for made in files):.3f}",
        f"{mean(known):.4f}",
        sum(value < 0.8 for value in known),
        sum(made.share > 1 for made in files),
        sum(made.path in losses for made in files),
        sum(not sound(made.path) for made in files),
        f"{sum(made.seconds for made in files):.1f} s",
    ]


def main() -> None:
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=Path)
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args()
    results: dict[str, list[Made]] = {name: [] for name in MAKERS}
    left_out: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, document in enumerate(pdfs(given.folders)):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            made = {profile: ours(document, profile, folder) for profile in (*PROFILES, "archive")}
            made |= {f"gs {setting}": ghostscript(document, setting, folder) for setting in PROFILES.values()}
            made["qpdf"] = qpdf(document, folder)
            missing = [name for name in MAKERS if made[name] is None]
            if missing:
                left_out.setdefault(", ".join(missing), []).append(document.name)
                continue
            for name, file in made.items():
                if file is not None:
                    results[name].append(file)
        files = [made for name in MAKERS for made in results[name]]
        likes = {made.path: alike(made.document, made.path) for made in files}
        losses = {made.path for made in files if lost(made)}
        whole = {made.document for made in files} - {made.document for made in files if made.path in losses}
        rows = [row(name, results[name], likes, losses) for name in MAKERS]
        kept = {name: [made for made in results[name] if made.document in whole] for name in MAKERS}
        fair = [row(name, kept[name], likes, losses) for name in MAKERS]
        each = [
            f"{made.document.name}\t{name}\t{made.size}\t{made.share:.3f}\t{likes[made.path]}\t{made.seconds:.2f}"
            for name in MAKERS
            for made in results[name]
        ]
    print(machine())
    head = [
        "made by",
        "files",
        "total out/in",
        "mean out/in",
        "SSIM",
        "below 0.8",
        "larger",
        "lost",
        "qpdf faults",
        "CPU",
    ]
    table(head, rows)
    print("\nThe documents in which no program lost content:\n")
    table(head, fair)
    for makers, names in left_out.items():
        print(f"left out, because {makers} returned no file: {len(names)} ({', '.join(names[:5])})")
    if given.each:
        given.each.write_text("".join(f"{line}\n" for line in each))


if __name__ == "__main__":
    main()
