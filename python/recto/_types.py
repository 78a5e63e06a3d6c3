"""The types of arguments, for annotations. Imported by type checkers and `typing.get_type_hints` only."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

from recto._option_types import *  # noqa: F403 (re-exported: annotations name one module)
from recto.records import FileId, FileRecord, OutputFile, Progress, Result

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    try:
        from collections.abc import Buffer  # Python 3.12
    except ImportError:
        Buffer = bytes | bytearray | memoryview


class Reader(Protocol):
    """A binary file object to read from."""

    def read(self, size: int, /) -> Any:
        """Return at most `size` bytes, or empty `bytes` at the end of the file."""


class Writer(Protocol):
    """A binary file object to write to."""

    def write(self, data: bytes, /) -> Any:
        """Write the bytes."""


class Socket(Protocol):
    """A connected socket."""

    def makefile(self, mode: Any, /) -> Any:
        """Make a file object."""


class Drawing(Protocol):
    """The display of one phase of a call."""

    def show(self, progress: Progress, /) -> None:
        """Draw the progress."""

    def close(self) -> None:
        """Remove the display."""


class AsyncReader(Protocol):
    """A binary file object to read from in a coroutine, such as an `UploadFile`."""

    async def read(self, size: int = ..., /) -> Any:
        """Return at most `size` bytes, or empty `bytes` at the end of the file."""


class Upload(Protocol):
    """The upload of a web framework, such as Starlette's `UploadFile`: it is read from its file object."""

    @property
    def filename(self) -> str | None:
        """The name of the uploaded file."""

    @property
    def file(self) -> Any:
        """The file object with the content."""


class Started(Protocol):
    """An operation that was started: an `Operation`, or for `AsyncClient` an `AsyncOperation`."""

    @property
    def token(self) -> str:
        """The token that resumes the operation."""
        raise NotImplementedError

    @property
    def request_id(self) -> str | None:
        """The identifier of the request that started the operation."""


Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Content: TypeAlias = (
    os.PathLike[str] | os.PathLike[bytes] | str | Buffer | Reader | Socket | Upload | Iterable[bytes]
)
Stored: TypeAlias = FileId | FileRecord | OutputFile | Result
Source: TypeAlias = Content | Stored | tuple[str, Content | Stored] | Started
AsyncContent: TypeAlias = Content | AsyncReader | AsyncIterable[bytes]
AsyncSource: TypeAlias = AsyncContent | Stored | tuple[str, AsyncContent | Stored] | Started
OnProgress: TypeAlias = Callable[[Progress], object]
Headers: TypeAlias = Mapping[str, str]
Isolation: TypeAlias = Literal["best", "workers", "strict", "none"]


class LocalSettings(TypedDict, total=False):
    """The settings of the embedded service: see `LocalService`."""

    isolation: Isolation
    worker: Path
    workers: int
    worker_memory: int
    in_process_bytes: int
    stored_bytes: int
    retention: float
    data_dir: Path


class ClientSettings(TypedDict, total=False):
    """The settings of a `Client` that a `Udf` takes: those that are not secret."""

    base_url: str | None
    timeout: float | None
    wait_timeout: float | None
    connect_timeout: float | None
    stall_timeout: float | None
    retries: int | None
    retry_unknown: bool
    allow_http: bool
    ca_bundle: Path | None
    client_certificate: Path | None
    user_agent: str | None
    json_limit: int | None
    local: LocalSettings | None
