"""Code that the measurements of this folder share: veraPDF, rendered pages, the machine."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared import pdfs, program, table

__all__ = ["alike", "machine", "pages", "pdfs", "program", "ssim", "table", "timed", "verapdf"]

Gray = np.ndarray[Any, np.dtype[np.float64]]


def verapdf(lines: Sequence[tuple[Path, str]]) -> tuple[list[list[str]], float]:
    """The verdicts of veraPDF on pairs of a file and a flavour, and the seconds that it took."""
    program = os.environ.get("RECTO_VERAPDF")
    if not program:
        sys.exit("set RECTO_VERAPDF to a program that runs veraPDF; see the README")
    began = time.monotonic()
    text = "".join(f"{path}\t{flavour}\n" for path, flavour in lines)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == len(lines), f"{len(rows)} verdicts for {len(lines)} files"
    return rows, time.monotonic() - began


def timed(command: Sequence[str], seconds: float = 120) -> tuple[int, float]:
    """The exit status of a command (-1 if it did not end in time), and its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        status = subprocess.run(command, capture_output=True, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        status = -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pages(file: Path, most: int, dpi: int) -> list[Gray]:
    """The first pages in gray, rendered by pdfium."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(file)
        document.init_forms()
        return [
            np.asarray(document[at].render(scale=dpi / 72, grayscale=True).to_pil().convert("L"), np.float64)
            for at in range(min(most, len(document)))
        ]
    except pypdfium2.PdfiumError:
        return []


def ssim(a: Gray, b: Gray) -> float:
    """The mean structural similarity (SSIM) of two pages, in windows of 8 x 8 pixels."""
    if a.shape != b.shape:
        height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
        if abs(a.shape[0] - b.shape[0]) > 2 or abs(a.shape[1] - b.shape[1]) > 2:
            return 0.0
        a, b = a[:height, :width], b[:height, :width]
    height, width = (side // 8 * 8 for side in a.shape)
    if not height or not width:
        return 1.0

    def windows(page: Gray) -> Gray:
        tiles = page[:height, :width].reshape(height // 8, 8, width // 8, 8)
        return tiles.transpose(0, 2, 1, 3).reshape(-1, 64)

    x, y = windows(a), windows(b)
    mx, my = x.mean(1), y.mean(1)
    vx, vy = x.var(1), y.var(1)
    both = ((x - mx[:, None]) * (y - my[:, None])).mean(1)
    first, second = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    values = (2 * mx * my + first) * (2 * both + second) / ((mx**2 + my**2 + first) * (vx + vy + second))
    return float(values.mean())


def alike(before: Path, after: Path, most: int = 3, dpi: int = 72) -> float | None:
    """The similarity of the first pages of two files; `None` if pdfium cannot render the first file."""
    one, other = pages(before, most, dpi), pages(after, most, dpi)
    if not one:
        return None
    if len(one) != len(other):
        return 0.0
    return float(np.mean([ssim(a, b) for a, b in zip(one, other, strict=True)]))


def machine() -> str:
    """The machine, and the versions of the other programs."""
    versions = []
    for command in (["gs", "--version"], ["qpdf", "--version"]):
        try:
            text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            versions.append(f"{command[0]} {text.split()[-1] if command[0] == 'gs' else text.split()[2]}")
        except (OSError, IndexError):
            versions.append(f"no {command[0]}")
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {', '.join(versions)}"
