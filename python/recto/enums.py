"""The words of the interface, as `StrEnum`s. Wherever one is taken, its plain string will do.

Loaded on first use: importing `enum` takes a third of the time that importing `recto` may take.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "ColorSpace",
    "Conformance",
    "FontFamily",
    "OperationType",
    "PageSize",
    "Phase",
    "Profile",
    "Strategy",
    "Unit",
]


class OperationType(StrEnum):
    """An operation, as the service names its type.

    >>> recto.OperationType.STAMP_QR
    <OperationType.STAMP_QR: 'stampQR'>
    """

    OPTIMIZE = "optimize"
    IMAGE_TO_PDF = "convertImage"
    ARCHIVE_PDFA = "archivePdfA"
    PDF_TO_JPEG = "convertPdfToJpeg"
    PDF_TO_PNG = "convertPdfToPng"
    PDF_TO_TIFF = "convertPdfToTiff"
    PDF_TO_TIFF_FAX = "convertPdfToTiffFax"
    DOC_TO_PDF = "docToPdf"
    PRESENTATION_TO_PDF = "presentationToPdf"
    SPREADSHEET_TO_PDF = "spreadsheetToPdf"
    ENCRYPT = "encryptPdf"
    DECRYPT = "decryptPdf"
    STAMP_TEXT = "stampText"
    STAMP_WATERMARK = "stampWatermark"
    STAMP_BARCODE = "stampBarcode"
    STAMP_DATA_MATRIX = "stampDataMatrix"
    STAMP_QR = "stampQR"
    VALIDATE = "validate"
    POWER_ARCHIVE = "powerArchive"


class Profile(StrEnum):
    """What a document is optimized for."""

    WEB = "web"
    """For the screen: images downsampled, fonts subset, colours RGB, linearized."""
    ARCHIVE = "archive"
    """For archiving: nothing lost, ready for PDF/A."""
    PRINT = "print"
    """For printing: images downsampled less, colours CMYK."""
    MINIMAL_FILE_SIZE = "minimalFileSize"
    """The smallest file: metadata and output intents removed."""


class PageSize(StrEnum):
    """The size of a page made from an image."""

    A4 = "a4"
    LETTER = "letter"


class Strategy(StrEnum):
    """How an image is shrunk to fit a page."""

    AUTO = "Auto"
    SHRINK_TO_PAGE = "ShrinkToPage"
    SHRINK_TO_PORTRAIT = "ShrinkToPortrait"


class ColorSpace(StrEnum):
    """The colour space of an image; a PNG takes no `CMYK`."""

    RGB = "rgb"
    GRAY = "gray"
    CMYK = "cmyk"


class Conformance(StrEnum):
    """A PDF/A level."""

    PDF_A2_B = "pdf_a2_b"
    """PDF/A-2b (ISO 19005-2)."""
    PDF_A3_B = "pdf_a3_b"
    """PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded."""


class Unit(StrEnum):
    """The unit of a length."""

    CM = "cm"
    IN = "in"


class FontFamily(StrEnum):
    """The face of a stamp's text."""

    SANS = "sans"
    SERIF = "serif"


class Phase(StrEnum):
    """What a call is doing: see `recto.Progress`."""

    UPLOAD = "upload"
    WAIT = "wait"
    DOWNLOAD = "download"
    BATCH = "batch"
