"""Code that the measurements of this folder share: running the engine and other renderers."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared import pdfs, program, table

__all__ = [
    "DPI",
    "Pixels",
    "images",
    "made",
    "operate",
    "pdfs",
    "pixels",
    "poppler",
    "program",
    "table",
]

# No limit on the size of images: the pages of unusual documents can be very large.
Image.MAX_IMAGE_PIXELS = None

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
DPI = 150


def operate(
    files: Iterable[Path], operation: str, options: object = None, keep: Path | None = None, seconds: int = 60
) -> dict[Path, tuple[str, str]]:
    """Runs an operation on files. Returns the outcome and the message of each file. The results are kept in `keep`."""
    wanted = operation if options is None else f"{operation}={json.dumps(options)}"
    arguments = [program("sweep"), "-o", wanted, "-s", str(seconds), *(["-k", str(keep)] if keep else [])]
    outcomes = {}
    for some in batches(list(files), 200):
        done = subprocess.run([*arguments, *map(str, some)], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            file, _, outcome, _, _, message = [*line.split("\t"), "", "", "", ""][:6]
            outcomes[Path(file)] = (outcome, message)
    return outcomes


def batches(items: Sequence[Path], size: int) -> Iterator[Sequence[Path]]:
    """The items in groups of at most `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))


def made(keep: Path, file: Path, operation: str) -> Path | None:
    """The path of an operation's result for a file; `None` if there is none."""
    found = [keep / f"{file.name}.{operation}.{end}" for end in ("pdf", "png", "jpg", "tif", "zip")]
    return next((path for path in found if path.is_file()), None)


def images(path: Path, most: int) -> list[Pixels]:
    """The first images of a result: the image itself, or the images in an archive."""
    if path.suffix != ".zip":
        return [pixels(path.read_bytes())]
    with zipfile.ZipFile(path) as archive:
        return [pixels(archive.read(name)) for name in archive.namelist()[:most]]


def pixels(data: bytes) -> Pixels:
    """An image file as rows of RGB."""
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def poppler(file: Path, folder: Path, most: int, dpi: int = DPI, password: str = "") -> list[Pixels]:
    """The first pages, rendered by poppler."""
    for old in folder.glob("poppler-*"):
        old.unlink()
    line = ["pdftoppm", "-cropbox", "-r", str(dpi), "-l", str(most), "-upw", password, str(file)]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run([*line, str(folder / "poppler")], capture_output=True, check=False, timeout=120)
    return [pixels(page.read_bytes()) for page in sorted(folder.glob("poppler-*"))]
