"""What the service answers, as frozen values: they compare, pickle and print. `raw` is the service's JSON."""

from __future__ import annotations

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from recto.enums import OperationType, Phase

__all__ = ["BatchItem", "FileId", "FileRecord", "OutputFile", "Progress", "Result", "ValidationReport"]


class FileId(str):
    """The identifier of a file in the service. As a source it stands for that file; a plain `str` is a path.

    >>> file_id = client.files.upload("report.pdf")
    >>> client.optimize(recto.FileId(file_id)).result().output.name
    'report.pdf'
    """

    __slots__ = ()


class FileRecord(Frozen):
    """What the service knows of a file.

    >>> record = client.files.get(client.files.upload("report.pdf"))
    >>> record.name, record.extension, record.created_at.tzinfo
    ('report.pdf', 'pdf', datetime.timezone.utc)
    """

    __slots__ = ("id", "created_at", "origin", "name", "extension", "raw")  # noqa: RUF023
    _hidden = ("raw",)

    id: FileId
    """The file's identifier."""
    created_at: datetime | None
    """When it came to the service; aware, in UTC."""
    origin: str | None
    """How it came to the service, such as `fromUrl`."""
    name: str | None
    """Its name."""
    extension: str | None
    """Its extension without the dot."""
    raw: dict[str, Any]
    """The record as the service sent it."""

    def __init__(
        self,
        id: str,  # noqa: A002 (the field's name)
        created_at: datetime | None,
        origin: str | None,
        name: str | None,
        extension: str | None,
        raw: dict[str, Any],
    ) -> None:
        """Hold the fields."""
        self._fill(FileId(id), created_at, origin, name, extension, raw)

    def __hash__(self) -> int:
        """Hash the identifier."""
        return hash((FileRecord, self.id))


class OutputFile(Frozen):
    """A result file in the service. Its `url` is as good as the file: it is left out of the `repr`.

    >>> output = client.optimize("report.pdf").result().output
    >>> client.stamp_text(output.file_id, text="DRAFT").save("draft.pdf")
    PosixPath('draft.pdf')
    """

    __slots__ = ("file_id", "name", "url")
    _hidden = ("url",)

    file_id: FileId | None
    """The file's identifier: a source for the next operation."""
    name: str | None
    """The file's name, as the service gives it."""
    url: str | None
    """The address from which it is downloaded."""

    def __init__(self, file_id: str | None, name: str | None, url: str | None) -> None:
        """Hold the fields."""
        self._fill(None if file_id is None else FileId(file_id), name, url)


class ValidationReport(Frozen):
    """The outcome of a validation.

    >>> report = client.validate("report.pdf", conformance="pdf17").result().validation
    >>> report.is_conforming
    True
    """

    __slots__ = ("is_conforming", "errors", "conformance")  # noqa: RUF023

    is_conforming: bool | None
    """Whether the document conforms."""
    errors: tuple[str, ...]
    """What was found, for people to read; empty when it conforms."""
    conformance: str | None
    """The level that the document claims, such as `pdf15`."""

    def __init__(self, is_conforming: bool | None, errors: tuple[str, ...], conformance: str | None) -> None:
        """Hold the fields."""
        self._fill(is_conforming, tuple(errors), conformance)


class Result(Frozen):
    """The result of a finished operation: an output file, or a validation report.

    >>> result = client.optimize("report.pdf").result()
    >>> result.operation_type, result.status, result.output.name
    (<OperationType.OPTIMIZE: 'optimize'>, 'finished', 'report.pdf')
    """

    __slots__ = ("operation_type", "status", "output", "validation", "raw")  # noqa: RUF023
    _hidden = ("raw",)

    operation_type: OperationType | str | None
    """Which operation it was."""
    status: str | None
    """The service's word for its end, such as `finished`."""
    output: OutputFile | None
    """The file it made."""
    validation: ValidationReport | None
    """What the validation found."""
    raw: dict[str, Any]
    """The result as the service sent it."""

    def __init__(
        self,
        operation_type: OperationType | str | None,
        status: str | None,
        output: OutputFile | None,
        validation: ValidationReport | None,
        raw: dict[str, Any],
    ) -> None:
        """Hold the fields."""
        self._fill(operation_type, status, output, validation, raw)

    def __hash__(self) -> int:
        """Hash all but `raw`."""
        return hash((Result, *self._values()[:-1]))


class BatchItem(Frozen):
    """One document of a batch, and what became of it.

    >>> items = list(client.batch("optimize", ["report.pdf", "missing.pdf"], to="out"))
    >>> [(item.source.name, item.error is None) for item in sorted(items, key=lambda item: item.index)]
    [('report.pdf', True), ('missing.pdf', False)]
    """

    __slots__ = (  # noqa: RUF023
        "index", "source", "path", "error", "result", "validation", "operation_id", "resumed", "left_behind",
    )  # fmt: skip

    index: int
    """Its place among the sources, from 0."""
    source: Path
    """The document, as it was given."""
    path: Path | None
    """The result file; `None` without `to`, and for an operation that makes none."""
    error: Exception | None
    """Why it failed: a `recto.Error`, or the `OSError` of a file that cannot be read or written."""
    result: Result | None
    """The service's result; `None` for a document that an earlier run has done."""
    validation: ValidationReport | None
    """What a validation found."""
    operation_id: str | None
    """The operation's identifier."""
    resumed: bool
    """Whether an earlier run with the same journal had done it."""
    left_behind: Exception | None
    """Why the service still holds files of it, where `delete_after` was asked for."""

    def __init__(
        self,
        index: int,
        source: Path,
        path: Path | None = None,
        error: Exception | None = None,
        result: Result | None = None,
        validation: ValidationReport | None = None,
        operation_id: str | None = None,
        resumed: bool = False,
        left_behind: Exception | None = None,
    ) -> None:
        """Hold the fields."""
        self._fill(index, source, path, error, result, validation, operation_id, resumed, left_behind)


class Progress(Frozen):
    """How far a call is.

    >>> def show(progress):
    ...     if progress.done == progress.total:
    ...         print(progress.phase, "ended")
    >>> client.files.upload("report.pdf", on_progress=show) != ""
    upload ended
    True
    """

    __slots__ = ("phase", "done", "total", "elapsed")  # noqa: RUF023

    phase: Phase
    """What it is doing: `upload`, `wait`, `download`, or `batch`, which counts documents instead of bytes."""
    done: int
    """The bytes moved in this phase; each counts once, retries included."""
    total: int | None
    """The bytes there are to move, where that is known."""
    elapsed: float
    """The seconds since the phase began."""

    def __init__(self, phase: Phase, done: int, total: int | None, elapsed: float) -> None:
        """Hold the fields."""
        self._fill(phase, done, total, elapsed)
