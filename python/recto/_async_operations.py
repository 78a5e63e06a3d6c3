"""`AsyncOperations`: the methods of `AsyncClient`, one for each operation.

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import abc

    from recto import _async_handle as async_handle
    from recto import _types as types
else:
    from recto._lazy import abc, async_handle, types


class AsyncOperations:
    """A method for each operation. `AsyncClient` is the subclass that starts the operations."""

    __slots__ = ()

    async def start(
        self,
        operation: str,
        source: types.AsyncSource,
        options: abc.Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Start an operation by its name, with its options as a dict; implemented by `AsyncClient`."""
        raise NotImplementedError

    async def optimize(
        self,
        source: types.AsyncSource,
        *,
        profile: types.ProfileLike | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Compress a PDF according to a profile.

            profile   what the document is optimized for: web, archive, print or minimalFileSize (the
                      default)

        >>> operation = await client.optimize("report.pdf", profile="web")
        >>> await operation.save("small.pdf")
        PosixPath('small.pdf')
        """
        return await self.start(
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

    async def image_to_pdf(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Convert a JPEG, PNG or TIFF image to PDF.

        It takes jpg, jpeg, png, tif and tiff.

            page_size     the page's size: a4 (the default) or letter
            page_margin   a margin of the page, equal on all four sides
            strategy      when the page is landscape; an image larger than the page is shrunk, a smaller
                          image keeps its size: Auto (the default), ShrinkToPage or ShrinkToPortrait

        >>> margin = recto.PageMargin(1.5, "cm")
        >>> operation = await client.image_to_pdf("photo.jpg", page_size="a4", page_margin=margin)
        >>> await operation.save("photo.pdf")
        PosixPath('photo.pdf')
        """
        return await self.start(
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

    async def archive_pdfa(
        self,
        source: types.AsyncSource,
        *,
        conformance: types.ConformanceLike,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Convert a PDF to PDF/A for long-term archiving.

            conformance   the PDF/A level to convert to: pdf_a2_b or pdf_a3_b

        >>> operation = await client.archive_pdfa("report.pdf", conformance="pdf_a2_b")
        >>> await operation.save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return await self.start(
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

    async def pdf_to_jpeg(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Render each page as a JPEG image; several images are returned as one zip archive.

            color_space          the image's colour space: rgb (the default), gray or cmyk
            jpeg_quality         the quality of compression, 0 (smallest) to 100 (best); default: 85
            max_size_in_pixels   the maximum size of an image in pixels; its aspect ratio is kept; a tuple is
                                 accepted as well

        >>> operation = await client.pdf_to_jpeg("report.pdf", max_size_in_pixels=(200, 200))
        >>> await operation.save("pages.zip")
        PosixPath('pages.zip')
        """
        return await self.start(
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

    async def pdf_to_png(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Render each page as a PNG image; several images are returned as one zip archive.

            color_space              the image's colour space: rgb (the default) or gray
            transparent_background   whether the image has an alpha channel instead of a white background;
                                     default: False
            max_size_in_pixels       the maximum size of an image in pixels; its aspect ratio is kept; a
                                     tuple is accepted as well

        >>> operation = await client.pdf_to_png("report.pdf", color_space="gray", max_size_in_pixels=(200, 200))
        >>> await operation.save("pages.zip")
        PosixPath('pages.zip')
        """
        return await self.start(
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

    async def pdf_to_tiff(
        self,
        source: types.AsyncSource,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Render each page as a TIFF image in the colours of the page; several images are returned as one zip archive.

        >>> operation = await client.pdf_to_tiff("report.pdf")
        >>> await operation.save("pages.zip")
        PosixPath('pages.zip')
        """
        return await self.start(
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

    async def pdf_to_tiff_fax(
        self,
        source: types.AsyncSource,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Render all pages into one TIFF-F file for fax.

        >>> operation = await client.pdf_to_tiff_fax("report.pdf")
        >>> await operation.save("fax.tiff")
        PosixPath('fax.tiff')
        """
        return await self.start(
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

    async def doc_to_pdf(
        self,
        source: types.AsyncSource,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Convert a word-processing document to PDF.

        It takes doc, docx, odt, rtf, wpd and txt.

        >>> operation = await client.doc_to_pdf("letter.txt")
        >>> await operation.save("letter.pdf")
        PosixPath('letter.pdf')
        """
        return await self.start(
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

    async def presentation_to_pdf(
        self,
        source: types.AsyncSource,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Convert a presentation to PDF.

        It takes ppt, pptx and odp.

        >>> operation = await client.presentation_to_pdf("talk.odp")
        >>> await operation.save("talk.pdf")
        PosixPath('talk.pdf')
        """
        return await self.start(
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

    async def spreadsheet_to_pdf(
        self,
        source: types.AsyncSource,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Convert a spreadsheet to PDF.

        It takes xls, xlsx, ods and csv.

        >>> operation = await client.spreadsheet_to_pdf("figures.csv")
        >>> await operation.save("figures.pdf")
        PosixPath('figures.pdf')
        """
        return await self.start(
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

    async def encrypt(
        self,
        source: types.AsyncSource,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Protect a PDF with a password.

            password   the password that will open the document

        >>> operation = await client.encrypt("report.pdf", password="open sesame")
        >>> await operation.save("secret.pdf")
        PosixPath('secret.pdf')
        """
        return await self.start(
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

    async def decrypt(
        self,
        source: types.AsyncSource,
        *,
        password: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Remove the password of a PDF.

            password   the document's user or owner password

        >>> operation = await client.decrypt("locked.pdf", password="open sesame")
        >>> await operation.save("open.pdf")
        PosixPath('open.pdf')
        """
        return await self.start(
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

    async def stamp_text(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Stamp a text on every page.

            text         the text
            margin       the position of a stamp: its distances from edges of the page; centred on an axis
                         without a distance
            text_style   the style of a stamp's text

        >>> margin = recto.Margin(top=2, right=2, unit="cm")
        >>> style = recto.TextStyle(text_color="#c00000", is_bold=True, font_size=24)
        >>> operation = await client.stamp_text("report.pdf", text="DRAFT", margin=margin, text_style=style)
        >>> await operation.save("draft.pdf")
        PosixPath('draft.pdf')
        """
        return await self.start(
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

    async def stamp_watermark(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Stamp a text across every page at 45 degrees, half transparent.

            text         the text
            margin       the position of a stamp: its distances from edges of the page; centred on an axis
                         without a distance
            text_style   the style of a stamp's text

        >>> operation = await client.stamp_watermark("report.pdf", text="CONFIDENTIAL")
        >>> await operation.save("marked.pdf")
        PosixPath('marked.pdf')
        """
        return await self.start(
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

    async def stamp_barcode(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Stamp a barcode on every page.

            type         the type of barcode, such as code128
            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a barcode

        >>> size = recto.StampSize(width=6, height=2, unit="cm")
        >>> operation = await client.stamp_barcode("report.pdf", type="code128", value="A-123", stamp_size=size)
        >>> await operation.save("barcode.pdf")
        PosixPath('barcode.pdf')
        """
        return await self.start(
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

    async def stamp_data_matrix(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Stamp a Data Matrix symbol on every page.

            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a Data Matrix or QR code

        >>> size = recto.SquareSize(side=3, unit="cm")
        >>> operation = await client.stamp_data_matrix("report.pdf", value="A-123", stamp_size=size)
        >>> await operation.save("matrix.pdf")
        PosixPath('matrix.pdf')
        """
        return await self.start(
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

    async def stamp_qr(
        self,
        source: types.AsyncSource,
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
    ) -> async_handle.AsyncOperation:
        """Stamp a QR code on every page.

            value        the value to encode
            margin       the position of a barcode, Data Matrix or QR code: its distance from the left and
                         the bottom edge
            stamp_size   the size of a Data Matrix or QR code

        >>> margin = recto.Margin(left=1, bottom=1, unit="cm")
        >>> operation = await client.stamp_qr("report.pdf", value="https://example.org", margin=margin)
        >>> await operation.save("qr.pdf")
        PosixPath('qr.pdf')
        """
        return await self.start(
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

    async def validate(
        self,
        source: types.AsyncSource,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Check a PDF against a version of the standard or a PDF/A level.

        The report is in the result: `result().validation`.

            conformance   the standard and level to check against, such as pdf13 or pdf_a2_b

        >>> operation = await client.validate("report.pdf", conformance="pdf17")
        >>> (await operation.result()).validation.is_conforming
        True
        """
        return await self.start(
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

    async def power_archive(
        self,
        source: types.AsyncSource,
        *,
        conformance: str | None = None,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: types.OnProgress | None = None,
        extra_options: abc.Mapping[str, object] | None = None,
        headers: types.Headers | None = None,
    ) -> async_handle.AsyncOperation:
        """Compress a PDF and convert it to PDF/A in one operation.

            conformance   the PDF/A level to convert to, such as pdf_a2_b

        >>> operation = await client.power_archive("report.pdf", conformance="pdf_a2_b")
        >>> await operation.save("archived.pdf")
        PosixPath('archived.pdf')
        """
        return await self.start(
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
