"""`AsyncClient`: the client for asyncio and trio, with the names of `Client`, awaitable.

Each call runs the native client on a thread of the `AsyncClient`, which waits without the GIL. When a task is
cancelled, its request is dropped within 50 ms, and the task ends when the call has ended.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any, Self, Unpack

from recto import _native
from recto._async_handle import AsyncOperation
from recto._async_operations import AsyncOperations
from recto._async_sources import BatchSources, readable
from recto._client import Client
from recto._threads import (
    READING,
    Loop,
    Puller,
    Threads,
    check_callback,
    current_loop,
    native_cancelled,
    notify,
)
from recto._types import AsyncSource, Headers, LocalSettings, OnProgress, Options, Path
from recto._watch import Watch
from recto.records import BatchItem, Comparison, FileId, FileRecord, Progress

__all__ = ["AsyncBatch", "AsyncClient", "AsyncFiles", "AsyncOperation"]


class AsyncClient(AsyncOperations):
    """A client for asyncio and trio: the methods of `Client`, awaitable, with the same settings.

    At most `concurrency` calls run at the same time; further calls wait.

    >>> async with recto.AsyncClient() as client:
    ...     operation = await client.optimize("report.pdf", profile="web")
    ...     await operation.save("small.pdf")
    PosixPath('small.pdf')

    The examples of the methods run in `python -m asyncio`, which accepts `await` at the prompt.
    """

    def __init__(
        self,
        *,
        concurrency: int = 64,
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
        ca_bundle: Path | None = None,
        client_certificate: Path | None = None,
        user_agent: str | None = None,
        json_limit: int | None = None,
        headers: Headers | None = None,
        keep_files: bool = False,
        local: LocalSettings | None = None,
    ) -> None:
        """Take the settings of `Client`."""
        self._client = Client(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            wait_timeout=wait_timeout,
            connect_timeout=connect_timeout,
            stall_timeout=stall_timeout,
            retries=retries,
            retry_unknown=retry_unknown,
            allow_http=allow_http,
            proxy=proxy,
            ca_bundle=ca_bundle,
            client_certificate=client_certificate,
            user_agent=user_agent,
            json_limit=json_limit,
            headers=headers,
            keep_files=keep_files,
            local=local,
        )
        self._threads = Threads(concurrency)

    @classmethod
    def from_env(
        cls,
        *,
        concurrency: int = 64,
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
        ca_bundle: Path | None = None,
        client_certificate: Path | None = None,
        user_agent: str | None = None,
        json_limit: int | None = None,
        headers: Headers | None = None,
        keep_files: bool = False,
        local: LocalSettings | None = None,
    ) -> Self:
        """Make a client from `RECTO_BASE_URL`, `RECTO_API_KEY` and `RECTO_TIMEOUT`; settings given here override them.

        >>> recto.AsyncClient.from_env()
        <recto.AsyncClient of the embedded service>
        """
        return cls(
            concurrency=concurrency,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            wait_timeout=wait_timeout,
            connect_timeout=connect_timeout,
            stall_timeout=stall_timeout,
            retries=retries,
            retry_unknown=retry_unknown,
            allow_http=allow_http,
            proxy=proxy,
            ca_bundle=ca_bundle,
            client_certificate=client_certificate,
            user_agent=user_agent,
            json_limit=json_limit,
            headers=headers,
            keep_files=keep_files,
            local=local,
        )

    @property
    def files(self) -> AsyncFiles:
        """The files in the service."""
        return AsyncFiles(self._client.files, self._threads)

    def operation(self, token: str) -> AsyncOperation:
        """Resume an operation by its token.

        >>> token = (await client.optimize("report.pdf")).token
        >>> (await client.operation(token).result()).status
        'finished'
        """
        return AsyncOperation(self._client.operation(token), self._threads)

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
    ) -> Self:
        """Return a copy of the client with other settings, as `Client.with_options` does; it shares the threads too.

        >>> patient = client.with_options(wait_timeout=3600, retries=10)
        >>> await (await patient.optimize("report.pdf")).save("small.pdf")
        PosixPath('small.pdf')
        """
        copy = type(self).__new__(type(self))
        copy._threads = self._threads
        copy._client = self._client.with_options(
            timeout=timeout,
            wait_timeout=wait_timeout,
            stall_timeout=stall_timeout,
            retries=retries,
            retry_unknown=retry_unknown,
            headers=headers,
            keep_files=keep_files,
        )
        return copy

    async def start(
        self,
        operation: str,
        source: AsyncSource,
        options: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        force: bool = False,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        extra_options: Mapping[str, object] | None = None,
        headers: Headers | None = None,
    ) -> AsyncOperation:
        """Start an operation by its name, with its options as a dict.

        >>> operation = await client.start("optimize", "report.pdf", {"profile": "web"})
        >>> await operation.save("small.pdf")
        PosixPath('small.pdf')
        """
        settings: dict[str, Any] = {
            "name": name,
            "force": force,
            "timeout": timeout,
            "extra_options": extra_options,
            "headers": headers,
        }
        return await self._begin(self._client.start, operation, source, options, on_progress, settings)

    async def run(
        self,
        operation: str,
        source: AsyncSource,
        options: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> AsyncOperation:
        """Start an operation that may be newer than this version, as `Client.run` does.

        >>> operation = await client.run("optimize", "report.pdf", {"profile": "web"})
        >>> await operation.save("small.pdf")
        PosixPath('small.pdf')
        """
        settings: dict[str, Any] = {"name": name, "timeout": timeout, "headers": headers}
        return await self._begin(self._client.run, operation, source, options, on_progress, settings)

    async def _begin(
        self,
        function: Callable[..., _native.Operation],
        operation: str,
        source: AsyncSource,
        options: Mapping[str, object] | None,
        on_progress: OnProgress | None,
        settings: dict[str, Any],
    ) -> AsyncOperation:
        pull = Puller(current_loop())
        started = await self._threads.call(
            function,
            operation,
            readable(source, pull),
            options,
            on_progress=on_progress,
            pull=pull,
            limit=READING,
            **settings,
        )
        return AsyncOperation(started, self._threads, on_progress)

    def batch(
        self,
        operation: str,
        sources: Iterable[AsyncSource] | AsyncIterable[AsyncSource] | Watch,
        *,
        to: Path | None = None,
        relative_to: Path | None = None,
        concurrency: int = 8,
        journal: Path | None = None,
        stop_on_error: bool = False,
        delete_after: bool = False,
        force: bool = False,
        on_progress: OnProgress | None = None,
        extra_options: Mapping[str, object] | None = None,
        headers: Headers | None = None,
        **options: Unpack[Options],
    ) -> AsyncBatch:
        """Process many documents with one operation, as `Client.batch` does; iterate with `async for`.

        A `recto.Watch` in place of the sources stands for the files that arrive in a folder. An asynchronous iterable
        of sources runs on the thread of the event loop, a plain iterable on a thread of the client.

        >>> async for item in client.batch("optimize", ["report.pdf"], to="out", profile="web"):
        ...     print(item.path.name)
        report.pdf
        """
        settings: dict[str, Any] = {
            "to": to,
            "relative_to": relative_to,
            "concurrency": concurrency,
            "journal": journal,
            "stop_on_error": stop_on_error,
            "delete_after": delete_after,
            "force": force,
            "extra_options": extra_options,
            "headers": headers,
            **options,
        }
        make = partial(self._client.batch, operation, **settings)
        return AsyncBatch(make, sources, self._threads, on_progress)

    async def compare(
        self,
        first: AsyncSource,
        second: AsyncSource,
        *,
        to: Path | None = None,
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
    ) -> Comparison:
        """Compare the pages of two documents as pictures, as `Client.compare` does.

        >>> comparison = await client.compare("report.pdf", "report.pdf")
        >>> comparison.same
        True
        """
        pull = Puller(current_loop())
        return await self._threads.call(
            self._client.compare,
            readable(first, pull),
            readable(second, pull),
            on_progress=on_progress,
            pull=pull,
            limit=READING,
            to=to,
            only_differing=only_differing,
            overwrite=overwrite,
            tolerance=tolerance,
            threshold=threshold,
            max_pages=max_pages,
            password=password,
            delete_after=delete_after,
            timeout=timeout,
            headers=headers,
        )

    async def close(self) -> None:
        """End the client; calls that are running end with `Cancelled`. A copy of the client ends with it.

        >>> client = recto.AsyncClient()
        >>> await client.close()
        """
        await self._threads.apart(self._client.close)
        self._threads.shutdown()

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the client."""
        await self.close()

    def __repr__(self) -> str:
        """Return a text with the address of the service."""
        return repr(self._client).replace("Client", "AsyncClient", 1)

    def __reduce__(self) -> Any:
        """Raise an error, as `Client` does: a client contains the key."""
        return self._client.__reduce__()


