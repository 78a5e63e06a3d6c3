"""`Operations`: the methods of `Client`, one for each operation.

Options are keyword-only and named as in the specification. An option that is left out is not sent: the default of the
service applies. A length may be a text such as `"1.5cm"`.

Every operation takes six more arguments:

    name            the file name of the document, for a source without one
    force           send the document even if the operation does not take its extension
    timeout         the time limit of the whole call, in seconds: here upload, start and retries
    on_progress     called with a `Progress` on the caller's thread, here and in the calls of the operation; an
                    exception that it raises cancels the call; a coroutine function is refused
    extra_options   options that this version does not know; they are sent without a check, named as in the interface
    headers         headers for the requests of the call, besides those of the client

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from recto import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import abc

    from recto import _types as types
else:
    from recto._lazy import abc, types


class Operations(_native.Client):
    """The native client with a method for each operation."""

    __slots__ = ()

    def optimize(
        self,
        source: types.Source,
        *,
        profile: types.ProfileLike | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Compress a PDF according to a profile.

            profile   what the document is optimized for: web, archive, print or minimalFileSize (the
                      default)

        >>> client.optimize("report.pdf", profile="web").save("small.pdf")
        PosixPath('small.pdf')
        """
        return self.start(
            "optimize",
            source,
            {"profile": profile},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def image_to_pdf(
        self,
        source: types.Source,
        *,
        page_size: types.PageSizeLike | None = None,
        page_margin: types.PageMargin | str | None = None,
        strategy: types.StrategyLike | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Convert a JPEG, PNG or TIFF image to PDF.

        It takes jpg, jpeg, png, tif and tiff.

            page_size     the page's size: a4 (the default) or letter
            page_margin   a margin of the page, equal on all four sides
            strategy      when the page is landscape; an image larger than the page is shrunk, a smaller
                          image keeps its size: Auto (the default), ShrinkToPage or ShrinkToPortrait

        >>> margin = recto.PageMargin(1.5, "cm")
        >>> client.image_to_pdf("photo.jpg", page_size="a4", page_margin=margin).save("photo.pdf")
        PosixPath('photo.pdf')
        """
        return self.start(
            "image-to-pdf",
            source,
            {
                "page_size": page_size,
                "page_margin": page_margin,
                "strategy": strategy,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def archive_pdfa(
        self,
        source: types.Source,
        *,
        conformance: types.ConformanceLike,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Convert a PDF to PDF/A for long-term archiving.

            conformance   the PDF/A level to convert to: pdf_a2_b or pdf_a3_b

        >>> client.archive_pdfa("report.pdf", conformance="pdf_a2_b").save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return self.start(
            "archive-pdfa",
            source,
            {"conformance": conformance},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def pdf_to_jpeg(
        self,
        source: types.Source,
        *,
        color_space: types.ColorSpaceLike | None = None,
        jpeg_quality: int | None = None,
        max_size_in_pixels: types.PixelSize | tuple[int, int] | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Render each page as a JPEG image; several images are returned as one zip archive.

            color_space          the image's colour space: rgb (the default), gray or cmyk
            jpeg_quality         the quality of compression, 0 (smallest) to 100 (best); default: 85
            max_size_in_pixels   the maximum size of an image in pixels; its aspect ratio is kept; a tuple is
                                 accepted as well

        >>> client.pdf_to_jpeg("report.pdf", max_size_in_pixels=(200, 200)).save("pages.zip")
        PosixPath('pages.zip')
        """
        return self.start(
            "pdf-to-jpeg",
            source,
            {
                "color_space": color_space,
                "jpeg_quality": jpeg_quality,
                "max_size_in_pixels": max_size_in_pixels,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def pdf_to_png(
        self,
        source: types.Source,
        *,
        color_space: types.PngColorSpaceLike | None = None,
        transparent_background: bool | None = None,
        max_size_in_pixels: types.PixelSize | tuple[int, int] | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Render each page as a PNG image; several images are returned as one zip archive.

            color_space              the image's colour space: rgb (the default) or gray
            transparent_background   whether the image has an alpha channel instead of a white background;
                                     default: False
            max_size_in_pixels       the maximum size of an image in pixels; its aspect ratio is kept; a
                                     tuple is accepted as well

        >>> client.pdf_to_png("report.pdf", color_space="gray", max_size_in_pixels=(200, 200)).save("pages.zip")
        PosixPath('pages.zip')
        """
        return self.start(
            "pdf-to-png",
            source,
            {
                "color_space": color_space,
                "transparent_background": transparent_background,
                "max_size_in_pixels": max_size_in_pixels,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def pdf_to_tiff(
        self,
        source: types.Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Render each page as a TIFF image in the colours of the page; several images are returned as one zip archive.

        >>> client.pdf_to_tiff("report.pdf").save("pages.zip")
        PosixPath('pages.zip')
        """
        return self.start(
            "pdf-to-tiff",
            source,
            {},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def pdf_to_tiff_fax(
        self,
        source: types.Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Render all pages into one TIFF-F file for fax.

        >>> client.pdf_to_tiff_fax("report.pdf").save("fax.tiff")
        PosixPath('fax.tiff')
        """
        return self.start(
            "pdf-to-tiff-fax",
            source,
            {},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def doc_to_pdf(
        self,
        source: types.Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Convert a word-processing document to PDF.

        It takes doc, docx, odt, rtf, wpd and txt.

        >>> client.doc_to_pdf("letter.txt").save("letter.pdf")
        PosixPath('letter.pdf')
        """
        return self.start(
            "doc-to-pdf",
            source,
            {},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def presentation_to_pdf(
        self,
        source: types.Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Convert a presentation to PDF.

        It takes ppt, pptx and odp.

        >>> client.presentation_to_pdf("talk.odp").save("talk.pdf")
        PosixPath('talk.pdf')
        """
        return self.start(
            "presentation-to-pdf",
            source,
            {},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def spreadsheet_to_pdf(
        self,
        source: types.Source,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Convert a spreadsheet to PDF.

        It takes xls, xlsx, ods and csv.

        >>> client.spreadsheet_to_pdf("figures.csv").save("figures.pdf")
        PosixPath('figures.pdf')
        """
        return self.start(
            "spreadsheet-to-pdf",
            source,
            {},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def encrypt(
        self,
        source: types.Source,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Protect a PDF with a password.

            password   the password that will open the document

        >>> client.encrypt("report.pdf", password="open sesame").save("secret.pdf")
        PosixPath('secret.pdf')
        """
        return self.start(
            "encrypt",
            source,
            {"password": password},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def decrypt(
        self,
        source: types.Source,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Remove the password of a PDF.

            password   the document's user or owner password

        >>> client.decrypt("locked.pdf", password="open sesame").save("open.pdf")
        PosixPath('open.pdf')
        """
        return self.start(
            "decrypt",
            source,
            {"password": password},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def stamp_text(
        self,
        source: types.Source,
        *,
        text: str,
        margin: types.Margin | None = None,
        text_style: types.TextStyle | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Stamp a text on every page.

            text         the text
            margin       the position of a stamp: its distances from edges of the page; centred on an axis
                         without a distance
            text_style   the style of a stamp's text

        >>> margin = recto.Margin(top=2, right=2, unit="cm")
        >>> style = recto.TextStyle(text_color="#c00000", is_bold=True, font_size=24)
        >>> client.stamp_text("report.pdf", text="DRAFT", margin=margin, text_style=style).save("draft.pdf")
        PosixPath('draft.pdf')
        """
        return self.start(
            "stamp-text",
            source,
            {
                "text": text,
                "margin": margin,
                "text_style": text_style,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def stamp_watermark(
        self,
        source: types.Source,
        *,
        text: str,
        margin: types.Margin | None = None,
        text_style: types.TextStyle | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Stamp a text across every page at 45 degrees, half transparent.

            text         the text
            margin       the position of a stamp: its distances from edges of the page; centred on an axis
                         without a distance
            text_style   the style of a stamp's text

        >>> client.stamp_watermark("report.pdf", text="CONFIDENTIAL").save("marked.pdf")
        PosixPath('marked.pdf')
        """
        return self.start(
            "stamp-watermark",
            source,
            {
                "text": text,
                "margin": margin,
                "text_style": text_style,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def stamp_barcode(
        self,
        source: types.Source,
        *,
        type: str,
        value: str,
        margin: types.Margin | None = None,
        stamp_size: types.StampSize | str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Stamp a barcode on every page.

            type         the type of barcode, such as code128
            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a barcode

        >>> size = recto.StampSize(width=6, height=2, unit="cm")
        >>> client.stamp_barcode("report.pdf", type="code128", value="A-123", stamp_size=size).save("barcode.pdf")
        PosixPath('barcode.pdf')
        """
        return self.start(
            "stamp-barcode",
            source,
            {
                "type": type,
                "value": value,
                "margin": margin,
                "stamp_size": stamp_size,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def stamp_data_matrix(
        self,
        source: types.Source,
        *,
        value: str,
        margin: types.Margin | None = None,
        stamp_size: types.SquareSize | str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Stamp a Data Matrix symbol on every page.

            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a Data Matrix or QR code

        >>> size = recto.SquareSize(side=3, unit="cm")
        >>> client.stamp_data_matrix("report.pdf", value="A-123", stamp_size=size).save("matrix.pdf")
        PosixPath('matrix.pdf')
        """
        return self.start(
            "stamp-data-matrix",
            source,
            {
                "value": value,
                "margin": margin,
                "stamp_size": stamp_size,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def stamp_qr(
        self,
        source: types.Source,
        *,
        value: str,
        margin: types.Margin | None = None,
        stamp_size: types.SquareSize | str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Stamp a QR code on every page.

            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a Data Matrix or QR code

        >>> margin = recto.Margin(left=1, bottom=1, unit="cm")
        >>> client.stamp_qr("report.pdf", value="https://example.org", margin=margin).save("qr.pdf")
        PosixPath('qr.pdf')
        """
        return self.start(
            "stamp-qr",
            source,
            {
                "value": value,
                "margin": margin,
                "stamp_size": stamp_size,
            },
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def validate(
        self,
        source: types.Source,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Check a PDF against a version of the standard or a PDF/A level.

        The report is in the result: `result().validation`.

            conformance   the standard and level to check against, such as pdf13 or pdf_a2_b

        >>> client.validate("report.pdf", conformance="pdf17").result().validation.is_conforming
        True
        """
        return self.start(
            "validate",
            source,
            {"conformance": conformance},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )

    def power_archive(
        self,
        source: types.Source,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> _native.Operation:
        """Compress a PDF and convert it to PDF/A in one operation.

            conformance   the PDF/A level to convert to, such as pdf_a2_b

        >>> client.power_archive("report.pdf", conformance="pdf_a2_b").save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return self.start(
            "power-archive",
            source,
            {"conformance": conformance},
            name=name,
            force=force,
            timeout=timeout,
            on_progress=on_progress,
            extra_options=extra_options,
            headers=headers,
        )
