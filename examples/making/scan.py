"""`scan.pdf` and the loose images: letters as from a scanner, slightly rotated, grey and dusty."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pikepdf
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.TiffImagePlugin import TiffImageFile

from . import fonts

LETTER = [
    "Dear Madam,",
    "",
    "thank you for your letter of the third of May and for the samples, which",
    "arrived in good order. We have entered them under the numbers 4711 to",
    "4718 and shall report on them before the end of the month.",
    "",
    "As to your question about the older series: the volumes before 1968 are",
    "kept in the reading room and can be seen there on any working day. Those",
    "of the later years have been photographed; prints can be had for the",
    "cost of the paper.",
    "",
    "We should be glad to see you here when you pass through. The keys of the",
    "boat house hang where they always did.",
    "",
    "Yours faithfully,",
]
LEDGER = [
    f"{day:02d}.{month:02d}.    station {3 * month + day % 7:3d}    {17.3 + (day * month) % 43:6.1f}"
    for month in (4, 5)
    for day in range(2, 30, 2)
]


def write_pdf(target: Path) -> None:
    """Three A4 pages: a grey letter, a bilevel ledger in CCITT G4, a colour slip."""
    with pikepdf.new() as document:
        _add_jpeg_page(document, scan(LETTER, dpi=200, angle=0.7, seed=1), dpi=200)
        _add_fax_page(document, bilevel(scan(LEDGER, dpi=300, angle=-0.4, seed=2)), dpi=300)
        _add_jpeg_page(document, tinted(scan(LETTER[:8], dpi=150, angle=-1.1, seed=3), seed=3), dpi=150)
        document.docinfo["/Producer"] = "Flatbed scanner"
        document.save(target, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)


def write_images(folder: Path) -> None:
    """`scan.png` (sixteen greys as a palette), `scan.jpg` (colour) and `scan.tiff` (two bilevel pages, CCITT G4)."""
    small = scan(LETTER, dpi=110, angle=0.5, seed=4)
    clear = small.point([max(0, min(255, (tone - 45) * 255 // 175)) for tone in range(256)])  # paper to white
    clear.quantize(16, dither=Image.Dither.NONE).save(folder / "scan.png", dpi=(110, 110), optimize=True)
    slip = tinted(scan(LETTER[:8], dpi=120, angle=0.9, seed=5), seed=5)
    slip.crop((0, 0, slip.width, slip.height // 2)).save(folder / "scan.jpg", quality=82, dpi=(120, 120))
    pages = [
        bilevel(scan(text, dpi=200, angle=angle, seed=seed))
        for text, angle, seed in ((LETTER, 0.3, 6), (LEDGER, -0.5, 7))
    ]
    pages[0].save(
        folder / "scan.tiff", save_all=True, append_images=pages[1:], compression="group4", dpi=(200, 200)
    )


def scan(lines: list[str], dpi: int, angle: float, seed: int) -> Image.Image:
    """A scanned A4 page with typed `lines`: grey, rotated by `angle` degrees, dusty."""
    rng = np.random.default_rng(seed)
    width, height = round(8.27 * dpi), round(11.69 * dpi)
    page = Image.new("L", (width, height), 244)
    draw = ImageDraw.Draw(page)
    type_size = dpi * 11.5 / 72
    typeface = ImageFont.truetype(str(fonts.path(fonts.SERIF)), type_size)
    for row, line in enumerate(lines):
        place = (width * 0.12, height * 0.14 + row * type_size * 1.55)
        draw.text(place, line, font=typeface, fill=int(rng.integers(28, 52)))
    page = page.rotate(angle, Image.Resampling.BICUBIC, fillcolor=236).filter(
        ImageFilter.GaussianBlur(dpi / 400)
    )
    tone = np.asarray(page, dtype=np.float64)
    tone += np.linspace(-7, 3, width)[None, :] + np.linspace(2, -3, height)[:, None]
    tone += rng.normal(0, 1.6, tone.shape)
    for _ in range(24):
        x, y, size = rng.integers(width), rng.integers(height), rng.integers(1, 1 + dpi // 80)
        tone[y : y + size, x : x + size] -= rng.uniform(40, 120)
    return Image.fromarray(np.clip(tone, 0, 255).astype(np.uint8))


def bilevel(page: Image.Image) -> Image.Image:
    """The page in black and white."""
    return page.point(lambda tone: 255 if tone > 150 else 0).convert("1", dither=Image.Dither.NONE)


def tinted(page: Image.Image, seed: int) -> Image.Image:
    """The page on yellowed paper with a blue postmark."""
    rng = np.random.default_rng(seed)
    tone: NDArray[np.float64] = np.asarray(page, dtype=np.float64)[..., None] / 255
    colour = Image.fromarray(np.clip(tone * np.array((252, 243, 219)), 0, 255).astype(np.uint8))
    mark = Image.new("L", page.size, 0)
    draw, x, y, radius = ImageDraw.Draw(mark), page.width * 0.74, page.height * 0.09, page.width * 0.08
    for ring in (1.0, 0.72):
        box = (x - radius * ring, y - radius * ring, x + radius * ring, y + radius * ring)
        draw.ellipse(box, outline=190, width=max(2, page.width // 300))
    draw.text(
        (x, y),
        "12 MAY",
        font=ImageFont.truetype(str(fonts.path(fonts.SANS_BOLD)), radius * 0.4),
        fill=190,
        anchor="mm",
    )
    worn = np.asarray(mark.rotate(float(rng.uniform(-25, 25)), center=(x, y))) * rng.uniform(
        0.55, 1, (page.height, page.width)
    )
    colour.paste((38, 58, 132), mask=Image.fromarray(worn.astype(np.uint8)))
    return colour


def _add_jpeg_page(document: pikepdf.Pdf, image: Image.Image, dpi: int) -> None:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80, dpi=(dpi, dpi))
    space = pikepdf.Name.DeviceGray if image.mode == "L" else pikepdf.Name.DeviceRGB
    _add_page(
        document,
        image,
        dpi,
        out.getvalue(),
        Filter=pikepdf.Name.DCTDecode,
        ColorSpace=space,
        BitsPerComponent=8,
    )


def _add_fax_page(document: pikepdf.Pdf, image: Image.Image, dpi: int) -> None:
    out = io.BytesIO()
    image.save(
        out, "TIFF", compression="group4", tiffinfo={278: image.height}
    )  # one strip: its bytes are the stream
    with TiffImageFile(io.BytesIO(out.getvalue())) as tiff:
        (start,), (length,) = tiff.tag_v2[273], tiff.tag_v2[279]
        white_is_zero = tiff.tag_v2[262] == 0
    parameters = pikepdf.Dictionary(K=-1, Columns=image.width, Rows=image.height, BlackIs1=not white_is_zero)
    _add_page(
        document,
        image,
        dpi,
        out.getvalue()[start : start + length],
        Filter=pikepdf.Name.CCITTFaxDecode,
        DecodeParms=parameters,
        ColorSpace=pikepdf.Name.DeviceGray,
        BitsPerComponent=1,
    )


def _add_page(document: pikepdf.Pdf, image: Image.Image, dpi: int, data: bytes, **entries: object) -> None:
    width, height = round(image.width / dpi * 72, 2), round(image.height / dpi * 72, 2)
    picture = pikepdf.Stream(
        document,
        data,
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=image.width,
        Height=image.height,
        **entries,
    )
    page = document.add_blank_page(page_size=(width, height))
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=picture))
    page.Contents = document.make_stream(f"q {width} 0 0 {height} 0 0 cm /Im0 Do Q".encode())