class AsyncBatch:
    """The documents of a batch: the items of `Batch`, for `async for`.

    Cancelling a task that waits for an item ends the batch.

    >>> async with client.batch("optimize", ["report.pdf"], to="out") as batch:
    ...     [item.path.name async for item in batch]
    ['report.pdf']
    """

    __slots__ = ("_batch", "_loop", "_on_progress", "_pull", "_raised", "_threads")

    _loop: Loop  # set before the batch pulls a source or reports progress

    def __init__(
        self,
        make: Callable[..., _native.Batch],
        sources: Iterable[AsyncSource] | AsyncIterable[AsyncSource] | Watch,
        threads: Threads,
        on_progress: OnProgress | None,
    ) -> None:
        """Make the blocking batch."""
        check_callback(on_progress)
        self._threads = threads
        self._on_progress = on_progress
        self._raised: BaseException | None = None
        self._pull = Puller()
        # A single document is refused by the blocking batch. A folder that is watched needs no thread for its files.
        if isinstance(sources, str | bytes | bytearray | PathLike | Watch):
            several: Any = sources
        else:
            several = BatchSources(sources, self._pull)
        self._batch = make(several, on_progress=None if on_progress is None else self._pass_on)

    def _pass_on(self, progress: Progress) -> None:
        self._loop.soon(self._report, progress)

    def _report(self, progress: Progress) -> None:
        try:
            if self._on_progress is not None and self._raised is None:
                notify(self._on_progress, progress)
        except BaseException as error:  # raised again by `__anext__`
            self._raised = error
            self._stop()

    def _stop(self) -> None:
        # The documents in progress are cancelled at once. If a thread is waiting for an item, that thread ends the
        # batch.
        self._pull.cancel()
        self._batch.close()

    def __len__(self) -> int:
        """Return the number of sources; `TypeError` if they have no length."""
        return len(self._batch)

    def __bool__(self) -> bool:
        """Return true even if there are no documents."""
        return True

    def __aiter__(self) -> Self:
        """Return the batch itself."""
        return self

    async def __anext__(self) -> BatchItem:
        """Wait for the outcome of the next document."""
        self._loop = self._pull.loop = current_loop()
        try:
            work: Callable[[], BatchItem | None] = partial(next, self._batch, None)
            item = await self._threads.run(work, self._stop, READING, loop=self._loop)
        except native_cancelled():
            if self._raised is not None:
                raise self._raised from None
            raise
        if self._raised is not None:
            raise self._raised
        if item is None:
            raise StopAsyncIteration
        return item

    def stop(self) -> None:
        """Take no further documents; the batch ends when those in progress have ended.

        >>> batch = client.batch("optimize", ["report.pdf"])
        >>> batch.stop()
        >>> [item async for item in batch]
        []
        """
        self._batch.stop()

    async def close(self) -> None:
        """End the batch and cancel the documents in progress.

        >>> batch = client.batch("optimize", ["report.pdf"])
        >>> await batch.close()
        """
        await self._threads.apart(self._stop)

    async def __aenter__(self) -> Self:
        """Return the batch itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the batch."""
        await self.close()

    def __repr__(self) -> str:
        """Return a text with the progress."""
        return repr(self._batch).replace("Batch", "AsyncBatch", 1)


