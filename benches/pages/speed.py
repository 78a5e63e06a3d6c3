"""Compares the time for 500 pages at 150 dpi with pdftoppm and pdfium, with the same number of threads.

    python benches/pages/speed.py FOLDER... [--pages 500] [--turns 3] [--threads 1 2] [--forms png jpeg]

The pages are the first pages of the documents below the folders, merged into one file by qpdf. With one thread, a
program runs on one processor (`taskset`). With two threads, pdftoppm and pdfium run as two processes, one for each
half of the pages. The programs run alternately. The processor time is printed too: it does not depend on other load of
the machine.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from common import DPI, pdfs, program, table

PDFIUM = """
import sys, pypdfium2
path, first, last, form, folder = sys.argv[1:]
document = pypdfium2.PdfDocument(path)
document.init_forms()
for number in range(int(first) - 1, int(last)):
    image = document[number].render(scale=DPI / 72, rev_byteorder=True).to_pil().convert("RGB")
    if form == "png":
        image.save(f"{folder}/pdfium-{number}.png", compress_level=6)
    else:
        image.save(f"{folder}/pdfium-{number}.jpg", quality=85)
""".replace("DPI", str(DPI))


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, min(2, os.cpu_count() or 1)])
    parser.add_argument("--forms", nargs="+", default=["png", "jpeg"])
    asked = parser.parse_args()
    rows = []
    lacking = []
    with tempfile.TemporaryDirectory() as folder:
        document, count = gathered(pdfs(asked.folders), asked.pages, Path(folder))
        for form in asked.forms:
            for threads in asked.threads:
                contenders = {
                    "recto": [
                        [program("sweep"), "-s", "600", "-o", f"pdf-to-{form}", "-k", folder, str(document)]
                    ],
                    "pdftoppm": [
                        [
                            "pdftoppm",
                            "-cropbox",
                            "-r",
                            str(DPI),
                            f"-{form}",
                            "-f",
                            str(first),
                            "-l",
                            str(last),
                            str(document),
                            f"{folder}/poppler",
                        ]
                        for first, last in parts(count, threads)
                    ],
                    "pdfium": [
                        [sys.executable, "-c", PDFIUM, str(document), str(first), str(last), form, folder]
                        for first, last in parts(count, threads)
                    ],
                }
                taken: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
                for _ in range(asked.turns):
                    for name, commands in contenders.items():
                        taken[name].append(timed(commands, threads))
                        if (shown := taken_away(Path(folder), document)) != count:
                            lacking.append(f"{name} made {shown} of {count} pages {form}")
                for name, turns in taken.items():
                    wall, cpu = (statistics.median(turn[part] for turn in turns) for part in (0, 1))
                    rows.append((form, threads, name, f"{wall:.1f}", f"{cpu:.1f}"))
    print(f"{count} pages")
    table(["images", "threads", "renderer", "seconds", "processor seconds"], rows)
    print(*lacking, sep="\n")
    sys.exit(bool(lacking))


def gathered(files: list[Path], most: int, folder: Path) -> tuple[Path, int]:
    """One file with the first pages of the documents, and the number of its pages."""
    chosen: list[str] = []
    count = 0
    for file in files:
        said = subprocess.run(
            ["qpdf", "--show-npages", str(file)], capture_output=True, text=True, check=False
        )
        if said.returncode != 0 or count == most:
            continue
        taken = min(int(said.stdout), most - count, 40)
        chosen += [str(file), f"1-{taken}"]
        count += taken
    target = folder / "gathered.pdf"
    line = ["qpdf", "--empty", "--warning-exit-0", "--pages", *chosen, "--", str(target)]
    subprocess.run(line, capture_output=True, check=True)
    return target, count


def taken_away(folder: Path, document: Path) -> int:
    """The number of images that a program wrote. Removes the images."""
    count = 0
    for path in folder.iterdir():
        if path == document:
            continue
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                count += len(archive.namelist())
        else:
            count += 1
        path.unlink()
    return count


def parts(count: int, number: int) -> list[tuple[int, int]]:
    """The pages, divided into this number of ranges."""
    bounds = [round(count * part / number) for part in range(number + 1)]
    return [(first + 1, last) for first, last in itertools.pairwise(bounds)]


def timed(commands: list[list[str]], threads: int) -> tuple[float, float]:
    """The wall time and the processor time, in seconds, of commands that run in parallel."""
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))
    before, began = os.times(), time.monotonic()
    running = [
        subprocess.Popen(
            ["taskset", "-c", processors, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    for one in running:
        one.wait()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - began, spent


if __name__ == "__main__":
    main()
