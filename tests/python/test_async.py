"""AsyncClient: the names of Client, awaitable; cancelling a task cancels its request."""

from __future__ import annotations

import asyncio
import inspect
import io
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import PDF, Hold, Loopback
from recto import aio

LARGE = PDF + bytes(8 << 20)


def run(main: Callable[[recto.AsyncClient], Coroutine[Any, Any, Any]], loopback: Loopback) -> Any:
    async def session() -> Any:
        async with recto.AsyncClient(**loopback.settings()) as client:
            return await main(client)

    return asyncio.run(session())


async def reached(hold: Hold) -> None:
    while not hold.reached.is_set():
        await asyncio.sleep(0.005)


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize(
    ("blocking", "awaitable"),
    [
        (recto.Client, aio.AsyncClient),
        (recto.Operation, aio.AsyncOperation),
        (recto.Files, aio.AsyncFiles),
        (recto.Batch, aio.AsyncBatch),
    ],
)
def test_the_names_are_those_of_the_blocking_client(blocking: type, awaitable: type) -> None:
    renamed = {"iter_bytes": "aiter_bytes"}
    assert {renamed.get(name, name) for name in public(blocking)} == public(awaitable)
    for name in public(blocking) - set(renamed):
        ours, theirs = getattr(awaitable, name), getattr(blocking, name)
        if callable(theirs) and name not in ("from_env", "close", "operation", "start", "run"):
            wanted = [
                parameter for parameter in inspect.signature(theirs).parameters if parameter != "cancel"
            ]
            assert list(inspect.signature(ours).parameters) == wanted, name


def test_upload_operation_and_download(tmp_path: Path, loopback: Loopback) -> None:
    async def main(client: recto.AsyncClient) -> None:
        file_id = await client.files.upload(PDF)
        assert (await client.files.get(file_id)).name == "document.pdf"
        assert [record.id for record in await client.files.list()] == [file_id]
        operation = await client.optimize(recto.FileId(file_id), profile="web")
        assert operation.type is recto.OperationType.OPTIMIZE
        assert await operation.status() == "finished"
        assert (await operation.result()).output is not None
        assert await operation.read() == PDF
        assert await operation.save(tmp_path) == tmp_path / "result.pdf"
        buffer = io.BytesIO()
        assert await operation.write_to(buffer) == len(PDF)
        assert await client.operation(operation.token).read() == PDF
        assert await client.start("optimize", PDF, {"profile": "web"})
        assert await client.files.delete(file_id) is not None

    run(main, loopback)


def test_many_calls_run_at_the_same_time(loopback: Loopback) -> None:
    hold = loopback.hold("get")

    async def main(client: recto.AsyncClient) -> None:
        calls = [asyncio.ensure_future(client.files.get(str(number))) for number in range(40)]
        while len(loopback.of("get")) < 40:
            await asyncio.sleep(0.01)
        hold.released.set()
        assert [record.id for record in await asyncio.gather(*calls)] == [str(number) for number in range(40)]

    run(main, loopback)


CALLS: dict[str, tuple[str, Callable[[recto.AsyncClient], Awaitable[object]]]] = {
    "small request": ("get", lambda client: client.files.get("1")),
    "upload": ("put", lambda client: client.optimize(LARGE)),
    "wait": ("result", lambda client: then(client.optimize(PDF), lambda operation: operation.result())),
    "download": ("download", lambda client: then(client.optimize(PDF), lambda operation: operation.read())),
}


async def then(first: Awaitable[Any], second: Callable[[Any], Awaitable[Any]]) -> Any:
    return await second(await first)


@pytest.mark.parametrize("name", CALLS)
def test_cancelling_a_task_cancels_its_request(name: str, loopback: Loopback) -> None:
    step, call = CALLS[name]
    hold = loopback.hold(step)

    async def main(client: recto.AsyncClient) -> None:
        task = asyncio.ensure_future(call(client))
        await reached(hold)
        await asyncio.sleep(0.12)
        cancelled = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - cancelled < 0.1
        assert await asyncio.to_thread(hold.dropped.wait, 1)
        assert hold.dropped_at - cancelled < 0.2

    run(main, loopback)


