"""Sources that only an event loop can read: asynchronous iterables and asynchronous file objects.

A thread of the client reads the document of a call. For these sources it asks the event loop for each chunk.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, cast

from recto._threads import Puller

CHUNK = 256 * 1024
"""The bytes that are read at once from an asynchronous file object."""


def readable(source: Any, pull: Puller) -> Any:
    """Return the source in a form that a thread can read."""
    handle = getattr(source, "_operation", None)
    if handle is not None:
        return handle  # an AsyncOperation
    if isinstance(source, tuple):
        return _with_name(source, pull)
    read = getattr(source, "read", None)
    if inspect.iscoroutinefunction(read):
        if hasattr(source, "filename") and hasattr(getattr(source, "file", None), "read"):
            return source  # an UploadFile: its `file` is an ordinary file object
        return _named(source, _read(source, pull))
    if read is None and hasattr(source, "__aiter__"):
        return _named(source, _iterate(aiter(source), pull))
    return source


def _with_name(parts: Any, pull: Puller) -> Any:
    return (parts[0], _without_name(readable(parts[1], pull))) if len(parts) == 2 else parts


def _without_name(source: Any) -> Any:
    return cast("tuple[Any, Any]", source)[1] if isinstance(source, tuple) else source


def _named(source: Any, chunks: Iterator[bytes]) -> Any:
    """Add the file name of the source to its chunks, if it has one."""
    for attribute in ("filename", "name"):
        name = getattr(source, attribute, None)
        if isinstance(name, str | bytes) and name:
            return (os.path.basename(os.fsdecode(name)), chunks)  # noqa: PTH119 (a name, not a path)
    return chunks


def _read(file: Any, pull: Puller) -> Iterator[bytes]:
    while True:
        chunk = pull(lambda: file.read(CHUNK))
        if not chunk:
            return
        yield chunk


def _iterate(iterator: AsyncIterator[Any], pull: Puller) -> Iterator[Any]:
    async def following() -> tuple[Any, ...]:
        try:
            return (await anext(iterator),)
        except StopAsyncIteration:
            return ()

    while True:
        item = pull(following)
        if not item:
            return
        yield item[0]


class BatchSources:
    """The sources of a batch, each in a form that a thread can read."""

    def __init__(self, sources: Iterable[Any] | AsyncIterable[Any], pull: Puller) -> None:
        """Keep the sources; nothing is read yet."""
        self._sources = sources
        self._pull = pull

    def __len__(self) -> int:
        """Return the number of sources, if they have a length."""
        return len(self._sources)  # type: ignore[arg-type]  # without a length: TypeError

    def __iter__(self) -> Iterator[Any]:
        """Iterate on a thread of the client."""
        sources = self._sources
        each = _iterate(aiter(sources), self._pull) if isinstance(sources, AsyncIterable) else sources
        for source in each:
            yield readable(source, self._pull)
