"""Pages at 150 dpi by pdfium, MuPDF and Poppler, each in a process of its own, kept as PNG files in a folder."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypdfium2
from common import DPI
from PIL import Image

__all__ = ["PEERS", "largest_page", "render_peers"]

SECONDS = 120


def by_pdfium(file: Path, folder: Path, most: int) -> None:
    """The first pages by pdfium, with the fields of forms."""
    document = pypdfium2.PdfDocument(file)
    document.init_forms()
    for number in range(min(most, len(document))):
        page = document[number].render(scale=DPI / 72, rev_byteorder=True)
        keep(page.to_pil(), folder, "pdfium", number)


def by_mupdf(file: Path, folder: Path, most: int) -> None:
    """The first pages by MuPDF."""
    import pymupdf

    document = pymupdf.open(file, filetype="pdf")
    for number in range(min(most, document.page_count)):
        page = document[number].get_pixmap(dpi=DPI, alpha=False)
        keep(Image.frombytes("RGB", (page.width, page.height), page.samples), folder, "mupdf", number)


def by_poppler(file: Path, folder: Path, most: int) -> None:
    """The first pages by Poppler."""
    line = ["pdftoppm", "-cropbox", "-r", str(DPI), "-l", str(most), str(file), str(folder / "poppler")]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(line, capture_output=True, check=False, timeout=SECONDS)
    for path in folder.glob("poppler-*.ppm"):
        number = int(path.stem.rpartition("-")[2]) - 1
        # Poppler can end within a page.
        with contextlib.suppress(OSError):
            keep(Image.open(path), folder, "poppler", number)
        path.unlink()


PEERS: dict[str, Callable[[Path, Path, int], None]] = {
    "pdfium": by_pdfium,
    "mupdf": by_mupdf,
    "poppler": by_poppler,
}


def keep(page: Image.Image, folder: Path, who: str, number: int) -> None:
    """Keeps one page."""
    page.convert("RGB").save(folder / f"{who}-{number:05}.png", compress_level=1)


def render_peers(file: Path, folder: Path, most: int) -> Path:
    """Renders the first pages by every peer, unless they are in the folder. Returns the folder with the images."""
    place = folder / hashlib.sha256(file.read_bytes()).hexdigest()[:20]
    if (place / "complete").is_file():
        return place
    place.mkdir(parents=True, exist_ok=True)
    for render in PEERS.values():
        # The page at which a peer crashes or exceeds the time limit is not rendered, nor are those after it.
        process = multiprocessing.get_context("fork").Process(target=quiet, args=(render, file, place, most))
        process.start()
        process.join(SECONDS + 10)
        process.kill()
    (place / "complete").touch()
    return place


def quiet(render: Callable[[Path, Path, int], None], file: Path, folder: Path, most: int) -> None:
    """Renders pages. A document that a peer cannot open has no pages, and needs no message."""
    with contextlib.suppress(Exception):
        render(file, folder, most)


def largest_page(file: Path, most: int) -> float:
    """The number of pixels of the largest of the first pages; 0 if pdfium cannot open the document."""
    try:
        document = pypdfium2.PdfDocument(file)
        sizes = [document.get_page_size(number) for number in range(min(most, len(document)))]
    except pypdfium2.PdfiumError:
        return 0
    return max((width * height * (DPI / 72) ** 2 for width, height in sizes), default=0)
