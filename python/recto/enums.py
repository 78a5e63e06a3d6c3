"""The closed sets of the interface, as `StrEnum`s. Each is accepted as its plain string as well.

Loaded on first use: importing `enum` takes a third of the time that importing `recto` may take.

Generated from the table of operations by python/tests/generated: do not edit.
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
    """The type of an operation, as the service names it.

    >>> recto.OperationType.STAMP_QR
    <OperationType.STAMP_QR: 'stampQR'>
    """

    OPTIMIZE = "optimize"
    """Compresses a PDF according to a profile."""
    IMAGE_TO_PDF = "convertImage"
    """Converts a JPEG, PNG or TIFF image to PDF."""
    ARCHIVE_PDFA = "archivePdfA"
    """Converts a PDF to PDF/A for long-term archiving."""
    PDF_TO_JPEG = "convertPdfToJpeg"
    """Renders each page as a JPEG image; several images are returned as one zip archive."""
    PDF_TO_PNG = "convertPdfToPng"
    """Renders each page as a PNG image; several images are returned as one zip archive."""
    PDF_TO_TIFF = "convertPdfToTiff"
    """Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive."""
    PDF_TO_TIFF_FAX = "convertPdfToTiffFax"
    """Renders all pages into one TIFF-F file for fax."""
    DOC_TO_PDF = "docToPdf"
    """Converts a word-processing document to PDF."""
    PRESENTATION_TO_PDF = "presentationToPdf"
    """Converts a presentation to PDF."""
    SPREADSHEET_TO_PDF = "spreadsheetToPdf"
    """Converts a spreadsheet to PDF."""
    ENCRYPT = "encryptPdf"
    """Protects a PDF with a password."""
    DECRYPT = "decryptPdf"
    """Removes the password of a PDF."""
    STAMP_TEXT = "stampText"
    """Stamps a text on every page."""
    STAMP_WATERMARK = "stampWatermark"
    """Stamps a text across every page at 45 degrees, half transparent."""
    STAMP_BARCODE = "stampBarcode"
    """Stamps a barcode on every page."""
    STAMP_DATA_MATRIX = "stampDataMatrix"
    """Stamps a Data Matrix symbol on every page."""
    STAMP_QR = "stampQR"
    """Stamps a QR code on every page."""
    VALIDATE = "validate"
    """Checks a PDF against a version of the standard or a PDF/A level."""
    POWER_ARCHIVE = "powerArchive"
    """Compresses a PDF and converts it to PDF/A in one operation."""


class Profile(StrEnum):
    """What a document is optimized for.

    >>> client.optimize("report.pdf", profile=recto.Profile.PRINT).save("print.pdf")
    PosixPath('print.pdf')
    """

    WEB = "web"
    """For the screen: images downsampled, fonts subset, colours RGB, linearized."""
    ARCHIVE = "archive"
    """For archiving: lossless, and prepared for conversion to PDF/A."""
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
    """210 x 297 mm (ISO 216)."""
    LETTER = "letter"
    """8.5 x 11 in."""


class Unit(StrEnum):
    """The unit of a length: 1 in = 2.54 cm = 72 points of PDF user space.

    >>> recto.PageMargin(0.5, recto.Unit.IN)
    PageMargin(margin=0.5, unit=<Unit.IN: 'in'>)
    """

    CM = "cm"
    """Centimetres."""
    IN = "in"
    """Inches."""


class Strategy(StrEnum):
    """The orientation of the page. An image that is larger than the page is shrunk; a smaller image is not enlarged. The specification is not consistent about upper and lower case: both are read, and the case below is written.

    >>> client.image_to_pdf("photo.jpg", strategy=recto.Strategy.SHRINK_TO_PAGE).save("photo.pdf")
    PosixPath('photo.pdf')
    """

    AUTO = "Auto"
    """The page is landscape for every image that is wider than high, even if the image would fit on a portrait page."""
    SHRINK_TO_PAGE = "ShrinkToPage"
    """The page is landscape only if the image must be shrunk, and stays larger on a landscape page."""
    SHRINK_TO_PORTRAIT = "ShrinkToPortrait"
    """The page is always portrait."""


class Conformance(StrEnum):
    """A PDF/A level.

    >>> client.archive_pdfa("report.pdf", conformance=recto.Conformance.PDF_A2_B).save("archived.pdf")
    PosixPath('archived.pdf')
    """

    PDF_A2_B = "pdf_a2_b"
    """PDF/A-2b (ISO 19005-2): basic archival conformance."""
    PDF_A3_B = "pdf_a3_b"
    """PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded."""


class ColorSpace(StrEnum):
    """The colour space of an image; a PNG cannot be CMYK.

    >>> gray, size = recto.ColorSpace.GRAY, recto.PixelSize(200, 200)
    >>> client.pdf_to_jpeg("report.pdf", color_space=gray, max_size_in_pixels=size).save("gray.zip")
    PosixPath('gray.zip')
    """

    RGB = "rgb"
    """Red, green, blue."""
    GRAY = "gray"
    """Shades of gray."""
    CMYK = "cmyk"
    """Cyan, magenta, yellow, black."""


class FontFamily(StrEnum):
    """The typeface of a stamp's text.

    >>> style = recto.TextStyle(font_family=recto.FontFamily.SERIF)
    >>> client.stamp_text("report.pdf", text="DRAFT", text_style=style).save("draft.pdf")
    PosixPath('draft.pdf')
    """

    SANS = "sans"
    """A sans-serif typeface."""
    SERIF = "serif"
    """A serif typeface."""


class Phase(StrEnum):
    """What a call is doing: see `recto.Progress`.

    >>> phases = set()
    >>> client.optimize("report.pdf", on_progress=lambda progress: phases.add(progress.phase)).save("small.pdf")
    PosixPath('small.pdf')
    >>> phases == {recto.Phase.UPLOAD, recto.Phase.WAIT, recto.Phase.DOWNLOAD}
    True
    """

    UPLOAD = "upload"
    """Sending the document."""
    WAIT = "wait"
    """Waiting for the operation."""
    DOWNLOAD = "download"
    """Receiving the result."""
    BATCH = "batch"
    """Processing the documents of a batch."""
