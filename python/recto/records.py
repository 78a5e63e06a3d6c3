"""The results of calls, as frozen values that can be compared, pickled and printed. `raw` is the service's JSON."""

from __future__ import annotations

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    import pathlib
    import typing

    from recto import enums
else:
    from recto._lazy import datetime, enums, pathlib, typing

__all__ = [
    "BatchItem",
    "ComparedPage",
    "Comparison",
    "FileId",
    "FileRecord",
    "OutputFile",
    "Progress",
    "Result",
    "ValidationReport",
]


class FileId(str):
    """The identifier of a file in the service. Given as a source, it means this file; a plain `str` is a path.

    >>> file_id = client.files.upload("report.pdf")
    >>> client.optimize(recto.FileId(file_id)).result().output.name
    'report.pdf'
    """

    __slots__ = ()


class FileRecord(Frozen):
    """The service's record of a file.

    >>> record = client.files.get(client.files.upload("report.pdf"))
    >>> record.name, record.extension, record.created_at.tzinfo
    ('report.pdf', 'pdf', datetime.timezone.utc)
    """

    __slots__ = ("id", "created_at", "origin", "name", "extension", "raw")  # noqa: RUF023
    __match_args__ = ("id", "created_at", "origin", "name", "extension", "raw")
    _hidden = ("raw",)

    id: FileId
    """The file's identifier."""
    created_at: datetime.datetime | None
    """The time when it was created in the service, as an aware datetime in UTC."""
    origin: str | None
    """How it was created in the service, such as `fromUrl`."""
    name: str | None
    """Its name."""
    extension: str | None
    """Its extension without the dot."""
    raw: dict[str, typing.Any]
    """The record as the service sent it."""

    def __init__(
        self,
        id: str,  # noqa: A002 (the field's name)
        created_at: datetime.datetime | None,
        origin: str | None,
        name: str | None,
        extension: str | None,
        raw: dict[str, typing.Any],
    ) -> None:
        """Set the fields."""
        self._fill(FileId(id), created_at, origin, name, extension, raw)

    def __hash__(self) -> int:
        """Hash the identifier."""
        return hash((FileRecord, self.id))


class OutputFile(Frozen):
    """A result file in the service. Its `url` gives access to the file, so the `repr` leaves it out.

    >>> output = client.optimize("report.pdf").result().output
    >>> client.stamp_text(output.file_id, text="DRAFT").save("draft.pdf")
    PosixPath('draft.pdf')
    """

    __slots__ = ("file_id", "name", "url")
    __match_args__ = ("file_id", "name", "url")
    _hidden = ("url",)

    file_id: FileId | None
    """The file's identifier: a source for the next operation."""
    name: str | None
    """The file's name, as the service gives it."""
    url: str | None
    """The address to download it from."""

    def __init__(self, file_id: str | None, name: str | None, url: str | None) -> None:
        """Set the fields."""
        self._fill(None if file_id is None else FileId(file_id), name, url)


class ValidationReport(Frozen):
    """The outcome of a validation.

    >>> report = client.validate("report.pdf", conformance="pdf17").result().validation
    >>> report.is_conforming
    True
    """

    __slots__ = ("is_conforming", "errors", "conformance")  # noqa: RUF023
    __match_args__ = ("is_conforming", "errors", "conformance")

    is_conforming: bool | None
    """Whether the document conforms."""
    errors: tuple[str, ...]
    """The violations, as text for people; empty if the document conforms."""
    conformance: str | None
    """The level that the document declares, such as `pdf15`."""

    def __init__(self, is_conforming: bool | None, errors: tuple[str, ...], conformance: str | None) -> None:
        """Set the fields."""
        self._fill(is_conforming, tuple(errors), conformance)

    def _repr_html_(self) -> str:
        """Show the report in Jupyter."""
        from recto.notebook import report_html

        return report_html(self)


class ComparedPage(Frozen):
    r"""A page of two documents that were compared.

    >>> page = client.compare("report.pdf", "report.pdf").pages[0]
    >>> page.number, page.share, page.differs, page.picture.startswith(b"\x89PNG")
    (1, 0.0, False, True)
    """

    __slots__ = (  # noqa: RUF023
        "number", "share", "differs", "size_differs", "in_first", "in_second", "picture", "path",
    )  # fmt: skip
    __match_args__ = (
        "number", "share", "differs", "size_differs", "in_first", "in_second", "picture", "path",
    )  # fmt: skip
    _hidden = ("picture",)

    number: int
    """The number of the page, from 1."""
    share: float
    """The share of the page that differs, from 0 to 1; 1 for a page that only one document has."""
    differs: bool
    """Whether the share exceeds the threshold, or only one document has the page."""
    size_differs: bool
    """Whether the pages have different sizes."""
    in_first: bool
    """Whether the first document has the page."""
    in_second: bool
    """Whether the second document has the page."""
    picture: bytes | None
    """A PNG file of both pages side by side with the differences outlined; `None` if it was written to a file."""
    path: pathlib.Path | None
    """The file that the picture was written to, if it is a file of its own."""

    def __init__(
        self,
        number: int,
        share: float,
        differs: bool,
        size_differs: bool,
        in_first: bool,
        in_second: bool,
        picture: bytes | None,
        path: pathlib.Path | None,
    ) -> None:
        """Set the fields."""
        self._fill(number, share, differs, size_differs, in_first, in_second, picture, path)


