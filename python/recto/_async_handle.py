"""`AsyncOperation`: the handle of an operation that an `AsyncClient` started.

`recto.aio` has the public names. This module does not import it: the generated methods of `AsyncClient` use
`AsyncOperation` too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path as PathlibPath
from typing import Any, TypeVar

from recto import _native
from recto._threads import Threads
from recto._types import Headers, OnProgress, Path, Socket, Writer
from recto.enums import OperationType
from recto.records import Result

T = TypeVar("T")


def _next(stream: _native.ByteStream) -> bytes | None:
    return next(stream, None)


class AsyncOperation:
    """An operation that was started: the methods of `Operation`, awaitable.

    >>> operation = await client.optimize("report.pdf")
    >>> operation.kind
    'optimize'
    """

    __slots__ = ("_on_progress", "_operation", "_threads")

    def __init__(
        self, operation: _native.Operation, threads: Threads, on_progress: OnProgress | None = None
    ) -> None:
        """Wrap the blocking handle."""
        self._operation = operation
        self._threads = threads
        self._on_progress = on_progress

    @property
    def id(self) -> str:
        """The operation's identifier."""
        return self._operation.id

    @property
    def kind(self) -> str:
        """The operation's name, such as `stamp-qr`."""
        return self._operation.kind

    @property
    def type(self) -> OperationType | str:
        """The operation's type, as the service names it."""
        return self._operation.type

    @property
    def token(self) -> str:
        """The token that resumes the operation in another process; the embedded service then keeps its files."""
        return self._operation.token

    def _call(
        self, function: Callable[..., T], *args: Any, on_progress: OnProgress | None, **kwargs: Any
    ) -> Awaitable[T]:
        """Await a method of the handle, with `on_progress` or else the callback that the operation started with."""
        return self._threads.call(function, *args, on_progress=on_progress or self._on_progress, **kwargs)

    @property
    def request_id(self) -> str | None:
        """The identifier under which the service logged the request that started the operation."""
        return self._operation.request_id

    async def status(self, *, timeout: float | None = None, headers: Headers | None = None) -> str:
        """Request the status once.

        >>> operation = await client.optimize("report.pdf")
        >>> await operation.status() in ("inProgress", "finished")
        True
        """
        return await self._threads.call(self._operation.status, timeout=timeout, headers=headers)

    async def result(
        self,
        timeout: float | None = None,
        *,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> Result:
        """Wait for the result.

        >>> (await (await client.optimize("report.pdf")).result(timeout=300)).output.name
        'report.pdf'
        """
        return await self._call(
            self._operation.result,
            timeout=timeout,
            wait_timeout=wait_timeout,
            on_progress=on_progress,
            headers=headers,
        )

    async def save(
        self,
        path: Path,
        *,
        overwrite: bool = True,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> PathlibPath:
        """Wait for the result and save its file.

        >>> await (await client.optimize("report.pdf")).save("small.pdf")
        PosixPath('small.pdf')
        """
        return await self._call(
            self._operation.save,
            path,
            overwrite=overwrite,
            timeout=timeout,
            wait_timeout=wait_timeout,
            delete_after=delete_after,
            on_progress=on_progress,
            headers=headers,
        )

    async def read(
        self,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> bytes:
        """Wait for the result and return its file's bytes.

        >>> (await (await client.optimize("report.pdf")).read()).startswith(b"%PDF-")
        True
        """
        return await self._call(
            self._operation.read,
            timeout=timeout,
            wait_timeout=wait_timeout,
            delete_after=delete_after,
            on_progress=on_progress,
            headers=headers,
        )

    async def write_to(
        self,
        file: Writer | Socket,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> int:
        """Wait for the result and write its file to a binary file object, on a thread of the client.

        >>> import io
        >>> buffer = io.BytesIO()
        >>> await (await client.optimize("report.pdf")).write_to(buffer) == len(buffer.getvalue())
        True
        """
        return await self._call(
            self._operation.write_to,
            file,
            timeout=timeout,
            wait_timeout=wait_timeout,
            delete_after=delete_after,
            on_progress=on_progress,
            headers=headers,
        )

    async def aiter_bytes(
        self,
        chunk_size: int | None = None,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        delete_after: bool = False,
        headers: Headers | None = None,
    ) -> AsyncIterator[bytes]:
        """Wait for the result and iterate over its file in chunks of `chunk_size` bytes, 64 KiB by default.

        It is `Operation.iter_bytes` for `async for`, such as the body of a streaming response.

        >>> operation = await client.optimize("report.pdf")
        >>> sum([len(chunk) async for chunk in operation.aiter_bytes()]) > 1000
        True
        """
        stream = self._operation.iter_bytes(
            chunk_size,
            timeout=timeout,
            wait_timeout=wait_timeout,
            delete_after=delete_after,
            headers=headers,
        )
        try:
            while (chunk := await self._threads.run(partial(_next, stream), stream.close)) is not None:
                yield chunk
        finally:
            stream.close()

    async def delete(self, *, timeout: float | None = None, headers: Headers | None = None) -> None:
        """Delete from the service the result file, and the document if it was uploaded for this operation.

        >>> operation = await client.optimize("report.pdf")
        >>> content = await operation.read()
        >>> await operation.delete()
        """
        await self._threads.call(self._operation.delete, timeout=timeout, headers=headers)

    def keep(self) -> None:
        """Keep the files of the operation in the embedded service until they expire.

        >>> operation = await client.optimize("report.pdf")
        >>> operation.keep()
        """
        self._operation.keep()

    def __repr__(self) -> str:
        """Return a text with the operation's type and identifier."""
        return repr(self._operation).replace("Operation", "AsyncOperation", 1)
