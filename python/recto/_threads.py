"""Runs the blocking calls of an `AsyncClient` on threads, for asyncio and for trio.

When a task is cancelled, its call is cancelled too, and the task ends when the call has ended. A library that cancels
a task again and again until it ends, as anyio does, cannot end it earlier. A call that waits for a thread is dropped at
once.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, TypeVar

from recto import _native
from recto._imports import load
from recto._types import OnProgress
from recto.records import Progress

T = TypeVar("T")

READING = 1.0
"""The seconds for which a cancelled task waits for a call that may be blocked by a file object it reads from."""


class Loop(Protocol):
    """The event loop of a task."""

    def soon(self, function: Callable[..., object], *args: object) -> None:
        """Call a function on the thread of the loop. Any thread may call this."""

    async def wait(self, running: Future[T], stop: Callable[[], None], limit: float | None) -> T:
        """Wait for a call on a thread.

        If the task is cancelled, `stop()` ends the call; the task then waits for its end, at most `limit` seconds.
        """
        raise NotImplementedError

    def begin(self, function: Callable[[], Awaitable[T]]) -> tuple[Future[T], Callable[[], None]]:
        """Run a coroutine function on the loop, from another thread. Returns its future and a cancel function."""
        raise NotImplementedError


class AsyncioLoop:
    """The running loop of asyncio."""

    def __init__(self) -> None:
        """Find the loop."""
        self._loop = asyncio.get_running_loop()

    def soon(self, function: Callable[..., object], *args: object) -> None:
        """Call a function on the thread of the loop; do nothing if the loop has ended."""
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(function, *args)
            except RuntimeError:  # closed in the meantime: nothing waits for the function
                return

    async def wait(self, running: Future[T], stop: Callable[[], None], limit: float | None) -> T:
        """Wait for a call on a thread."""
        ended = asyncio.Event()
        running.add_done_callback(lambda _: self.soon(ended.set))
        try:
            await ended.wait()
        except asyncio.CancelledError:
            stop()
            if not running.cancel():
                timer = None if limit is None else self._loop.call_later(limit, ended.set)
                while not ended.is_set():
                    try:
                        await ended.wait()
                    except asyncio.CancelledError:
                        continue  # cancelled again; the first cancellation is raised when the call has ended
                if timer is not None:
                    timer.cancel()
            raise
        return running.result()

    def begin(self, function: Callable[[], Awaitable[T]]) -> tuple[Future[T], Callable[[], None]]:
        """Run a coroutine function on the loop."""

        async def run() -> T:
            return await function()

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        return future, partial(_cancel, future)


class TrioLoop:
    """The run of trio that the current task belongs to."""

    def __init__(self) -> None:
        """Find the run."""
        import trio

        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()

    def soon(self, function: Callable[..., object], *args: object) -> None:
        """Call a function on the thread of trio; do nothing if the run has ended."""
        try:
            self._token.run_sync_soon(partial(function, *args))
        except self._trio.RunFinishedError:
            return

    async def wait(self, running: Future[T], stop: Callable[[], None], limit: float | None) -> T:
        """Wait for a call on a thread."""
        ended = self._trio.Event()
        running.add_done_callback(lambda _: self.soon(ended.set))
        try:
            await ended.wait()
        except self._trio.Cancelled:
            stop()
            if not running.cancel():
                with self._trio.CancelScope(shield=True) as scope:
                    if limit is not None:
                        scope.deadline = self._trio.current_time() + limit
                    await ended.wait()
            raise
        return running.result()

    def begin(self, function: Callable[[], Awaitable[T]]) -> tuple[Future[T], Callable[[], None]]:
        """Run a coroutine function in a system task of trio."""
        future: Future[T] = Future()
        scope = self._trio.CancelScope()

        async def run() -> None:
            try:
                with scope:
                    future.set_result(await function())
            except BaseException as error:  # raised by the thread that waits for the future
                future.set_exception(error)
            if not future.done():
                future.set_exception(CancelledError())

        self.soon(partial(self._trio.lowlevel.spawn_system_task, run))
        return future, partial(self.soon, scope.cancel)


def _cancel(future: Future[Any]) -> None:
    future.cancel()


def current_loop() -> Loop:
    """Return the event loop of the running task."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        return TrioLoop()
    try:
        return AsyncioLoop()
    except RuntimeError:
        raise RuntimeError(
            "recto.AsyncClient works with asyncio and with trio; await its methods in a task of one of them, "
            "or use recto.Client"
        ) from None


