"""Results in Jupyter: the first page of a result, the table of a batch.

    import recto
    from recto import notebook

    with recto.Client() as client:
        operation = client.optimize("report.pdf", profile="web")
        notebook.FirstPage(operation)                       # the last expression of a cell is shown

        notebook.Table(client.batch("optimize", ["report.pdf", "form.pdf"], to="small"))

A `BatchItem`, a `Result` and a `ValidationReport` are shown as tables without this module; a `BatchItem` with the first
page of its result file. Nothing here needs Jupyter.

Pictures are made by the embedded service, also if the client uses a hosted one: no document is sent to it a second
time. They are bounded in size, and in the time that they take. A document without a picture is shown as text.
"""

from __future__ import annotations

import base64
import functools
import io
import zipfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Protocol, TypeAlias, overload

import recto
from recto.records import BatchItem, Result, ValidationReport

__all__ = ["FirstPage", "Table"]

# A larger document is not rendered: all of its pages would be.
_DOCUMENT_BYTES = 16 << 20
_PIXELS = 800
_SECONDS = 10.0
_PICTURE_BYTES = 4 << 20
_ROWS = 100
_CHARACTERS = 300
_PNG = b"\x89PNG\r\n\x1a\n"


class Readable(Protocol):
    """An operation, whose result is read."""

    def read(self, *, timeout: float | None = None) -> bytes:
        """Return the result."""
        raise NotImplementedError


Document: TypeAlias = Readable | BatchItem | bytes | str | Path


class FirstPage:
    r"""The first page of a PDF: the result of an operation, an item of a batch, a path, or bytes.

    >>> page = notebook.FirstPage(client.optimize("report.pdf"))
    >>> page.png[:4]
    b'\\x89PNG'
    """

    def __init__(self, document: Document) -> None:
        # A cell is shown when it has ended: its client may then be closed, so the document is read now.
        self._content = _content(document)
        self._shown = "…" if isinstance(document, bytes) else repr(document)

    def __repr__(self) -> str:
        """Return the call that makes the value, without the content."""
        return f"FirstPage({self._shown})"

    @functools.cached_property
    def png(self) -> bytes | None:
        """The page as a PNG image; `None` if it cannot be rendered within the bounds."""
        return None if self._content is None else _first_page(self._content)

    def _repr_png_(self) -> bytes | None:
        return self.png


class Table(Sequence[BatchItem]):
    """The items of a batch, all processed, as a table with the sizes before and after.

    >>> items = notebook.Table(client.batch("optimize", ["report.pdf", "form.pdf"], to="small"))
    >>> len(items), "report.pdf" in items._repr_html_()
    (2, True)
    """

    def __init__(self, items: Iterable[BatchItem]) -> None:
        self._items = sorted(items, key=lambda item: item.index)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    @overload
    def __getitem__(self, index: int, /) -> BatchItem: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[BatchItem]: ...
    def __getitem__(self, index: int | slice, /) -> BatchItem | Sequence[BatchItem]:
        """Return an item, or several."""
        return self._items[index]

    def __repr__(self) -> str:
        """Return the number of documents and of failures."""
        failed = sum(item.error is not None for item in self._items)
        return f"<recto.notebook.Table of {len(self)} documents, {failed} failed>"

    def _repr_html_(self) -> str:
        """Return the table; of a long one the first rows."""
        rest = len(self) - _ROWS
        more = f"<p>and {rest:,} more</p>" if rest > 0 else ""
        return items_html(self._items[:_ROWS]) + more


def item_html(item: BatchItem) -> str:
    """The table of one item, and the first page of its result file."""
    picture = FirstPage(item).png
    if picture is None:
        return items_html([item])
    return f'{items_html([item])}\n<img src="data:image/png;base64,{base64.b64encode(picture).decode()}">'


def items_html(items: Iterable[BatchItem]) -> str:
    """The table of the items of a batch."""
    return _table(("Document", "Before", "After", "Saved", "Result"), map(_item_row, items))


def result_html(result: Result) -> str:
    """The table of a result: its operation, its file, its notes, its report."""
    rows: list[Sequence[object]] = [
        ("operation", result.operation_type or ""),
        ("status", result.status or ""),
    ]
    if result.output is not None:
        rows.append(("file", result.output.name or ""))
    notes: list[object] = result.raw.get("notes") or []
    rows += [("note", note) for note in notes[:_ROWS]]
    if result.validation is not None:
        rows += _report_rows(result.validation)
    return _table((), rows)


def report_html(report: ValidationReport) -> str:
    """The table of a validation report."""
    return _table((), _report_rows(report))


def _report_rows(report: ValidationReport) -> list[Sequence[object]]:
    verdict = {True: "conforms", False: "does not conform", None: "unknown"}[report.is_conforming]
    rows: list[Sequence[object]] = [("verdict", verdict), ("declared", report.conformance or "nothing")]
    rows += [("error", error) for error in report.errors[:_ROWS]]
    if len(report.errors) > _ROWS:
        rows.append(("", f"and {len(report.errors) - _ROWS:,} more"))
    return rows


def _item_row(item: BatchItem) -> Sequence[object]:
    before, after = _size(item.source), _size(item.path)
    saved = f"{100 - 100 * after / before:.0f} %" if before and after is not None else ""
    name = item.source if isinstance(item.source, str | Path) else f"document {item.index + 1}"
    outcome = item.error or item.path or ("resumed" if item.resumed else "done")
    return (name, _number(before), _number(after), saved, outcome)


def _size(path: object) -> int | None:
    try:
        return path.stat().st_size if isinstance(path, Path) else None
    except OSError:
        return None


def _number(size: int | None) -> str:
    return "" if size is None else f"{size:,}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table; every text is escaped, and shortened if it is long."""
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>")
    lines += ["<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _cell(value: object) -> str:
    text = str(value)
    return escape(text if len(text) <= _CHARACTERS else text[: _CHARACTERS - 1] + "…")


def _content(document: Document) -> bytes | None:
    """The bytes of a document, if it is there and small enough."""
    source = document.path if isinstance(document, BatchItem) else document
    try:
        if source is None:
            return None
        if isinstance(source, str | Path):
            path = Path(source)
            return path.read_bytes() if path.stat().st_size <= _DOCUMENT_BYTES else None
        content = source if isinstance(source, bytes) else source.read(timeout=_SECONDS)
    except (recto.Error, OSError):
        return None
    return content if len(content) <= _DOCUMENT_BYTES else None


def _first_page(content: bytes) -> bytes | None:
    """The first page as PNG. A PNG is returned unchanged."""
    if content.startswith(_PNG):
        return content if len(content) <= _PICTURE_BYTES else None
    _, client = _embedded()
    size = recto.PixelSize(_PIXELS, _PIXELS)
    try:
        operation = client.pdf_to_png(content, name="page.pdf", max_size_in_pixels=size, timeout=_SECONDS)
        rendered = operation.read(timeout=_SECONDS)
    except recto.Error:
        return None
    if not rendered.startswith(_PNG):
        with zipfile.ZipFile(io.BytesIO(rendered)) as pages:
            rendered = pages.read(min(pages.namelist()))
    return rendered if len(rendered) <= _PICTURE_BYTES else None


@functools.cache
def _embedded() -> tuple[recto.LocalService, recto.Client]:
    """An embedded service and its client, whatever service the environment names."""
    service = recto.LocalService()
    return service, recto.Client(base_url=service.base_url, api_key=service.api_key)
