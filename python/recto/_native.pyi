"""The native module: the core of Recto, as classes."""

import builtins
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Never, Self, Unpack, final

from typing_extensions import disjoint_base

from recto._types import Headers, Isolation, LocalSettings, OnProgress, Options, Socket, Source, Writer
from recto._types import Path as AnyPath
from recto._watch import Watch
from recto.enums import OperationType
from recto.records import BatchItem, Comparison, FileId, FileRecord, Result

__all__ = [
    "Batch",
    "ByteStream",
    "Cancel",
    "Client",
    "Files",
    "LocalService",
    "Operation",
    "__version__",
    "operations",
    "run",
]

__version__: Final[str]

@final
class Batch:
    def close(self) -> None: ...
    def stop(self) -> None: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> BatchItem: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __reduce__(self) -> Never: ...

@final
class ByteStream:
    def close(self) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> bytes: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __reduce__(self) -> Never: ...

@final
class Cancel:
    def __new__(cls) -> Self: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...

@disjoint_base
class Client:
    def __new__(
        cls,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        connect_timeout: float | None = None,
        stall_timeout: float | None = None,
        retries: int | None = None,
        retry_unknown: bool = False,
        allow_http: bool = False,
        proxy: str | None = None,
        ca_bundle: AnyPath | None = None,
        client_certificate: AnyPath | None = None,
        user_agent: str | None = None,
        json_limit: int | None = None,
        headers: Headers | None = None,
        keep_files: bool = False,
        local: LocalSettings | None = None,
    ) -> Self: ...
    def with_options(
        self,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        stall_timeout: float | None = None,
        retries: int | None = None,
        retry_unknown: bool | None = None,
        headers: Headers | None = None,
        keep_files: bool | None = None,
    ) -> Self: ...
    @property
    def files(self) -> Files: ...
    def start(
        self,
        operation: str,
        source: Source,
        options: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        extra_options: Mapping[str, object] | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> Operation: ...
    def run(
        self,
        operation: str,
        source: Source,
        options: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> Operation: ...
    def batch(
        self,
        operation: str,
        sources: Iterable[Source] | Watch,
        *,
        to: AnyPath | None = None,
        relative_to: AnyPath | None = None,
        concurrency: int = 8,
        journal: AnyPath | None = None,
        stop_on_error: bool = False,
        delete_after: bool = False,
        force: bool = False,
        on_progress: OnProgress | None = None,
        extra_options: Mapping[str, object] | None = None,
        headers: Headers | None = None,
        **options: Unpack[Options],
    ) -> Batch: ...
    def compare(
        self,
        first: Source,
        second: Source,
        *,
        to: AnyPath | None = None,
        only_differing: bool = False,
        overwrite: bool = True,
        tolerance: float = 2.3,
        threshold: float = 0.0,
        max_pages: int = 1000,
        password: str | None = None,
        delete_after: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> Comparison: ...
    def operation(self, token: str) -> Operation: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __reduce__(self) -> Never: ...

@final
class Files:
    def upload(
        self,
        source: Source,
        name: str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> FileId: ...
    def upload_from_url(
        self,
        url: str,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> FileId: ...
    def list(
        self,
        only_result_files: bool = False,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> builtins.list[FileRecord]: ...
    def get(
        self,
        file_id: str,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> FileRecord: ...
    def delete(
        self,
        file_id: str,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> builtins.list[FileRecord]: ...
    def __reduce__(self) -> Never: ...

@final
class Operation:
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def type(self) -> OperationType | str: ...
    @property
    def token(self) -> str: ...
    @property
    def request_id(self) -> str | None: ...
    def status(
        self,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> str: ...
    def result(
        self,
        timeout: float | None = None,
        *,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> Result: ...
    def save(
        self,
        path: AnyPath,
        *,
        overwrite: bool = True,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> Path: ...
    def read(
        self,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> bytes: ...
    def write_to(
        self,
        file: Writer | Socket,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> int: ...
    def iter_bytes(
        self,
        chunk_size: int | None = None,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        headers: Headers | None = None,
    ) -> ByteStream: ...
    def delete(
        self,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
        cancel: Cancel | None = None,
    ) -> None: ...
    def keep(self) -> None: ...
    def __reduce__(self) -> Never: ...

@final
class LocalService:
    def __new__(
        cls,
        data_dir: AnyPath | None = None,
        workers: int | None = None,
        *,
        port: int = 0,
        api_key: str | None = None,
        allow_private_urls: bool = False,
        fetch_ports: Sequence[int] | None = None,
        isolation: Isolation | None = None,
        worker: AnyPath | None = None,
        worker_memory: int | None = None,
        in_process_bytes: int | None = None,
        stored_bytes: int | None = None,
        retention: float | None = None,
    ) -> Self: ...
    @property
    def base_url(self) -> str: ...
    @property
    def api_key(self) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __reduce__(self) -> Never: ...

def run(arguments: list[str]) -> int: ...
def operations() -> list[dict[str, Any]]: ...