def check_callback(on_progress: OnProgress | None) -> None:
    """Refuse a coroutine function: nothing would await its coroutines."""
    called = getattr(on_progress, "__call__", None)  # noqa: B004 (an object with `async def __call__`)
    if inspect.iscoroutinefunction(on_progress) or inspect.iscoroutinefunction(called):
        raise _not_awaited()


def notify(on_progress: OnProgress, progress: Progress) -> None:
    """Call a progress callback."""
    returned = on_progress(progress)
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        raise _not_awaited()


def _not_awaited() -> TypeError:
    return TypeError(
        "on_progress is a coroutine function (async def), which nothing would await; "
        "give an ordinary function (def)"
    )


def native_cancelled() -> type[Exception]:
    """Return the class `Cancelled`, which is imported when it is first needed."""
    cancelled: type[Exception] = load("recto.errors", "Cancelled")
    return cancelled


class Puller:
    """Runs coroutine functions on the event loop for a call that runs on a thread."""

    def __init__(self, loop: Loop | None = None) -> None:
        """Set the loop; it may also be set later, before the first call."""
        self.loop = loop
        self._running: dict[Future[Any], Callable[[], None]] = {}
        self._cancelled = threading.Event()

    def __call__(self, function: Callable[[], Awaitable[T]]) -> T:
        """Return what the coroutine returns; `CancelledError` is raised after `cancel()`."""
        if self.loop is None or self._cancelled.is_set():
            raise CancelledError
        future, cancel = self.loop.begin(function)
        self._running[future] = cancel
        if self._cancelled.is_set():  # since the first check
            cancel()
        try:
            return future.result()
        finally:
            self._running.pop(future, None)

    def cancel(self) -> None:
        """Cancel the coroutines that are running, and refuse further ones."""
        self._cancelled.set()
        for cancel in list(self._running.values()):
            cancel()


class Threads:
    """The threads of a client: at most `concurrency` calls run at the same time."""

    def __init__(self, concurrency: int) -> None:
        """Start no thread yet."""
        self._executor: ThreadPoolExecutor | None = ThreadPoolExecutor(
            concurrency, thread_name_prefix="recto"
        )

    async def call(
        self,
        function: Callable[..., T],
        *args: Any,
        on_progress: OnProgress | None = None,
        pull: Puller | None = None,
        limit: float | None = None,
        **kwargs: Any,
    ) -> T:
        """Await `function(*args, **kwargs)`; `on_progress` is called on the loop's thread."""
        loop = current_loop()
        cancel = _native.Cancel()
        raised: list[BaseException] = []
        check_callback(on_progress)

        def report(progress: Progress) -> None:
            try:
                if on_progress is not None and not raised:
                    notify(on_progress, progress)
            except BaseException as error:  # raised again below
                raised.append(error)
                cancel.cancel()

        def stop() -> None:
            cancel.cancel()
            if pull is not None:
                pull.cancel()

        if on_progress is not None:
            kwargs["on_progress"] = partial(loop.soon, report)
        try:
            work = partial(function, *args, cancel=cancel, **kwargs)
            outcome = await self.run(work, stop, limit, loop=loop)
        except native_cancelled():
            if raised:
                raise raised[0] from None
            raise
        if raised:
            raise raised[0]
        return outcome

    async def run(
        self,
        function: Callable[[], T],
        stop: Callable[[], None],
        limit: float | None = None,
        *,
        loop: Loop | None = None,
    ) -> T:
        """Await `function()`; if the task is cancelled, `stop()` ends it."""
        if self._executor is None:
            return function()  # the client is closed: the call raises `ConfigError`
        running = self._executor.submit(function)
        return await (loop or current_loop()).wait(running, stop, limit)

    async def apart(self, function: Callable[[], T]) -> T:
        """Await a short function on a thread of its own, even if all threads of the client are in use."""
        loop = current_loop()
        running: Future[T] = Future()

        def work() -> None:
            try:
                running.set_result(function())
            except BaseException as error:  # raised by the task that waits for the future
                running.set_exception(error)

        running.set_running_or_notify_cancel()
        threading.Thread(target=work, name="recto-close").start()
        return await loop.wait(running, lambda: None, None)

    def shutdown(self) -> None:
        """Let each thread end with its running call."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None
