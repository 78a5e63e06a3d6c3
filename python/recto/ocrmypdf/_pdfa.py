"""PDF/A by Recto: merges documents, converts them to PDF/A-2b or PDF/A-3b, and explains what it cannot do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pikepdf
from ocrmypdf import OcrOptions
from ocrmypdf.exceptions import ExitCode, SubprocessOutputError
from ocrmypdf.pdfa import find_nonembedded_cid_fonts

import recto
from recto.ocrmypdf._client import client, notes

log = logging.getLogger(__name__)

_PARTS: dict[str, Literal["pdf_a2_b", "pdf_a3_b"]] = {"2": "pdf_a2_b", "3": "pdf_a3_b"}

NOT_OUR_PART = (
    "Recto converts to PDF/A-2b and PDF/A-3b, but not to PDF/A-{part}. Use --output-type pdfa-2 or pdfa-3, or "
    "--pdfa-backend internal, which converts simple documents to PDF/A-1."
)


class NotConvertedError(SubprocessOutputError):
    """The document was not converted to PDF/A. With `--output-type auto`, OCRmyPDF then writes an ordinary PDF."""

    exit_code = ExitCode.pdfa_conversion_failed


def conformance(part: str) -> Literal["pdf_a2_b", "pdf_a3_b"]:
    """The level for a part such as `2` or `2b`."""
    found = _PARTS.get(part.lower().removesuffix("b"))
    if found is None:
        raise NotConvertedError(NOT_OUR_PART.format(part=part))
    return found


def refused(options: OcrOptions) -> list[str]:
    """The options of the command line that change colours or images as only Ghostscript can."""
    chosen = options.ghostscript
    strategy = str(chosen.color_conversion_strategy)
    given = {
        f"--color-conversion-strategy {strategy}": strategy not in ("LeaveColorUnchanged", "RGB"),
        "--pdfa-image-compression jpeg": str(chosen.pdfa_image_compression) == "jpeg",
        "--ghostscript-jpeg-quality": chosen.jpeg_quality is not None,
        "--ghostscript-jpeg-maxdpi": chosen.jpeg_maxdpi is not None,
    }
    return [name for name, is_given in given.items() if is_given]


def convert(documents: Sequence[Path], target: Path, level: Literal["pdf_a2_b", "pdf_a3_b"]) -> None:
    """Convert the documents to one PDF/A document."""
    source = _merged(documents, target)
    try:
        operation = client().archive_pdfa(source, conformance=level)
        operation.save(target)
        for note in notes(operation):
            log.info("PDF/A: %s", note)
    except recto.Error as error:
        raise NotConvertedError(
            f"Recto could not convert the document to PDF/A: {error}\nUse --output-type pdf to skip PDF/A."
        ) from error


def try_convert(source: Path, target: Path) -> bool:
    """Convert a document to PDF/A-2b, if possible without loss for its text layer; otherwise log why not."""
    with pikepdf.open(source, conversion_mode="explicit") as pdf:
        # The pages of such documents would become images: OCRmyPDF promises for `auto` to keep their text.
        if find_nonembedded_cid_fonts(pdf):
            return False
    try:
        convert([source], target, "pdf_a2_b")
    except NotConvertedError as error:
        log.info("Auto mode: %s", error)
        return False
    return True


def _merged(documents: Sequence[Path], target: Path) -> Path:
    """A file with the pages of all documents, in order. The first document provides the metadata."""
    if len(documents) == 1:
        return Path(documents[0])
    merged = target.with_name(f"{target.stem}-merged.pdf")
    with pikepdf.open(documents[0]) as pdf:
        for other in documents[1:]:
            with pikepdf.open(other) as more:
                pdf.pages.extend(more.pages)
        pdf.save(merged)
    return merged
