"""A plugin for OCRmyPDF: an OCR engine that returns the words that scans.py kept beside the scan."""

from __future__ import annotations

import json
from collections.abc import Set
from html import escape
from pathlib import Path

from ocrmypdf import OcrEngine, OcrOptions, OrientationConfidence, hookimpl
from PIL import Image


class KnownWords(OcrEngine):
    """Reads the words of the scan that is processed."""

    @staticmethod
    def version() -> str:
        """The version of the engine."""
        return "1"

    @staticmethod
    def creator_tag(options: OcrOptions) -> str:
        """The name in the metadata."""
        return "known words"

    def __str__(self) -> str:
        """The name in messages."""
        return "known words"

    @staticmethod
    def languages(options: OcrOptions) -> Set[str]:
        """The languages: the words are known in any."""
        return {"eng"}

    @staticmethod
    def get_orientation(input_file: Path, options: OcrOptions) -> OrientationConfidence:
        """The page is upright."""
        return OrientationConfidence(0, 0.0)

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: OcrOptions) -> None:
        """Writes the words as hOCR, scaled to the image."""
        known = json.loads(Path(str(options.input_file)).with_suffix(".json").read_text())
        with Image.open(input_file) as image:
            size = image.size
        scale = size[0] / known["size"][0]
        lines = [
            f"<span class='ocr_line' title='bbox {box}; baseline 0 0'>"
            f"<span class='ocrx_word' title='bbox {box}; x_wconf 95'>{escape(word)}</span></span>"
            for word, edges in known["words"]
            for box in [" ".join(str(max(0, round(edge * scale))) for edge in edges)]
        ]
        output_hocr.write_text(
            "<?xml version='1.0' encoding='UTF-8'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>"
            f"<div class='ocr_page' id='page_1' title='bbox 0 0 {size[0]} {size[1]}; ppageno 0'>"
            f"<div class='ocr_carea'><p class='ocr_par' lang='eng'>{''.join(lines)}</p></div></div></body></html>"
        )
        output_text.write_text("\n".join(word for word, _ in known["words"]))

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: OcrOptions) -> None:
        """Not used: OCRmyPDF makes the text layer from hOCR."""
        raise NotImplementedError


@hookimpl
def get_ocr_engine(options: OcrOptions | None) -> OcrEngine:
    """The engine."""
    return KnownWords()
