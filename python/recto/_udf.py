"""`Udf`: an operation as a function on columns of documents, for Ray Data, Dask, Spark, Daft and concurrent.futures."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from recto import _columns, _native
from recto._documents import Document, Target, absolute
from recto._frozen import Frozen
from recto._imports import load

if TYPE_CHECKING:
    from recto import _types as types
else:
    from recto._lazy import types

__all__ = ["Udf"]

_NOT_TAKEN = {
    "api_key": "set RECTO_API_KEY in the environment of the workers",
    "headers": "let a gateway of the workers add it",
    "proxy": "set HTTPS_PROXY in the environment of the workers",
}
"""Settings of a client that are not taken, because they may be secret and would be in the pickle."""

_COLUMNS = {
    "status": "string",
    "size_before": "bigint",
    "size_after": "bigint",
    "error": "string",
    "message": "string",
    "retryable": "boolean",
    "notes": "string",
    "seconds": "double",
}
"""The columns of every operation, after that of the result."""

_SHARED = ("AuthError", "ConfigError")
"""The errors that every other document would have too."""

_clients: dict[tuple[int, str], _native.Client] = {}
"""The clients of this process. The key has the number of the process, because a fork copies the dict."""


class Udf(Frozen):
    """An operation as a user-defined function: it takes a column of documents, and returns columns of results.

    It can be pickled and sent to worker processes. It contains no key: each worker process makes one client, from its
    own environment (`RECTO_BASE_URL`, `RECTO_API_KEY`), or uses the embedded service.

        operation         the operation, such as `optimize`; its options are keywords, as for `Client.batch`
        column            the column with the documents, for a batch that has several columns
        name_column       the column with file names of the documents; names are needed for content other than PDF
        name              the file name for content that has none, such as `scan.png`
        to                the folder for the results; without it, the results are a column of bytes
        relative_to       the folder of the sources: a result gets the path of its source below this folder
        name_by_content   name each result after the hash of its document, the operation and the options
        overwrite         process a document even if its result is in the folder
        delete_after      delete document and result from the service once the result is there
        threads           how many documents of a call are processed at the same time
        prefix            the beginning of the names of the columns that are added
        raise_on_error    raise the error of a document, instead of reporting it in the columns
        settings          settings of the client: those of `Client`, without `api_key`, `headers` and `proxy`, which may
                          be secret

    A call takes a list, an Arrow array, a pandas Series or a NumPy array of documents; or a batch of several columns:
    a dict (of Ray Data), an Arrow table or record batch, or a pandas DataFrame, whose columns are returned as well. The
    result has the same kind: a dict of lists for a list, a struct array for an Arrow array, a DataFrame for a Series. A
    document is bytes, a path, an address or a `FileId`. The columns, as `columns` lists them:

        result, target            the result's bytes; with `to`, the path of its file
        status                    `finished`, `failed`, `skipped` (the result was in the folder already), or `null`
                                  (there is no document)
        size_before, size_after   in bytes
        error, message            the kind of the error, and what to do next
        retryable                 whether the same call may succeed later
        notes                     the notes of the result, one in each line
        seconds                   the time that the document took

    A document that fails raises nothing, but `AuthError` and `ConfigError` are raised: every other document would fail
    too. A call uses `threads` threads of the process, of which each waits for one operation; the embedded service works
    on one operation with all cores that the process may use.

    A result is written completely or not at all, and its name follows from its source alone: it has a hash of the path,
    the operation and the options (for bytes, of the content instead of the path), such as `report-1f0c….pdf`. With
    `relative_to`, it is the path of the source below that folder; then each operation with its options needs a folder
    of its own. So a task that runs twice writes one file. A result that is at least as new as its source is not made
    again.

    >>> compress = recto.Udf("optimize", profile="web")
    >>> columns = compress(["report.pdf", None, "missing.pdf"])
    >>> columns["status"], columns["error"]
    (['finished', 'null', 'failed'], [None, None, 'FileNotFoundError'])
    >>> compress.close()
    """

    __slots__ = (  # noqa: RUF023
        "operation", "options", "column", "name_column", "name", "to", "relative_to", "name_by_content", "overwrite",
        "delete_after", "threads", "prefix", "raise_on_error", "settings",
    )  # fmt: skip

    operation: str
    """The operation."""
    options: dict[str, Any]
    """The options of the operation."""
    column: str | None
    """The column with the documents."""
    name_column: str | None
    """The column with their file names."""
    name: str | None
    """The file name for content without one."""
    to: str | None
    """The folder for the results, as an absolute path."""
    relative_to: str | None
    """The folder of the sources, as an absolute path."""
    name_by_content: bool
    """Whether results are named after their content."""
    overwrite: bool
    """Whether existing results are made again."""
    delete_after: bool
    """Whether files are deleted from the service."""
    threads: int
    """How many documents of a call are processed at the same time."""
    prefix: str
    """The beginning of the names of the columns."""
    raise_on_error: bool
    """Whether the error of a document is raised."""
    settings: dict[str, Any]
    """The settings of the client."""

    def __init__(
        self,
        operation: str,
        *,
        column: str | None = None,
        name_column: str | None = None,
        name: str | None = None,
        to: types.Path | None = None,
        relative_to: types.Path | None = None,
        name_by_content: bool = False,
        overwrite: bool = False,
        delete_after: bool = False,
        threads: int = 1,
        prefix: str = "",
        raise_on_error: bool = False,
        settings: types.ClientSettings | None = None,
        **options: Unpack[types.Options],
    ) -> None:
        """Check the operation, its options and the settings; nothing is sent, and no service starts."""
        given = {key: value for key, value in options.items() if value is not None}
        taken: dict[str, Any] = dict(settings or {})
        for secret, advice in _NOT_TAKEN.items():
            if secret in taken:
                raise _config(f"settings: {secret} may be secret, and would be in the pickle; {advice}")
        if threads < 1 or isinstance(threads, bool):
            raise _config(f"threads takes a number above 0, not {threads!r}")
        if to is not None and operation == "validate":
            raise _config("validate has no result file; leave out `to`")
        if to is None and (relative_to is not None or name_by_content):
            raise _config("relative_to and name_by_content name the results in a folder; set `to` as well")
        if relative_to is not None and name_by_content:
            raise _config("relative_to and name_by_content exclude each other")
        _check(operation, given, taken)
        # Relative folders mean those of the program that makes this object, not those of a worker.
        folders = [None if path is None else str(absolute(path)) for path in (to, relative_to)]
        self._fill(
            operation, given, column, name_column, name, *folders, name_by_content, overwrite, delete_after, threads,
            prefix, raise_on_error, taken,
        )  # fmt: skip

    def __hash__(self) -> int:
        """Hash the operation and the folder."""
        return hash((Udf, self.operation, self.to, self.threads))

    def __repr__(self) -> str:
        """Return the call that makes the value, without a password."""
        given = {name: getattr(self, name) for name in self.__slots__[2:]}
        # A value that is `None`, empty or false is a default.
        shown = {**self.options, **{name: value for name, value in given.items() if value}}
        if self.threads == 1:
            del shown["threads"]
        shown.update({name: "..." for name in ("password",) if name in shown})
        return f"Udf({', '.join([repr(self.operation), *(f'{name}={value!r}' for name, value in shown.items())])})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings; they contain no key."""
        return _restore, (type(self), self._values())

    @property
    def __name__(self) -> str:
        """The name that engines show for the function."""
        return f"recto-{self.operation}"

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns that a call adds, with their types in SQL.

        >>> schema = ", ".join(f"{name} {kind}" for name, kind in recto.Udf("optimize", to="out").columns.items())
        >>> schema[:29]
        'target string, status string,'
        """
        if self.operation == "validate":
            first = {"is_conforming": "boolean"}
        else:
            first = {"result": "binary"} if self.to is None else {"target": "string"}
        return {self.prefix + name: kind for name, kind in {**first, **_COLUMNS}.items()}

    def __call__(self, documents: Any, /) -> Any:
        """Process the documents of a column, or of a batch of several columns.

        >>> validate = recto.Udf("validate")
        >>> validate({"path": ["report.pdf"], "year": [2026]})
        {'path': ['report.pdf'], 'year': [2026], 'is_conforming': [True], 'status': ['finished'], ...}
        >>> validate.close()
        """
        batch = _columns.read(documents, self.column, self.name_column)
        batch.refuse(self.columns)
        rows = self._rows(batch.documents, batch.names)
        return batch.result(
            {name: [row[index] for row in rows] for index, name in enumerate(self.columns)}, self.columns
        )

    def one(self, document: Any, name: str | None = None) -> dict[str, Any]:
        """Process one document, and return its row as a dict.

        >>> compress = recto.Udf("optimize")
        >>> row = compress.one("report.pdf")
        >>> row["status"], row["size_before"] > row["size_after"]
        ('finished', True)
        >>> compress.close()
        """
        return dict(zip(self.columns, self._row(document, name, _native.Cancel()), strict=True))

    def close(self) -> None:
        """Close the client of this process; the next call makes a new one. A worker process need not call it.

        >>> recto.Udf("optimize").close()
        """
        client = _clients.pop(_key(self.settings), None)
        if client is not None:
            client.close()

    def _rows(self, documents: list[Any], names: list[Any] | None) -> list[tuple[Any, ...]]:
        """Process the documents, `threads` at the same time."""
        cancel = _native.Cancel()
        work = list(zip(documents, names or [None] * len(documents), strict=True))
        if self.threads == 1 or len(work) < 2:
            return [self._row(document, name, cancel) for document, name in work]
        executor = load("concurrent.futures", "ThreadPoolExecutor")(
            min(self.threads, len(work)), thread_name_prefix="recto-udf"
        )
        try:
            running = [executor.submit(self._row, document, name, cancel) for document, name in work]
            return [each.result() for each in running]
        except BaseException:
            cancel.cancel()
            raise
        finally:
            executor.shutdown(cancel_futures=True)

    def _row(self, document: Any, name: Any, cancel: _native.Cancel) -> tuple[Any, ...]:
        """Process one document, and return the values of its columns."""
        row: dict[str, Any] = dict.fromkeys(column.removeprefix(self.prefix) for column in self.columns)
        began = time.perf_counter()
        try:
            if _columns.is_null(document):
                row["status"] = "null"
            else:
                self._process(Document(document, name, self.name), row, cancel)
        except Exception as error:
            kind = type(error).__name__
            if self.raise_on_error or kind in _SHARED:
                raise
            row.update(status="failed", error=kind, message=_columns.text(str(error)))
            row["retryable"] = bool(getattr(error, "retryable", False))
        row["seconds"] = time.perf_counter() - began
        return tuple(row.values())

    def _process(self, document: Document, row: dict[str, Any], cancel: _native.Cancel) -> None:
        """Process one document, and set the values of its columns."""
        row["size_before"] = document.size()
        target = Target(self, document) if self.to is not None else None
        if target is not None and not self.overwrite and (finished := target.finished()) is not None:
            row.update(status="skipped", target=finished, size_after=Path(finished).stat().st_size)
            return
        client = _client(self.settings)
        operation = client.start(
            self.operation, document.content, self.options, name=document.given_name, cancel=cancel
        )
        result = operation.result(cancel=cancel)
        notes: list[object] = result.raw.get("notes") or []
        if result.validation is not None:
            row["is_conforming"] = result.validation.is_conforming
            notes = [*notes, *result.validation.errors]
            if self.delete_after:
                operation.delete(cancel=cancel)
        elif target is not None:
            path = target.path(None if result.output is None else result.output.name)
            operation.save(path, delete_after=self.delete_after, cancel=cancel)
            target.remove_others(path)
            row.update(target=path, size_after=Path(path).stat().st_size)
        else:
            content = operation.read(delete_after=self.delete_after, cancel=cancel)
            row.update(result=content, size_after=len(content))
        row.update(status="finished", notes=_columns.text("\n".join(map(str, notes))) if notes else None)


def _restore(cls: type[Udf], values: tuple[Any, ...]) -> Udf:
    udf = cls.__new__(cls)
    udf._fill(*values)  # pyright: ignore[reportPrivateUsage] (its own class)
    return udf


def _key(settings: dict[str, Any]) -> tuple[int, str]:
    return os.getpid(), repr(sorted(settings.items()))


def _client(settings: dict[str, Any]) -> _native.Client:
    """Return the client of this process with these settings."""
    key = _key(settings)
    client = _clients.get(key)
    if client is None:
        # No lock: a fork would copy it while another thread holds it. Of two new clients, one is dropped; a client
        # starts nothing before its first call.
        client = _clients.setdefault(key, _native.Client(**settings))
    return client


def _check(operation: str, options: dict[str, Any], settings: dict[str, Any]) -> None:
    """Refuse an operation, options and settings that every document would be refused for."""
    _native.Client(**settings)
    # A batch checks them before it takes its first source. There is none, so nothing is sent to the address.
    nowhere = _native.Client(base_url="http://127.0.0.1:9", api_key="-")
    nowhere.batch(operation, [], concurrency=1, **options).close()
    nowhere.close()


def _config(message: str) -> Exception:
    error: Exception = load("recto.errors", "ConfigError")(message, phase="configure")
    return error
