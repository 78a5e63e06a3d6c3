"""Rasterizing by Recto: one page, at any resolution, as the kind of image that a Ghostscript device would write."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import PIL.Image
from ocrmypdf.exceptions import InputFileError, SubprocessOutputError
from ocrmypdf.helpers import Resolution

import recto
from recto.ocrmypdf._client import client

log = logging.getLogger(__name__)

# Recto renders at this resolution; a page with a larger user unit is larger, so it gets more pixels.
_RESOLUTION = 150
_POINTS_PER_INCH = 72
# The limits of a page that Recto renders.
_PIXELS = 400_000_000
_EDGE = 65_535
# The modes of Pillow for each device. A page for a device without colours is rendered in gray.
_MODES = {
    "jpeggray": "L",
    "jpeg": "RGB",
    "pngmono": "1",
    "pngmonod": "1",
    "pnggray": "L",
    "png256": "P",
    "png16m": "RGB",
}
_TURNS = {
    90: PIL.Image.Transpose.ROTATE_90,
    180: PIL.Image.Transpose.ROTATE_180,
    270: PIL.Image.Transpose.ROTATE_270,
}
_PAINTING = frozenset(("f", "F", "f*", "B", "B*", "b", "b*", "S", "s"))
_FORM_DEPTH = 10


@dataclass(frozen=True)
class Page:
    """The page to rasterize, and what of it."""

    document: Path
    number: int
    use_cropbox: bool
    filter_vector: bool


@dataclass(frozen=True)
class Image:
    """The image to make: `dpi` is the resolution of the page, `declared` the one that the image file declares."""

    device: str
    dpi: Resolution[float]
    declared: Resolution[float]
    rotation: int


def rasterize(page: Page, image: Image, target: Path, *, stop_on_soft_error: bool) -> None:
    """Write the image of a page."""
    mode = _MODES.get(image.device)
    if mode is None:
        raise InputFileError(f"The plugin recto.ocrmypdf does not know the raster device {image.device}.")
    single = target.with_name(f"{target.name}.page.pdf")
    try:
        size = _extract(page, image.dpi, single)
        _check_size(size, page.number, stop_on_soft_error=stop_on_soft_error)
        rendered = client().pdf_to_png(single, color_space="rgb" if mode in ("RGB", "P") else "gray").read()
    except recto.Error as error:
        raise SubprocessOutputError(f"Recto could not rasterize page {page.number}: {error}") from error
    finally:
        single.unlink(missing_ok=True)
    with PIL.Image.open(io.BytesIO(rendered), formats=["PNG"]) as opened:
        # The resolutions of x and y may differ, and sizes are rounded.
        picture = opened.copy() if opened.size == size else opened.resize(size)
    declared = image.declared
    if image.rotation in _TURNS:
        picture = picture.transpose(_TURNS[image.rotation])
        declared = declared.flip_axis() if image.rotation % 180 else declared
    picture = _converted(picture, mode, image.device)
    kind = "JPEG" if image.device.startswith("jpeg") else "PNG"
    picture.save(target, format=kind, dpi=(float(declared.x), float(declared.y)))


def _check_size(size: tuple[int, int], number: int, *, stop_on_soft_error: bool) -> None:
    """Recto renders very large pages at a lower resolution, and the image is then enlarged."""
    if max(size) <= _EDGE and size[0] * size[1] <= _PIXELS:
        return
    message = f"Page {number} has too many pixels at the requested resolution: {size[0]:,} x {size[1]:,}."
    if stop_on_soft_error:
        raise InputFileError(f"{message} Use --continue-on-soft-render-error to use a lower one.")
    log.warning("%s A lower one is used.", message)


def _converted(picture: PIL.Image.Image, mode: str, device: str) -> PIL.Image.Image:
    if device == "pngmono":
        # A threshold keeps letters sharp. The device `pngmonod` is the one that dithers.
        return picture.convert("1", dither=PIL.Image.Dither.NONE)
    if mode == "P":
        return picture.quantize(256)
    return picture if picture.mode == mode else picture.convert(mode)


def _extract(page: Page, dpi: Resolution[float], target: Path) -> tuple[int, int]:
    """Write a document of the one page, scaled for the resolution; return the size of its image in pixels."""
    with pikepdf.open(page.document) as pdf, pikepdf.new() as single:
        # Which layers are visible is stated in the catalog.
        single.pages.append(pdf.pages[page.number - 1])
        if "/OCProperties" in pdf.Root:
            single.Root["/OCProperties"] = single.copy_foreign(pdf.make_indirect(pdf.Root["/OCProperties"]))
        only = single.pages[0]
        left, bottom, right, top = (
            float(edge) for edge in (only.cropbox if page.use_cropbox else only.mediabox)
        )
        if not page.use_cropbox and "/CropBox" in only:
            del only["/CropBox"]
        only["/UserUnit"] = round(max(dpi.x, dpi.y) / _RESOLUTION, 6)
        if page.filter_vector:
            _remove_paths(single, only.obj, _FORM_DEPTH)
        turned = int(only.get("/Rotate", 0)) % 180 == 90
        single.save(target)
    width, height = abs(right - left), abs(top - bottom)
    if turned:
        width, height = height, width
    return (
        max(1, round(width * dpi.x / _POINTS_PER_INCH)),
        max(1, round(height * dpi.y / _POINTS_PER_INCH)),
    )


def _remove_paths(pdf: pikepdf.Pdf, drawn: pikepdf.Object, depth: int) -> None:
    """Remove what paints paths and shadings, in a page or form and the forms that it draws. Paths still clip."""
    kept: list[pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage] = []
    for instruction in pikepdf.parse_content_stream(drawn):
        operator = str(instruction.operator)
        if operator in _PAINTING:
            kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator("n")))
        elif operator != "sh":
            kept.append(instruction)
    content = pikepdf.unparse_content_stream(kept)
    if isinstance(drawn, pikepdf.Stream):
        drawn.write(content)
    else:
        drawn["/Contents"] = pikepdf.Stream(pdf, content)
    if depth == 0:
        return
    for form in drawn.get("/Resources", pikepdf.Dictionary()).get("/XObject", pikepdf.Dictionary()).values():
        if form.get("/Subtype") == "/Form":
            _remove_paths(pdf, form, depth - 1)