def test_a_timeout_of_asyncio_cancels_the_request(loopback: Loopback) -> None:
    hold = loopback.hold("result")

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(PDF)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await operation.result()
        assert await asyncio.to_thread(hold.dropped.wait, 1)

    run(main, loopback)


def test_the_event_loop_runs_while_calls_wait(loopback: Loopback) -> None:
    hold = loopback.hold("get")

    async def main(client: recto.AsyncClient) -> None:
        task = asyncio.ensure_future(client.files.get("1"))
        await reached(hold)
        worst = 0.0
        for _ in range(100):
            began = time.monotonic()
            await asyncio.sleep(0.001)
            worst = max(worst, time.monotonic() - began)
        hold.released.set()
        await task
        assert worst < 0.2

    run(main, loopback)


def test_progress_is_reported_on_the_thread_of_the_loop(loopback: Loopback) -> None:
    loopback.result_bytes = LARGE
    seen: list[recto.Progress] = []
    threads: set[threading.Thread] = set()

    def note(progress: recto.Progress) -> None:
        seen.append(progress)
        threads.add(threading.current_thread())

    async def main(client: recto.AsyncClient) -> None:
        operation = await client.optimize(LARGE, on_progress=note)
        assert seen[-1].done == len(LARGE), "the end was reported after the call"
        await operation.read()

    run(main, loopback)
    assert threads == {threading.current_thread()}
    assert list(dict.fromkeys(progress.phase for progress in seen)) == ["upload", "wait", "download"]


@pytest.mark.parametrize("phase", ["upload", "download"])
def test_an_exception_of_a_progress_callback_is_raised(phase: str, loopback: Loopback) -> None:
    loopback.result_bytes = LARGE
    error = RuntimeError("from the callback")

    def stop(progress: recto.Progress) -> None:
        if progress.phase == phase:
            raise error

    async def main(client: recto.AsyncClient) -> None:
        with pytest.raises(RuntimeError) as caught:
            await (await client.optimize(LARGE, on_progress=stop)).read()
        assert caught.value is error

    run(main, loopback)


def test_errors_are_those_of_the_blocking_client(loopback: Loopback) -> None:
    loopback.answer("get", 404)

    async def main(client: recto.AsyncClient) -> None:
        with pytest.raises(recto.NotFound):
            await client.files.get("1")
        with pytest.raises(recto.InvalidRequest):
            await client.optimize(PDF, profile="wbe")  # type: ignore[arg-type]
        with pytest.raises(FileNotFoundError):
            await client.optimize("missing.pdf")

    run(main, loopback)


def test_closing_cancels_running_calls(loopback: Loopback) -> None:
    hold = loopback.hold("get")

    async def main() -> None:
        client = recto.AsyncClient(**loopback.settings())
        task = asyncio.ensure_future(client.files.get("1"))
        await reached(hold)
        await client.close()
        with pytest.raises(recto.Cancelled):
            await task
        with pytest.raises(recto.ConfigError, match="closed"):
            await client.files.get("1")

    asyncio.run(main())


def test_a_program_that_does_not_close_its_client_ends(loopback: Loopback) -> None:
    hold = loopback.hold("result")

    async def main() -> None:
        client = recto.AsyncClient(**loopback.settings())
        task = asyncio.ensure_future((await client.optimize(PDF)).result())
        await reached(hold)
        assert not task.done()

    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 2
    assert hold.dropped.wait(1)


def test_the_embedded_service_works_with_asyncio(report: Path) -> None:
    async def main() -> None:
        async with recto.AsyncClient() as client:
            ids = await asyncio.gather(*[client.files.upload(report) for _ in range(4)])
            assert {record.id for record in await client.files.list()} == set(ids)

    asyncio.run(main())


