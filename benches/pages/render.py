"""Pages at 150 dpi beside pdfium and poppler: where both show something else.

    python benches/pages/render.py [--pages N] [--step N] [--worst FOLDER] FOLDER...

A page is parted into tiles of 32 pixels. A tile is wrong for a renderer when its mean colour is more than 16 of 255
levels away from that of both of the others; a page is wrong when one of its tiles is. Pages of which the renderers do
not agree on the size, or that only one of the others shows, are counted apart.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from common import Pixels, images, made, operate, pdfium, pdfs, poppler, table
from PIL import Image

TILE = 32
LEVELS = 16


def main() -> None:
    """Compares, and prints the table and the worst pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--pages", type=int, default=3, help="the most pages of a document")
    parser.add_argument("--step", type=int, default=1, help="every how many-th document")
    parser.add_argument("--worst", type=Path, help="where to keep pictures of the wrong pages")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    for file in pdfs(asked.folders)[:: asked.step]:
        with tempfile.TemporaryDirectory() as folder:
            compare(file, Path(folder), asked.pages, asked.worst, counts, wrong)
    compared = counts["compared"]
    table(
        ["renderer", "wrong pages", "of", "share"],
        [
            (who, counts[who], compared, f"{counts[who] / max(compared, 1):.2%}")
            for who in ("recto", "pdfium", "poppler")
        ],
    )
    print({key: count for key, count in counts.items() if key not in ("recto", "pdfium", "poppler")})
    for tiles, page in sorted(wrong, reverse=True)[:40]:
        print(f"{tiles:6} tiles  {page}")


def compare(
    file: Path,
    folder: Path,
    most: int,
    worst: Path | None,
    counts: Counter[str],
    wrong: list[tuple[int, str]],
) -> None:
    """Compares the first pages of a document."""
    outcome, _ = operate([file], "pdf-to-png", keep=folder).get(file, ("", ""))
    result = made(folder, file, "pdf-to-png")
    ours = images(result, most) if result else []
    theirs, others = poppler(file, folder, most), pdfium(file, most)
    counts[f"documents {outcome}"] += 1
    if not ours and (theirs or others):
        counts["documents that only others show"] += 1
        print(f"NOT SHOWN {file}: {outcome}")
    for number, (a, b, c) in enumerate(zip(ours, others, theirs, strict=False), 1):
        if max(abs(a.shape[axis] - x.shape[axis]) for axis in (0, 1) for x in (b, c)) > 2:
            counts["pages of other sizes"] += 1
            if all(abs(a.shape[axis] - x.shape[axis]) > 2 for axis in (0,) for x in (b, c)):
                print(f"SIZE {file} {number}: {a.shape[:2]}, pdfium {b.shape[:2]}, poppler {c.shape[:2]}")
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


def tiles(page: Pixels) -> np.ndarray:
    """The mean colour of each tile; what lies beyond the page counts as equal."""
    height, width = (-(-size // TILE) * TILE for size in page.shape[:2])
    padded = np.pad(
        page, ((0, height - page.shape[0]), (0, width - page.shape[1]), (0, 0)), constant_values=255
    )
    parts = padded.reshape(height // TILE, TILE, width // TILE, TILE, 3)
    return parts.mean(axis=(1, 3), dtype=np.float32)


if __name__ == "__main__":
    main()
