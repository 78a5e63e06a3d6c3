"""Makes scans of pages of documents, each with its words: scans.py FOLDER... OUT [--most N]."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import sys
from pathlib import Path

import img2pdf
import pypdfium2
from PIL import Image, ImageFilter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared import pdfs

DPI = 200
LEAST_WORDS = 20
MOST_PIXELS = 6_000_000


def page_with_text(document: Path) -> tuple[Image.Image, list[tuple[str, list[float]]]] | None:
    """The first page with enough text, and its words with their boxes in pixels."""
    try:
        with pypdfium2.PdfDocument(document) as pdf:
            for page in list(pdf)[:3]:
                words = words_of(page)
                width, height = page.get_size()
                if len(words) >= LEAST_WORDS and width * height * (DPI / 72) ** 2 <= MOST_PIXELS:
                    return page.render(scale=DPI / 72).to_pil().convert("RGB"), words
    except pypdfium2.PdfiumError:
        return None
    return None


def words_of(page: pypdfium2.PdfPage) -> list[tuple[str, list[float]]]:
    """The words of a page. The words of a line share its width, according to their lengths."""
    text = page.get_textpage()
    height = page.get_size()[1]
    found: list[tuple[str, list[float]]] = []
    for index in range(text.count_rects()):
        left, bottom, right, top = text.get_rect(index)
        line = text.get_text_bounded(left, bottom, right, top)
        # The fonts of OCRmyPDF cover ASCII in any case.
        words = [word for word in line.split() if word.isascii() and word.isprintable()]
        step = (right - left) / max(1, len(line))
        place = 0
        for word in words:
            place = line.find(word, place)
            box = [left + place * step, height - top, left + (place + len(word)) * step, height - bottom]
            found.append((word, [round(edge * DPI / 72, 1) for edge in box]))
            place += len(word)
    return found


def scanned(picture: Image.Image, seed: int) -> bytes:
    """The picture as a scanner would store it: turned a little, with noise; bilevel, gray or colour."""
    chance = random.Random(seed)
    turned = picture.rotate(chance.uniform(-0.5, 0.5), Image.Resampling.BICUBIC, fillcolor="white")
    noise = Image.effect_noise(picture.size, 24).convert("RGB")
    mixed = Image.blend(turned, noise, 0.06).filter(ImageFilter.GaussianBlur(0.6))
    stored = io.BytesIO()
    kind = seed % 4
    if kind == 0:
        mixed.convert("L").point(lambda value: 255 * (value > 140)).convert("1").save(
            stored, "TIFF", compression="group4", dpi=(DPI, DPI)
        )
    elif kind == 1:
        mixed.convert("L").save(stored, "JPEG", quality=85, dpi=(DPI, DPI))
    elif kind == 2:
        mixed.save(stored, "JPEG", quality=85, dpi=(DPI, DPI))
    else:
        mixed.convert("L").quantize(16).convert("L").save(stored, "PNG", dpi=(DPI, DPI))
    return stored.getvalue()


def main() -> None:
    """Makes the scans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=200, help="the number of scans; default: 200")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    for document in pdfs(options.folders):
        digest = hashlib.sha256(document.read_bytes()).hexdigest()
        found = None if digest in seen else page_with_text(document)
        if found is None:
            continue
        seen.add(digest)
        picture, words = found
        scan = options.out / f"{digest[:16]}.pdf"
        scan.write_bytes(img2pdf.convert(scanned(picture, int(digest[:8], 16))))
        scan.with_suffix(".json").write_text(json.dumps({"size": picture.size, "words": words}))
        if len(seen) == options.most:
            break
    print(f"{len(seen)} scans in {options.out}")


if __name__ == "__main__":
    main()
