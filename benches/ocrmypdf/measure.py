"""Compares OCRmyPDF with the plugin of Recto and with Ghostscript: measure.py SCANS PLAIN_PYTHON RECTO_PYTHON."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import pypdfium2

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared import table


@dataclass(frozen=True)
class Way:
    """A way to convert: its name, its interpreter, the level, and the programs that it does not find."""

    name: str
    python: str
    level: int
    hidden: tuple[str, ...] = ()


def path_without(hidden: tuple[str, ...], folder: Path) -> str:
    """A PATH with links to all programs but the hidden ones."""
    if not hidden:
        return os.environ["PATH"]
    folder.mkdir(exist_ok=True)
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name not in hidden and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def converted(way: Way, scans: list[Path], folder: Path) -> list[list[str]]:
    """Converts the scans; the lines of convert.py."""
    out = folder / f"{way.name}-{way.level}"
    out.mkdir()
    command = [way.python, str(Path(__file__).with_name("convert.py")), str(out), str(way.level)]
    environment = {**os.environ, "PATH": path_without(way.hidden, folder / "programs")}
    text = "".join(f"{scan}\n" for scan in scans)
    done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == len(scans), done.stderr[-2000:]
    return rows


def accepted(files: list[Path]) -> int:
    """How many files veraPDF accepts as PDF/A-2b."""
    text = "".join(f"{file}\n" for file in files)
    command = [os.environ["RECTO_VERAPDF"], "2b"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    verdicts = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(verdicts) == len(files)
    for path, verdict, *rest in verdicts:
        if verdict != "PASS":
            print(f"veraPDF: {path} {verdict} {rest}", file=sys.stderr)
    return sum(verdict[1] == "PASS" for verdict in verdicts)


def has_all_words(result: Path, scan: Path) -> bool:
    """Whether the text of the result contains each word as often as the scan."""
    wanted = sorted(word for word, _ in json.loads(scan.with_suffix(".json").read_text())["words"])
    with pypdfium2.PdfDocument(result) as pdf:
        text = "".join("".join(page.get_textpage().get_text_bounded().split()) for page in pdf)
    return all(word in text for word in wanted)


def row(way: Way, scans: list[Path], folder: Path) -> list[object]:
    """Measures a way."""
    lines = converted(way, scans, folder)
    results = {scan: folder / f"{way.name}-{way.level}" / scan.name for scan in scans}
    made = {scan: result for scan, result in results.items() if result.exists()}
    for source, status, _ in lines:
        if status != "ok":
            print(f"{way.name}: {source}: {status}", file=sys.stderr)
    before = sum(scan.stat().st_size for scan in made)
    after = sum(result.stat().st_size for result in made.values())
    ratios = [result.stat().st_size / scan.stat().st_size for scan, result in made.items()]
    seconds = [float(line[2]) for line in lines]
    return [
        f"{way.name} -O{way.level}",
        f"{len(made)} of {len(scans)}",
        f"{accepted(list(made.values()))} of {len(made)}",
        sum(has_all_words(result, scan) for scan, result in made.items()),
        f"{before:,}",
        f"{after:,}",
        f"{median(ratios):.2f}",
        f"{mean(seconds):.2f}",
    ]


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scans", type=Path)
    parser.add_argument("plain")
    parser.add_argument("recto")
    parser.add_argument("--levels", type=int, nargs="+", default=[1])
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    parser.add_argument("--most", type=int, default=100)
    options = parser.parse_args()
    scans = [scan for scan in sorted(options.scans.glob("*.pdf")) if int(scan.stem, 16) % 2 == options.half]
    scans = scans[: options.most]
    ways = [
        way
        for level in options.levels
        for way in (
            Way("Ghostscript", options.plain, level),
            Way("Recto", options.recto, level, ("gs", "pngquant", "jbig2")),
        )
    ]
    head = [
        "",
        "converted",
        "veraPDF accepts",
        "all words",
        "bytes before",
        "after",
        "median ratio",
        "processor s each",
    ]
    folder = Path(tempfile.mkdtemp(prefix="ocrmypdf-"))
    try:
        table(head, [row(way, scans, folder) for way in ways])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
