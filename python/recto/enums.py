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
    """What a document is optimized for.

    >>> client.optimize("report.pdf", profile=recto.Profile.PRINT).save("print.pdf")
    PosixPath('print.pdf')
    """

    WEB = "web"
    """For the screen: images downsampled, fonts subset, colours RGB, linearized."""
    ARCHIVE = "archive"
    """For archiving: nothing lost, ready for PDF/A."""
    PRINT = "print"
    """For printing: images downsampled less, colours CMYK."""
    MINIMAL_FILE_SIZE = "minimalFileSize"
    """The smallest file: metadata and output intents removed."""


class PageSize(StrEnum):
    """The size of a page made from an image.

    >>> client.image_to_pdf("photo.jpg", page_size=recto.PageSize.LETTER).save("photo.pdf")
    PosixPath('photo.pdf')
    """

    A4 = "a4"
    LETTER = "letter"


class Strategy(StrEnum):
    """How an image is shrunk to fit a page.

    >>> client.image_to_pdf("photo.jpg", strategy=recto.Strategy.SHRINK_TO_PAGE).save("photo.pdf")
    PosixPath('photo.pdf')
    """

    AUTO = "Auto"
    SHRINK_TO_PAGE = "ShrinkToPage"
    SHRINK_TO_PORTRAIT = "ShrinkToPortrait"


class ColorSpace(StrEnum):
    """The colour space of an image; a PNG takes no `CMYK`.

    >>> size = recto.PixelSize(200, 200)
    >>> client.pdf_to_jpeg("report.pdf", color_space=recto.ColorSpace.GRAY, max_size_in_pixels=size).save("gray.zip")
    PosixPath('gray.zip')
    """

    RGB = "rgb"
    GRAY = "gray"
    CMYK = "cmyk"


class Conformance(StrEnum):
    """A PDF/A level.

    >>> client.archive_pdfa("report.pdf", conformance=recto.Conformance.PDF_A2_B).save("archived.pdf")
    PosixPath('archived.pdf')
    """

    PDF_A2_B = "pdf_a2_b"
    """PDF/A-2b (ISO 19005-2)."""
    PDF_A3_B = "pdf_a3_b"
    """PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded."""


class Unit(StrEnum):
    """The unit of a length.

    >>> recto.PageMargin(0.5, recto.Unit.IN)
    PageMargin(margin=0.5, unit=<Unit.IN: 'in'>)
    """

    CM = "cm"
    IN = "in"


class FontFamily(StrEnum):
    """The face of a stamp's text.

    >>> style = recto.TextStyle(font_family=recto.FontFamily.SERIF)
    >>> client.stamp_text("report.pdf", text="DRAFT", text_style=style).save("draft.pdf")
    PosixPath('draft.pdf')
    """

    SANS = "sans"
    SERIF = "serif"


class Phase(StrEnum):
    """What a call is doing: see `recto.Progress`.

    >>> phases = set()
    >>> client.optimize("report.pdf", on_progress=lambda progress: phases.add(progress.phase)).save("small.pdf")
    PosixPath('small.pdf')
    >>> phases == {recto.Phase.UPLOAD, recto.Phase.WAIT, recto.Phase.DOWNLOAD}
    True
    """

    UPLOAD = "upload"
    WAIT = "wait"
    DOWNLOAD = "download"
    BATCH = "batch"