class AsyncFiles:
    """The files in the service: the methods of `Files`, awaitable.

    >>> file_id = await client.files.upload("report.pdf")
    >>> (await client.files.get(file_id)).name
    'report.pdf'
    """

    __slots__ = ("_files", "_threads")

    def __init__(self, files: _native.Files, threads: Threads) -> None:
        """Wrap the blocking methods."""
        self._files = files
        self._threads = threads

    async def upload(
        self,
        source: AsyncSource,
        name: str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        headers: Headers | None = None,
    ) -> FileId:
        """Send a document to the service and return its identifier.

        >>> file_id = await client.files.upload(b"%PDF-1.7 ...", "report.pdf")
        """
        pull = Puller(current_loop())
        return await self._threads.call(
            self._files.upload,
            readable(source, pull),
            name,
            timeout=timeout,
            on_progress=on_progress,
            headers=headers,
            pull=pull,
            limit=READING,
        )

    async def upload_from_url(
        self, url: str, *, timeout: float | None = None, headers: Headers | None = None
    ) -> FileId:
        """Let the service fetch a document and return its identifier.

        >>> file_id = await client.files.upload_from_url("https://www.example.org/report.pdf")
        """
        return await self._threads.call(self._files.upload_from_url, url, timeout=timeout, headers=headers)

    async def list(
        self,
        only_result_files: bool = False,
        *,
        timeout: float | None = None,
        headers: Headers | None = None,
    ) -> builtins.list[FileRecord]:
        """List the files in the service.

        >>> file_id = await client.files.upload("report.pdf")
        >>> file_id in [record.id for record in await client.files.list()]
        True
        """
        return await self._threads.call(self._files.list, only_result_files, timeout=timeout, headers=headers)

    async def get(
        self, file_id: str, *, timeout: float | None = None, headers: Headers | None = None
    ) -> FileRecord:
        """Return the record of a file.

        >>> (await client.files.get(await client.files.upload("report.pdf"))).extension
        'pdf'
        """
        return await self._threads.call(self._files.get, file_id, timeout=timeout, headers=headers)

    async def delete(
        self, file_id: str, *, timeout: float | None = None, headers: Headers | None = None
    ) -> builtins.list[FileRecord]:
        """Delete a file and return the records in the service's response.

        >>> file_id = await client.files.upload("report.pdf")
        >>> remaining = await client.files.delete(file_id)
        """
        return await self._threads.call(self._files.delete, file_id, timeout=timeout, headers=headers)
