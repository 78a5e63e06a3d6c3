"""Compares pages at 150 dpi with pdfium, MuPDF and Poppler: finds the pages on which one renderer is alone.

    python benches/pages/render.py [--pages N] [--step N] [--worst FOLDER] [--peers FOLDER] FOLDER...

A page is divided into tiles of 32 x 32 pixels. Two renderers agree on a tile if its mean colours differ by at most 16
of 255 levels. A tile of a renderer is wrong if the three others agree with each other, and none of them agrees with it.
A page is wrong if one of its tiles is wrong. Pages that not all renderers show, pages whose size differs between the
renderers, and pages of more than 100 megapixels are counted separately. With `--peers`, the pages of the other
renderers are kept in a folder, and read from there in the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
from common import Pixels, made, operate, pdfs, pixels, table
from peers import PEERS, largest_page, render_peers
from PIL import Image

TILE = 32
LEVELS = 16
MOST_PIXELS = 100_000_000
RENDERERS = ("recto", *PEERS)


@dataclass
class Found:
    """What the comparison has found so far."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str, str]] = field(default_factory=list)


def main() -> None:
    """Compares, and prints the table and the wrong pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument(
        "--pages", type=int, default=100_000, help="the maximum number of pages of a document"
    )
    parser.add_argument("--step", type=int, default=1, help="compare every N-th document only")
    parser.add_argument("--worst", type=Path, help="the folder for images of the wrong pages")
    parser.add_argument("--peers", type=Path, help="the folder that keeps the pages of the other renderers")
    asked = parser.parse_args()
    found = Found()
    for file in pdfs(asked.folders)[:: asked.step]:
        with tempfile.TemporaryDirectory() as folder:
            compare_document(file, Path(folder), asked, found)
    compared = found.counts["compared"]
    table(
        ["renderer", "wrong pages", "of", "share"],
        [
            (who, found.counts[who], compared, f"{found.counts[who] / max(compared, 1):.2%}")
            for who in RENDERERS
        ],
    )
    print()
    table(
        ["of them", "count"],
        sorted((key, count) for key, count in found.counts.items() if key not in RENDERERS),
    )
    for tiles, who, page in sorted(found.wrong, reverse=True):
        if who == "recto":
            print(f"{tiles:6} tiles  {page}", file=sys.stderr)


def compare_document(file: Path, folder: Path, asked: argparse.Namespace, found: Found) -> None:
    """Compares the first pages of a document."""
    most: int = asked.pages
    if largest_page(file, most) > MOST_PIXELS:
        found.counts["documents of pages too large to compare"] += 1
        return
    outcome, _ = operate([file], "pdf-to-png", keep=folder, seconds=120).get(file, ("", ""))
    found.counts[f"documents {outcome}"] += 1
    ours = own_pages(made(folder, file, "pdf-to-png"))
    kept = render_peers(file, asked.peers or folder, most)
    theirs = {who: {int(path.stem[-5:]): path for path in kept.glob(f"{who}-*.png")} for who in PEERS}
    if not ours and any(theirs.values()):
        found.counts["documents that only others show"] += 1
        print(f"NOT SHOWN {file}: {outcome}", file=sys.stderr)
    for number in range(min(most, max([len(ours), *map(len, theirs.values())]))):
        if number >= len(ours) or any(number not in pages for pages in theirs.values()):
            found.counts["pages that not all show"] += 1
            continue
        pages = [ours[number](), *(pixels(theirs[who][number].read_bytes()) for who in PEERS)]
        compare_page(
            f"{file} page {number + 1}", dict(zip(RENDERERS, pages, strict=True)), asked.worst, found
        )


def own_pages(result: Path | None) -> list[Callable[[], Pixels]]:
    """Functions that read the pages of our result, in order."""
    if result is None:
        return []
    if result.suffix != ".zip":
        return [lambda: pixels(result.read_bytes())]
    archive = zipfile.ZipFile(result)
    return [lambda name=name: pixels(archive.read(name)) for name in archive.namelist()]


def compare_page(name: str, pages: dict[str, Pixels], worst: Path | None, found: Found) -> None:
    """Compares one page."""
    heights, widths = ([page.shape[axis] for page in pages.values()] for axis in (0, 1))
    if max(heights) - min(heights) > 2 or max(widths) - min(widths) > 2:
        found.counts["pages of other sizes"] += 1
        ours, *theirs = zip(heights, widths, strict=True)
        if len(set(theirs)) == 1 and max(abs(a - b) for a, b in zip(ours, theirs[0], strict=True)) > 2:
            print(f"SIZE {name}: {ours}, the others {theirs[0]}", file=sys.stderr)
        return
    found.counts["compared"] += 1
    same = {who: page[: min(heights), : min(widths)] for who, page in pages.items()}
    for who, places in wrong_tiles({who: tiles(page) for who, page in same.items()}).items():
        count = int(places.sum())
        if count == 0:
            continue
        found.counts[who] += 1
        found.wrong.append((count, who, name))
        if worst and who == "recto":
            worst.mkdir(parents=True, exist_ok=True)
            document, _, number = name.rpartition(" page ")
            picture = Image.fromarray(np.hstack(list(same.values())))
            picture.save(worst / f"{count:05}-{Path(document).stem[:60]}-{number}.png")


def wrong_tiles(means: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The tiles of each renderer on which it is alone: the others agree with each other, and not with it."""
    differs = {
        frozenset(pair): np.abs(means[pair[0]] - means[pair[1]]).max(axis=2) > LEVELS
        for pair in combinations(means, 2)
    }
    wrong = {}
    for who in means:
        others = [other for other in means if other != who]
        disputed = np.any([differs[frozenset(pair)] for pair in combinations(others, 2)], axis=0)
        alone = np.all([differs[frozenset((who, other))] for other in others], axis=0)
        wrong[who] = alone & ~disputed
    return wrong


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
