"""AsyncClient under asyncio, anyio and trio: a cancelled task ends when its call has ended; nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import trio

import recto
from python.loopback import PDF, Hold, Loopback

LARGE = PDF + bytes(8 << 20)
Main = Callable[[recto.AsyncClient], Coroutine[Any, Any, Any]]


def on_asyncio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(main())


def on_anyio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return anyio.run(main, backend="asyncio")


def on_trio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return trio.run(main)


LOOPS = [on_asyncio, on_anyio, on_trio]


def session(run: Any, loopback: Loopback, main: Main, **settings: Any) -> Any:
    async def body() -> Any:
        async with recto.AsyncClient(**loopback.settings(), **settings) as client:
            return await main(client)

    return run(body)


async def reached(hold: Hold) -> None:
    while not hold.reached.is_set():
        await anyio.sleep(0.005)


class Slow:
    """A file object that records when it is written to, and writes slowly."""

    def __init__(self) -> None:
        self.last = 0.0
        self.begun = threading.Event()

    def write(self, data: bytes) -> int:
        self.begun.set()
        time.sleep(0.15)
        self.last = time.monotonic()
        return len(data)


@pytest.mark.parametrize("run", LOOPS)
def test_the_whole_job(run: Any, loopback: Loopback, tmp_path: Path) -> None:
    seen: list[str] = []

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF, on_progress=lambda progress: seen.append(progress.phase))
        assert await operation.save(tmp_path / "out.pdf") == tmp_path / "out.pdf"
        assert b"".join([chunk async for chunk in operation.aiter_bytes(7)]) == PDF
        with pytest.raises(FileNotFoundError):
            await client.optimize(tmp_path / "missing.pdf")
        items = [item async for item in client.batch("optimize", [PDF, tmp_path / "out.pdf"])]
        assert [item.error for item in items] == [None, None]

    session(run, loopback, main)
    assert list(dict.fromkeys(seen)) == ["upload", "wait", "download"]


@pytest.mark.parametrize("run", [on_anyio, on_trio])
def test_a_scope_of_anyio_ends_when_the_thread_has_stopped_writing(
    run: Any, loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.result_bytes = LARGE
    file = Slow()

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF)
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(operation.write_to, file)
                while not file.begun.is_set():
                    await anyio.sleep(0.005)
                scope.cancel()
        ended = time.monotonic()
        assert scope.cancelled_caught
        await anyio.sleep(0.4)
        assert file.last <= ended, "the thread wrote after its task had ended"

    with caplog.at_level(logging.ERROR, logger="asyncio"):
        session(run, loopback, main)
        gc.collect()
    assert caplog.records == []


def test_a_task_that_is_cancelled_again_waits_for_its_thread(
    loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.result_bytes = LARGE
    file = Slow()

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF)
        task = asyncio.ensure_future(operation.write_to(file))
        while not file.begun.is_set():
            await asyncio.sleep(0.005)
        for _ in range(5):
            task.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await task
        ended = time.monotonic()
        await asyncio.sleep(0.4)
        assert file.last <= ended

    with caplog.at_level(logging.ERROR, logger="asyncio"):
        session(on_asyncio, loopback, main)
        gc.collect()
    assert caplog.records == []


@pytest.mark.parametrize("run", LOOPS)
def test_a_call_that_waits_for_a_thread_is_cancelled_at_once(run: Any, loopback: Loopback) -> None:
    hold = loopback.hold("get")

    async def main(client: recto.AsyncClient) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.files.get, "1")
            await reached(hold)
            began = time.monotonic()
            with anyio.move_on_after(0.1) as scope:
                await client.files.get("2")
            assert scope.cancelled_caught
            assert time.monotonic() - began < 0.5
            assert len(loopback.of("get")) == 1
            hold.released.set()

    session(run, loopback, main, concurrency=1)
    assert len(loopback.of("get")) == 1, "the cancelled call was made later"


@pytest.mark.parametrize("run", LOOPS)
def test_a_time_limit_of_the_loop_drops_the_request(run: Any, loopback: Loopback) -> None:
    hold = loopback.hold("result")

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF)
        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.3):
                await operation.result()
        assert await anyio.to_thread.run_sync(hold.dropped.wait, 1)

    session(run, loopback, main)


@pytest.mark.parametrize("run", LOOPS)
def test_asynchronous_sources_are_read_by_the_loop(run: Any, loopback: Loopback) -> None:
    loop_thread = threading.current_thread()

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(PDF), 5):
            await anyio.lowlevel.checkpoint()
            assert threading.current_thread() is loop_thread
            yield PDF[start : start + 5]

    class File:
        name = "/somewhere/scan.pdf"

        def __init__(self) -> None:
            self.rest = PDF

        async def read(self, size: int = -1) -> bytes:
            await anyio.lowlevel.checkpoint()
            size = min(size, 9)
            part, self.rest = self.rest[:size], self.rest[size:]
            return part

    async def main(client: recto.AsyncClient) -> None:
        await client.optimize(chunks())
        await client.optimize(File())
        await client.optimize(("named.pdf", chunks()))
        file_id = await client.files.upload(chunks(), "uploaded.pdf")
        items = [item async for item in client.batch("optimize", [("a.pdf", chunks()), File(), file_id])]
        assert {item.error for item in items} == {None}

    session(run, loopback, main)
    assert set(loopback.files.values()) == {PDF}
    names = {request.json["fileName"] for request in loopback.of("ticket")}
    assert names == {"document.pdf", "scan.pdf", "named.pdf", "uploaded.pdf", "a.pdf"}


@pytest.mark.parametrize("run", LOOPS)
def test_cancelling_while_a_source_is_read(run: Any, loopback: Loopback) -> None:
    ended: list[bool] = []

    async def never() -> AsyncIterator[bytes]:
        try:
            yield PDF
            await anyio.sleep(3600)
        finally:
            ended.append(True)

    async def main(client: recto.AsyncClient) -> None:
        began = time.monotonic()
        with anyio.move_on_after(0.3):
            await client.optimize(never())
        assert time.monotonic() - began < 0.9
        await anyio.sleep(0.05)
        assert ended

    session(run, loopback, main)


@pytest.mark.parametrize("run", LOOPS)
def test_an_exception_of_an_asynchronous_source_is_raised(run: Any, loopback: Loopback) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield PDF
        raise RuntimeError("the listing broke")

    async def main(client: recto.AsyncClient) -> None:
        with pytest.raises(RuntimeError, match="the listing broke"):
            await client.optimize(broken())

    session(run, loopback, main)


@pytest.mark.parametrize("run", LOOPS)
def test_ending_the_iteration_ends_the_download(run: Any, loopback: Loopback) -> None:
    loopback.result_bytes = LARGE
    hold = loopback.hold("download")

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF)
        chunks = operation.aiter_bytes()
        assert (await anext(chunks)).startswith(b"%PDF-")
        await chunks.aclose()  # type: ignore[attr-defined]
        assert await anyio.to_thread.run_sync(hold.dropped.wait, 2)

    session(run, loopback, main)


def test_outside_of_a_loop_the_error_says_which_loops_work() -> None:
    client = recto.AsyncClient(base_url="http://127.0.0.1:1", api_key="k")
    with pytest.raises(RuntimeError, match="asyncio and with trio"):
        client.files.list().send(None)


@pytest.mark.parametrize("run", LOOPS)
def test_a_coroutine_function_is_not_a_progress_callback(run: Any, loopback: Loopback, pdf: Path) -> None:
    async def note(_: recto.Progress) -> None:
        raise AssertionError

    async def main(client: recto.AsyncClient) -> None:
        for callback in (note, lambda progress: note(progress)):
            with pytest.raises(TypeError, match="coroutine function"):
                await client.optimize(PDF, on_progress=callback)
        with pytest.raises(TypeError, match="coroutine function"):
            client.batch("optimize", [pdf], on_progress=note)

    session(run, loopback, main)