@pytest.fixture
def pdfs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number:02}.pdf" for number in range(12)]
    for path in paths:
        path.write_bytes(PDF)
    return paths


@pytest.mark.parametrize("kind", ["list", "generator", "asynchronous generator"])
def test_a_batch_is_iterated_by_the_loop(
    kind: str, pdfs: list[Path], tmp_path: Path, loopback: Loopback
) -> None:
    threads: set[threading.Thread] = set()
    seen: list[int] = []

    async def listed() -> AsyncIterator[Path]:
        for path in pdfs:
            await asyncio.sleep(0)
            threads.add(threading.current_thread())
            yield path

    def note(progress: recto.Progress) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append(progress.done)

    async def main(client: recto.AsyncClient) -> None:
        sources: Any = {"list": pdfs, "generator": iter(pdfs), "asynchronous generator": listed()}[kind]
        batch = client.batch("optimize", sources, to=tmp_path / "out", profile="web", on_progress=note)
        items = [item async for item in batch]
        assert sorted(item.source for item in items) == pdfs
        assert {item.error for item in items} == {None}
        assert repr(batch).startswith("<recto.AsyncBatch optimize: 12 ")
        with pytest.raises(StopAsyncIteration):
            await anext(batch)

    run(main, loopback)
    assert len(list((tmp_path / "out").iterdir())) == 12
    assert seen == list(range(13))
    assert threads <= {threading.main_thread()}


@pytest.mark.parametrize("waits_for", ["result", "sources"])
def test_cancelling_a_task_ends_its_batch(waits_for: str, pdfs: list[Path], loopback: Loopback) -> None:
    hold = loopback.hold("result")
    cancelled_sources = asyncio.Event()

    async def slow() -> AsyncIterator[Path]:
        try:
            yield pdfs[0]
            await asyncio.sleep(3600)
        finally:
            cancelled_sources.set()

    async def main(client: recto.AsyncClient) -> None:
        batch = client.batch("optimize", slow() if waits_for == "sources" else pdfs, concurrency=2)
        task = asyncio.ensure_future(anext(batch))
        await reached(hold)
        await asyncio.sleep(0.12)
        cancelled = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - cancelled < 0.2
        assert await asyncio.to_thread(hold.dropped.wait, 1)
        with pytest.raises((StopAsyncIteration, recto.Cancelled)):
            await anext(batch)
        assert (await client.files.get("1")).id == "1"
        assert cancelled_sources.is_set() == (waits_for == "sources")

    run(main, loopback)


def test_a_batch_ends_with_its_block_and_with_an_exception_of_its_callback(
    pdfs: list[Path], loopback: Loopback
) -> None:
    def stop(progress: recto.Progress) -> None:
        if progress.done == 2:
            raise RuntimeError("enough")

    async def main(client: recto.AsyncClient) -> None:
        async with client.batch("optimize", pdfs, concurrency=2) as batch:
            assert (await anext(batch)).error is None
        with pytest.raises(StopAsyncIteration):
            await anext(batch)
        batch = client.batch("optimize", pdfs, concurrency=2, on_progress=stop)
        with pytest.raises(RuntimeError, match="enough"):
            [item async for item in batch]
        with pytest.raises(TypeError, match="several paths"):
            client.batch("optimize", "in.pdf")

    run(main, loopback)


def test_an_exception_of_an_asynchronous_generator_is_raised(pdfs: list[Path], loopback: Loopback) -> None:
    async def broken() -> AsyncIterator[Path]:
        yield pdfs[0]
        raise RuntimeError("the listing broke")

    async def main(client: recto.AsyncClient) -> None:
        batch = client.batch("optimize", broken())
        assert (await anext(batch)).source == pdfs[0]
        with pytest.raises(RuntimeError, match="the listing broke"):
            await anext(batch)

    run(main, loopback)
