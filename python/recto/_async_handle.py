"""`AsyncOperation`, and the threads that run the blocking calls of an `AsyncClient`.

`recto.aio` has the public names. This module does not import it: the generated methods of `AsyncClient` use
`AsyncOperation` too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path as PathlibPath
from typing import Any, TypeVar

from recto import _native
from recto._types import OnProgress, Path, Socket, Writer
from recto.enums import OperationType
from recto.records import Progress, Result

T = TypeVar("T")


class Threads:
    """Runs blocking calls for asyncio."""

    def __init__(self, concurrency: int) -> None:
        self._executor: ThreadPoolExecutor | None = ThreadPoolExecutor(
            concurrency, thread_name_prefix="recto"
        )

    async def call(
        self, function: Callable[..., T], *args: Any, on_progress: OnProgress | None = None, **kwargs: Any
    ) -> T:
        """Await `function(*args, **kwargs)`; `on_progress` is called on the loop's thread."""
        loop = asyncio.get_running_loop()
        cancel = _native.Cancel()
        raised: list[BaseException] = []

        def report(progress: Progress) -> None:
            try:
                if on_progress is not None and not raised:
                    on_progress(progress)
            except BaseException as error:  # raised again after the call
                raised.append(error)
                cancel.cancel()

        if on_progress is not None:

            def pass_on(progress: Progress) -> None:
                loop.call_soon_threadsafe(report, progress)

            kwargs["on_progress"] = pass_on
        try:
            outcome = await self.run(partial(function, *args, cancel=cancel, **kwargs), cancel.cancel)
        except native_cancelled():
            if raised:
                raise raised[0] from None
            raise
        if raised:
            raise raised[0]
        return outcome

    async def run(self, function: Callable[[], T], stop: Callable[[], None]) -> T:
        """Await `function()`; if the task is cancelled, `stop()` ends it."""
        if self._executor is None:
            return function()  # the client is closed: this raises at once
        running = asyncio.get_running_loop().run_in_executor(self._executor, function)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            stop()
            # Once the cancelled task ends, the caller may use the source and the output of the call again, so wait
            # for the call to end. The timeout is for a call that is blocked forever by a file object.
            await asyncio.wait([running], timeout=1)
            _retrieve(running)
            raise

    def shutdown(self) -> None:
        """Let each thread end when its running call has ended."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None


def native_cancelled() -> type[Exception]:
    from recto.errors import Cancelled

    return Cancelled


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Retrieve the outcome that nothing awaits; asyncio logs exceptions that are never retrieved."""
    if future.done() and not future.cancelled():
        future.exception()


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
        """The token that resumes the operation in another process: `client.operation(token)`."""
        return self._operation.token

    def _call(
        self, function: Callable[..., T], *args: Any, on_progress: OnProgress | None, **kwargs: Any
    ) -> Awaitable[T]:
        """Await a method of the handle, with `on_progress` or else the callback that the operation started with."""
        return self._threads.call(function, *args, on_progress=on_progress or self._on_progress, **kwargs)

    async def status(self, *, timeout: float | None = None) -> str:
        """Request the status once.

        >>> operation = await client.optimize("report.pdf")
        >>> await operation.status() in ("inProgress", "finished")
        True
        """
        return await self._threads.call(self._operation.status, timeout=timeout)

    async def result(
        self,
        timeout: float | None = None,
        *,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """Wait for the result.

        >>> (await (await client.optimize("report.pdf")).result(timeout=300)).output.name
        'report.pdf'
        """
        return await self._call(
            self._operation.result, timeout=timeout, wait_timeout=wait_timeout, on_progress=on_progress
        )

    async def save(
        self,
        path: Path,
        *,
        overwrite: bool = True,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
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
            on_progress=on_progress,
        )

    async def read(
        self,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> bytes:
        """Wait for the result and return its file's bytes.

        >>> (await (await client.optimize("report.pdf")).read()).startswith(b"%PDF-")
        True
        """
        return await self._call(
            self._operation.read, timeout=timeout, wait_timeout=wait_timeout, on_progress=on_progress
        )

    async def write_to(
        self,
        file: Writer | Socket,
        *,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        on_progress: OnProgress | None = None,
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
            on_progress=on_progress,
        )

    def __repr__(self) -> str:
        """Return a text with the operation's type and identifier."""
        return repr(self._operation).replace("Operation", "AsyncOperation", 1)