class Comparison(Frozen):
    """The result of `Client.compare`.

    >>> draft = client.stamp_text("report.pdf", text="DRAFT")
    >>> comparison = client.compare("report.pdf", draft, to="comparison.html")
    >>> comparison.same, comparison.path.name
    (False, 'comparison.html')
    """

    __slots__ = ("same", "share", "pages", "path")  # noqa: RUF023
    __match_args__ = ("same", "share", "pages", "path")

    same: bool
    """Whether no page differs."""
    share: float
    """The share of the area of all pages that differs, from 0 to 1."""
    pages: tuple[ComparedPage, ...]
    """The pages, in order."""
    path: pathlib.Path | None
    """The file or folder with the pictures; `None` without `to`."""

    def __init__(
        self, same: bool, share: float, pages: tuple[ComparedPage, ...], path: pathlib.Path | None
    ) -> None:
        """Set the fields."""
        self._fill(same, share, tuple(pages), path)


class Result(Frozen):
    """The result of a finished operation: an output file, or a validation report.

    >>> result = client.optimize("report.pdf").result()
    >>> result.operation_type, result.status, result.output.name
    (<OperationType.OPTIMIZE: 'optimize'>, 'finished', 'report.pdf')
    """

    __slots__ = ("operation_type", "status", "output", "validation", "raw", "request_id")  # noqa: RUF023
    __match_args__ = ("operation_type", "status", "output", "validation", "raw", "request_id")
    _hidden = ("raw",)

    operation_type: enums.OperationType | str | None
    """The operation's type."""
    status: str | None
    """The operation's final status, such as `finished`."""
    output: OutputFile | None
    """The output file."""
    validation: ValidationReport | None
    """The validation report."""
    raw: dict[str, typing.Any]
    """The result as the service sent it."""
    request_id: str | None
    """The identifier under which the service logged the request for this result, if it sent one."""

    def __init__(
        self,
        operation_type: enums.OperationType | str | None,
        status: str | None,
        output: OutputFile | None,
        validation: ValidationReport | None,
        raw: dict[str, typing.Any],
        request_id: str | None = None,
    ) -> None:
        """Set the fields."""
        self._fill(operation_type, status, output, validation, raw, request_id)

    def __hash__(self) -> int:
        """Hash all but `raw`."""
        return hash((Result, self.operation_type, self.status, self.output, self.validation))

    def _repr_html_(self) -> str:
        """Show the result in Jupyter, without the address of the file."""
        from recto.notebook import result_html

        return result_html(self)


class BatchItem(Frozen):
    """The outcome of one document of a batch.

    >>> items = list(client.batch("optimize", ["report.pdf", "missing.pdf"], to="out"))
    >>> [(item.source.name, item.error is None) for item in sorted(items, key=lambda item: item.index)]
    [('report.pdf', True), ('missing.pdf', False)]
    """

    __slots__ = (  # noqa: RUF023
        "index", "source", "path", "error", "result", "validation", "operation_id", "resumed", "left_behind",
        "moved_to",
    )  # fmt: skip
    __match_args__ = (
        "index", "source", "path", "error", "result", "validation", "operation_id", "resumed", "left_behind",
        "moved_to",
    )  # fmt: skip

    index: int
    """Its position among the sources, from 0."""
    source: typing.Any
    """The document as given: a `pathlib.Path` for a path, else the object itself."""
    path: pathlib.Path | None
    """The result file; `None` without `to`, and for an operation without a result file."""
    error: Exception | None
    """Why it failed: a `recto.Error`, or the `OSError` of a file that cannot be read or written."""
    result: Result | None
    """The service's result; `None` for a document that an earlier run completed."""
    validation: ValidationReport | None
    """The validation report."""
    operation_id: str | None
    """The operation's identifier."""
    resumed: bool
    """Whether an earlier run with the same journal completed it."""
    left_behind: Exception | None
    """Why its files could not be deleted from the service, or why a watch could not move or delete its file."""
    moved_to: pathlib.Path | None
    """Where a watch has moved it."""

    def __init__(
        self,
        index: int,
        source: typing.Any,
        path: pathlib.Path | None = None,
        error: Exception | None = None,
        result: Result | None = None,
        validation: ValidationReport | None = None,
        operation_id: str | None = None,
        resumed: bool = False,
        left_behind: Exception | None = None,
        moved_to: pathlib.Path | None = None,
    ) -> None:
        """Set the fields."""
        self._fill(
            index, source, path, error, result, validation, operation_id, resumed, left_behind, moved_to
        )

    def _repr_html_(self) -> str:
        """Show the item in Jupyter, with the first page of its result file."""
        from recto.notebook import item_html

        return item_html(self)


class Progress(Frozen):
    """The progress of a call.

    >>> steps = []
    >>> file_id = client.files.upload("report.pdf", on_progress=steps.append)
    >>> print(steps[-1].phase, steps[-1].done == steps[-1].total)
    upload True
    """

    __slots__ = ("phase", "done", "total", "elapsed")  # noqa: RUF023
    __match_args__ = ("phase", "done", "total", "elapsed")

    phase: enums.Phase
    """The phase: `upload`, `wait`, `download`, or `batch`, which counts documents instead of bytes."""
    done: int
    """The bytes transferred in this phase; a retry does not count them again."""
    total: int | None
    """The bytes to transfer, if known."""
    elapsed: float
    """The seconds since the phase began."""

    def __init__(self, phase: enums.Phase, done: int, total: int | None, elapsed: float) -> None:
        """Set the fields."""
        self._fill(phase, done, total, elapsed)
