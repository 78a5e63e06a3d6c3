"""Compares pages at 150 dpi with pdfium and poppler: finds the pages that both of them render differently.

    python benches/pages/render.py [--pages N] [--step N] [--worst FOLDER] [--peers FOLDER] FOLDER...

A page is divided into tiles of 32 x 32 pixels. A tile of a renderer is wrong if its mean colour differs by more than
16 of 255 levels from that of both other renderers. A page is wrong if one of its tiles is wrong. Pages whose size
differs between the renderers, pages that only one other renderer can render, and pages of more than 100 megapixels are
counted separately. With `--peers`, the pages of the other renderers are kept in a folder, and read from there in the
next run.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pypdfium2
from common import DPI, Pixels, images, made, operate, pdfium, pdfs, pixels, poppler, table
from PIL import Image

TILE = 32
LEVELS = 16
MOST_PIXELS = 100_000_000


def main() -> None:
    """Compares, and prints the table and the worst pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--pages", type=int, default=3, help="the maximum number of pages of a document")
    parser.add_argument("--step", type=int, default=1, help="compare every N-th document only")
    parser.add_argument("--worst", type=Path, help="the folder for images of the wrong pages")
    parser.add_argument("--peers", type=Path, help="the folder that keeps the pages of the other renderers")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    for file in pdfs(asked.folders)[:: asked.step]:
        with tempfile.TemporaryDirectory() as folder:
            compare(file, Path(folder), asked, counts, wrong)
    compared = counts["compared"]
    table(
        ["renderer", "wrong pages", "of", "share"],
        [
            (who, counts[who], compared, f"{counts[who] / max(compared, 1):.2%}")
            for who in ("recto", "pdfium", "poppler")
        ],
    )
    print()
    others = {key: count for key, count in counts.items() if key not in ("recto", "pdfium", "poppler")}
    table(["of them", "count"], sorted(others.items()))
    for tiles, page in sorted(wrong, reverse=True)[:40]:
        print(f"{tiles:6} tiles  {page}", file=sys.stderr)


def compare(
    file: Path,
    folder: Path,
    asked: argparse.Namespace,
    counts: Counter[str],
    wrong: list[tuple[int, str]],
) -> None:
    """Compares the first pages of a document."""
    most: int = asked.pages
    if largest(file, most) > MOST_PIXELS:
        counts["documents of pages too large to compare"] += 1
        return
    worst: Path | None = asked.worst
    outcome, _ = operate([file], "pdf-to-png", keep=folder).get(file, ("", ""))
    result = made(folder, file, "pdf-to-png")
    ours = images(result, most) if result else []
    theirs, others = peers(file, folder, most, asked.peers)
    counts[f"documents {outcome}"] += 1
    if not ours and (theirs or others):
        counts["documents that only others show"] += 1
        print(f"NOT SHOWN {file}: {outcome}", file=sys.stderr)
    for number, (a, b, c) in enumerate(zip(ours, others, theirs, strict=False), 1):
        if max(abs(a.shape[axis] - x.shape[axis]) for axis in (0, 1) for x in (b, c)) > 2:
            counts["pages of other sizes"] += 1
            if all(abs(a.shape[axis] - x.shape[axis]) > 2 for axis in (0,) for x in (b, c)):
                shapes = f"{a.shape[:2]}, pdfium {b.shape[:2]}, poppler {c.shape[:2]}"
                print(f"SIZE {file} {number}: {shapes}", file=sys.stderr)
            continue
        counts["compared"] += 1
        height, width = (min(x.shape[axis] for x in (a, b, c)) for axis in (0, 1))
        ta, tb, tc = (tiles(x[:height, :width]) for x in (a, b, c))
        ab, ac, bc = (np.abs(x - y).max(axis=2) > LEVELS for x, y in ((ta, tb), (ta, tc), (tb, tc)))
        bad = {"recto": ab & ac, "pdfium": ab & bc, "poppler": ac & bc}
        for who, places in bad.items():
            counts[who] += bool(places.any())
        if bad["recto"].any():
            page = f"{file} page {number}"
            wrong.append((int(bad["recto"].sum()), page))
            if worst:
                worst.mkdir(parents=True, exist_ok=True)
                side = np.hstack([x[:height, :width] for x in (a, b, c)])
                Image.fromarray(side).save(
                    worst / f"{int(bad['recto'].sum()):05}-{file.stem[:60]}-{number}.png"
                )


def largest(file: Path, most: int) -> float:
    """The number of pixels of the largest of the first pages."""
    try:
        document = pypdfium2.PdfDocument(file)
        sizes = [document.get_page_size(number) for number in range(min(most, len(document)))]
    except pypdfium2.PdfiumError:
        return 0
    return max((width * height * (DPI / 72) ** 2 for width, height in sizes), default=0)


def peers(file: Path, folder: Path, most: int, keep: Path | None) -> tuple[list[Pixels], list[Pixels]]:
    """The first pages, rendered by poppler and by pdfium; empty if a renderer takes minutes."""
    if not keep:
        return poppler(file, folder, most), pdfium(file, most)
    place = keep / hashlib.sha256(file.read_bytes()).hexdigest()[:20]
    if not (place / "complete").is_file():
        place.mkdir(parents=True, exist_ok=True)
        both = {"poppler": poppler(file, folder, most), "pdfium": pdfium(file, most)}
        for who, shown in both.items():
            for number, page in enumerate(shown):
                Image.fromarray(page).save(place / f"{who}-{number:04}.png", compress_level=1)
        (place / "complete").touch()
    theirs, others = (
        [pixels(path.read_bytes()) for path in sorted(place.glob(f"{who}-*.png"))[:most]]
        for who in ("poppler", "pdfium")
    )
    return theirs, others


def tiles(page: Pixels) -> np.ndarray:
    """The mean colour of each tile. The area outside the page counts as equal."""
    height, width = (-(-size // TILE) * TILE for size in page.shape[:2])
    padded = np.pad(
        page, ((0, height - page.shape[0]), (0, width - page.shape[1]), (0, 0)), constant_values=255
    )
    parts = padded.reshape(height // TILE, TILE, width // TILE, TILE, 3)
    return parts.mean(axis=(1, 3), dtype=np.float32)


if __name__ == "__main__":
    main()
