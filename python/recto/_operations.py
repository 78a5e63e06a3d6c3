"""The 19 operations, declared once for `Client` and `AsyncClient`.

Options are keyword-only and named as in the specification. What is left out is not sent; the service's own
default applies. Every operation takes the same four arguments beside its options:

    name          the document's file name, for a source that has none
    force         send the document even where its extension is none the operation takes
    timeout       the seconds the call may take, retries included
    on_progress   called with a `Progress` on the caller's thread, here and in the operation's own calls;
                  what it raises cancels the call
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Generic, TypeVar

    from recto._types import (
        ColorSpaceLike,
        ConformanceLike,
        OnProgress,
        PageSizeLike,
        PngColorSpaceLike,
        ProfileLike,
        Source,
        StrategyLike,
    )
    from recto.options import Margin, PageMargin, PixelSize, SquareSize, StampSize, TextStyle

    Started = TypeVar("Started")
else:

    class Generic:
        """Stands in for `typing.Generic`: importing `typing` would double the time that importing `recto` takes."""

        def __class_getitem__(cls, _):
            return cls

    Started = None


class Operations(Generic[Started]):
    """The methods that start an operation; what one returns is up to the client."""

    __slots__ = ()

    def _start(
        self,
        operation: str,
        source: Source,
        options: Mapping[str, object],
        name: str | None,
        force: bool,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> Started:
        raise NotImplementedError

    def optimize(
        self,
        source: Source,
        *,
        profile: ProfileLike | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Compress a PDF.

        Without a `profile` the service takes `minimalFileSize`.

        >>> client.optimize("report.pdf", profile="web").save("small.pdf")
        PosixPath('small.pdf')
        """
        return self._start("optimize", source, {"profile": profile}, name, force, timeout, on_progress)

    def image_to_pdf(
        self,
        source: Source,
        *,
        page_size: PageSizeLike | None = None,
        page_margin: PageMargin | None = None,
        strategy: StrategyLike | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Convert a JPEG, PNG or TIFF image to PDF.

        The page is `a4` unless told otherwise; the image is resized to fit.

        >>> margin = recto.PageMargin(1.5, "cm")
        >>> client.image_to_pdf("photo.jpg", page_size="a4", page_margin=margin).save("photo.pdf")
        PosixPath('photo.pdf')
        """
        options = {"page_size": page_size, "page_margin": page_margin, "strategy": strategy}
        return self._start("image-to-pdf", source, options, name, force, timeout, on_progress)

    def archive_pdfa(
        self,
        source: Source,
        *,
        conformance: ConformanceLike,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Convert a PDF to PDF/A for long-term archiving.

        `pdf_a2_b` is basic archival conformance; `pdf_a3_b` permits embedded files of any kind as well.

        >>> client.archive_pdfa("report.pdf", conformance="pdf_a2_b").save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return self._start(
            "archive-pdfa", source, {"conformance": conformance}, name, force, timeout, on_progress
        )

    def pdf_to_jpeg(
        self,
        source: Source,
        *,
        color_space: ColorSpaceLike | None = None,
        jpeg_quality: int | None = None,
        max_size_in_pixels: PixelSize | tuple[int, int] | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Render each page as a JPEG image.

        Several pages come as one zip archive. The quality is 0 to 100; RGB at 85 is the default.

        >>> client.pdf_to_jpeg("report.pdf", max_size_in_pixels=(200, 200)).save("pages.zip")
        PosixPath('pages.zip')
        """
        options = {
            "color_space": color_space,
            "jpeg_quality": jpeg_quality,
            "max_size_in_pixels": max_size_in_pixels,
        }
        return self._start("pdf-to-jpeg", source, options, name, force, timeout, on_progress)

    def pdf_to_png(
        self,
        source: Source,
        *,
        color_space: PngColorSpaceLike | None = None,
        transparent_background: bool | None = None,
        max_size_in_pixels: PixelSize | tuple[int, int] | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Render each page as a PNG image.

        Several pages come as one zip archive. The background is white unless it is transparent.

        >>> client.pdf_to_png("report.pdf", color_space="gray", max_size_in_pixels=(200, 200)).save("pages.zip")
        PosixPath('pages.zip')
        """
        options = {
            "color_space": color_space,
            "transparent_background": transparent_background,
            "max_size_in_pixels": max_size_in_pixels,
        }
        return self._start("pdf-to-png", source, options, name, force, timeout, on_progress)

    def pdf_to_tiff(
        self,
        source: Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Render each page as a TIFF image in the page's own colour space.

        >>> client.pdf_to_tiff("report.pdf").save("pages.zip")
        PosixPath('pages.zip')
        """
        return self._start("pdf-to-tiff", source, {}, name, force, timeout, on_progress)

    def pdf_to_tiff_fax(
        self,
        source: Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Render all pages into one TIFF-F file for facsimile.

        >>> client.pdf_to_tiff_fax("report.pdf").save("fax.tiff")
        PosixPath('fax.tiff')
        """
        return self._start("pdf-to-tiff-fax", source, {}, name, force, timeout, on_progress)

    def doc_to_pdf(
        self,
        source: Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Convert a word-processing document to PDF.

        It takes doc, docx, odt, rtf, wpd and txt.

        >>> client.doc_to_pdf("letter.txt").save("letter.pdf")
        PosixPath('letter.pdf')
        """
        return self._start("doc-to-pdf", source, {}, name, force, timeout, on_progress)

    def presentation_to_pdf(
        self,
        source: Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Convert a presentation to PDF.

        It takes ppt, pptx and odp.

        >>> client.presentation_to_pdf("talk.odp").save("talk.pdf")
        PosixPath('talk.pdf')
        """
        return self._start("presentation-to-pdf", source, {}, name, force, timeout, on_progress)

    def spreadsheet_to_pdf(
        self,
        source: Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Convert a spreadsheet to PDF.

        It takes xls, xlsx, ods and csv.

        >>> client.spreadsheet_to_pdf("figures.csv").save("figures.pdf")
        PosixPath('figures.pdf')
        """
        return self._start("spreadsheet-to-pdf", source, {}, name, force, timeout, on_progress)

    def encrypt(
        self,
        source: Source,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Protect a PDF with a password.

        >>> client.encrypt("report.pdf", password="open sesame").save("secret.pdf")
        PosixPath('secret.pdf')
        """
        return self._start("encrypt", source, {"password": password}, name, force, timeout, on_progress)

    def decrypt(
        self,
        source: Source,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Remove the password of a PDF.

        The user or the owner password will do.

        >>> client.decrypt("locked.pdf", password="open sesame").save("open.pdf")
        PosixPath('open.pdf')
        """
        return self._start("decrypt", source, {"password": password}, name, force, timeout, on_progress)

    def stamp_text(
        self,
        source: Source,
        *,
        text: str,
        margin: Margin | None = None,
        text_style: TextStyle | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Stamp a text on every page.

        It stands at the distance from the edges that `margin` gives, else in the middle.

        >>> margin = recto.Margin(top=2, right=2, unit="cm")
        >>> style = recto.TextStyle(text_color="#c00000", is_bold=True, font_size=24)
        >>> client.stamp_text("report.pdf", text="DRAFT", margin=margin, text_style=style).save("draft.pdf")
        PosixPath('draft.pdf')
        """
        options = {"text": text, "margin": margin, "text_style": text_style}
        return self._start("stamp-text", source, options, name, force, timeout, on_progress)

    def stamp_watermark(
        self,
        source: Source,
        *,
        text: str,
        margin: Margin | None = None,
        text_style: TextStyle | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Stamp a text across every page, at 45 degrees and half transparent.

        >>> client.stamp_watermark("report.pdf", text="CONFIDENTIAL").save("marked.pdf")
        PosixPath('marked.pdf')
        """
        options = {"text": text, "margin": margin, "text_style": text_style}
        return self._start("stamp-watermark", source, options, name, force, timeout, on_progress)

    def stamp_barcode(
        self,
        source: Source,
        *,
        type: str,
        value: str,
        margin: Margin | None = None,
        stamp_size: StampSize | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Stamp a barcode on every page.

        The service decides which types there are; `code128` is one.

        >>> size = recto.StampSize(width=6, height=2, unit="cm")
        >>> client.stamp_barcode("report.pdf", type="code128", value="A-123", stamp_size=size).save("barcode.pdf")
        PosixPath('barcode.pdf')
        """
        options = {"type": type, "value": value, "margin": margin, "stamp_size": stamp_size}
        return self._start("stamp-barcode", source, options, name, force, timeout, on_progress)

    def stamp_data_matrix(
        self,
        source: Source,
        *,
        value: str,
        margin: Margin | None = None,
        stamp_size: SquareSize | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Stamp a Data Matrix symbol on every page.

        >>> size = recto.SquareSize(side=3, unit="cm")
        >>> client.stamp_data_matrix("report.pdf", value="A-123", stamp_size=size).save("matrix.pdf")
        PosixPath('matrix.pdf')
        """
        options = {"value": value, "margin": margin, "stamp_size": stamp_size}
        return self._start("stamp-data-matrix", source, options, name, force, timeout, on_progress)

    def stamp_qr(
        self,
        source: Source,
        *,
        value: str,
        margin: Margin | None = None,
        stamp_size: SquareSize | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Stamp a QR code on every page.

        >>> margin = recto.Margin(left=1, bottom=1, unit="cm")
        >>> client.stamp_qr("report.pdf", value="https://example.org", margin=margin).save("qr.pdf")
        PosixPath('qr.pdf')
        """
        options = {"value": value, "margin": margin, "stamp_size": stamp_size}
        return self._start("stamp-qr", source, options, name, force, timeout, on_progress)

    def validate(
        self,
        source: Source,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Check a PDF against a version of the standard or a PDF/A level.

        The report is in the result: `result().validation`.

        >>> client.validate("report.pdf", conformance="pdf17").result().validation.is_conforming
        True
        """
        return self._start(
            "validate", source, {"conformance": conformance}, name, force, timeout, on_progress
        )

    def power_archive(
        self,
        source: Source,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Started:
        """Compress a PDF and convert it to PDF/A in one call.

        >>> client.power_archive("report.pdf", conformance="pdf_a2_b").save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return self._start(
            "power-archive", source, {"conformance": conformance}, name, force, timeout, on_progress
        )
