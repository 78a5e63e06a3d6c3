"""Renders two PDFs with poppler and measures the difference between their pages."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Picture = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """The difference between two pages, from 0 to 255."""

    page: int
    mean: float
    """The mean over all pixels and channels."""
    worst_tile: float
    """The mean of the worst tile of 16 by 16 pixels: large where something is missing, moved or of another colour."""


def differences(one: Path, other: Path, folder: Path, dpi: int) -> list[Difference]:
    """The difference of each page; both documents must have the same number of pages, with the same sizes."""
    pages, others = render(one, folder / "one", dpi), render(other, folder / "other", dpi)
    assert len(pages) == len(others), f"{len(pages)} pages became {len(others)}"
    found = []
    for number, (page, twin) in enumerate(zip(pages, others, strict=True), start=1):
        assert page.shape == twin.shape, f"page {number} changed its size from {page.shape} to {twin.shape}"
        difference = np.abs(page - twin).mean(axis=2)
        found.append(Difference(number, float(difference.mean()), float(_tiles(difference, 16).max())))
    return found


def render(document: Path, folder: Path, dpi: int) -> list[Picture]:
    """Each page as an array of height, width and three channels."""
    folder.mkdir(parents=True)
    subprocess.run(["pdftoppm", "-r", str(dpi), document, folder / "page"], check=True, timeout=120)
    pictures = []
    for file in sorted(folder.iterdir()):
        with Image.open(file) as image:
            pictures.append(np.asarray(image.convert("RGB"), dtype=np.float64))
    return pictures


def _tiles(plane: Picture, size: int) -> Picture:
    height, width = (side // size * size for side in plane.shape)
    return np.asarray(
        plane[:height, :width].reshape(height // size, size, width // size, size).mean(axis=(1, 3))
    )
