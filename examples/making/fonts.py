"""The typefaces of the examples, embedded completely, as office programs and printer drivers often do.

Source Sans and Source Serif by Adobe under the SIL Open Font License 1.1, from the packages
`font-source-sans-pro` and `font-source-serif-pro`.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from fontTools.ttLib import TTFont as TrueTypeFile
from reportlab.lib.fonts import addMapping
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

SANS, SANS_BOLD, SANS_ITALIC, SERIF = (
    "SourceSansPro",
    "SourceSansPro-Bold",
    "SourceSansPro-It",
    "SourceSerifPro",
)
INTERNATIONAL = "SourceSansPro-Subset"

_FILES = {
    SANS: ("font_source_sans_pro", "SourceSansPro-Regular.ttf"),
    SANS_BOLD: ("font_source_sans_pro", "SourceSansPro-Bold.ttf"),
    SANS_ITALIC: ("font_source_sans_pro", "SourceSansPro-It.ttf"),
    SERIF: ("font_source_serif_pro", "SourceSerifPro-Semibold.ttf"),
}


def path(name: str) -> Path:
    """The font's file, for drawing with it outside a PDF."""
    package, file = _FILES[name]
    return Path(str(resources.files(package))) / "files" / file


def register() -> None:
    """Registers the typefaces with reportlab: four embedded completely, one as a subset for other scripts."""
    for name in _FILES:
        pdfmetrics.registerTypeFace(WholeFace(name, path(name)))
        pdfmetrics.registerFont(WholeFont(name, name, "WinAnsiEncoding"))
    pdfmetrics.registerFont(TTFont(INTERNATIONAL, str(path(SANS))))
    for bold, italic, name in ((0, 0, SANS), (1, 0, SANS_BOLD), (0, 1, SANS_ITALIC), (1, 1, SANS_BOLD)):
        addMapping(SANS, bold, italic, name)


class WholeFace(pdfmetrics.TypeFace):  # type: ignore[misc]
    """A TrueType face whose complete file is embedded."""

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name)
        self.file = file
        font = TrueTypeFile(file)
        scale = 1000 / font["head"].unitsPerEm
        advances = font["hmtx"].metrics
        by_code = font.getBestCmap()
        # reportlab looks up the width of a glyph by its PostScript name, which the encoding vector also contains.
        self.glyphWidths = {
            name: round(advances[by_code[code]][0] * scale)
            for name, code in _postscript_names().items()
            if code in by_code
        }
        head, metrics, post = font["head"], font["OS/2"], font["post"]
        self.ascent, self.descent = (
            round(metrics.sTypoAscender * scale),
            round(metrics.sTypoDescender * scale),
        )
        self.familyName = name
        self.requiredEncoding = None
        self.descriptor = {
            "Type": "/FontDescriptor",
            "FontName": pdfdoc.PDFName(name),
            "Flags": 32 + (64 if post.italicAngle else 0),
            "FontBBox": pdfdoc.PDFArray(
                [round(value * scale) for value in (head.xMin, head.yMin, head.xMax, head.yMax)]
            ),
            "ItalicAngle": round(post.italicAngle, 1),
            "Ascent": self.ascent,
            "Descent": self.descent,
            "CapHeight": round(metrics.sCapHeight * scale),
            "XHeight": round(metrics.sxHeight * scale),
            "StemV": 50 + round((metrics.usWeightClass / 65) ** 2),
        }

    def addObjects(self, document: pdfdoc.PDFDocument) -> pdfdoc.PDFObjectReference:
        """Adds the font file and its descriptor to the document."""
        stream = pdfdoc.PDFStream(content=self.file.read_bytes())
        stream.dictionary["Length1"] = self.file.stat().st_size
        stream.filters = [pdfdoc.PDFZCompress]
        file = document.Reference(stream, f"file:{self.name}")
        descriptor = pdfdoc.PDFDictionary({**self.descriptor, "FontFile2": file})
        return document.Reference(descriptor, f"descriptor:{self.name}")


class WholeFont(pdfmetrics.Font):  # type: ignore[misc]
    """A simple TrueType font in WinAnsi encoding over a [`WholeFace`]."""

    def addObjects(self, document: pdfdoc.PDFDocument) -> None:
        """Like the base class, with TrueType as the subtype."""
        super().addObjects(document)
        internal = document.fontMapping[self.fontName].lstrip("/")
        document.idToObject["BasicFonts"].dict[internal].Subtype = "TrueType"


def _postscript_names() -> dict[str, int]:
    from reportlab.pdfbase._glyphlist import _glyphname2unicode

    return dict(_glyphname2unicode)
