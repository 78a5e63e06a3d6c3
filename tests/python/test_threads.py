"""Threads: the GIL is free while a call waits, clients are shared, and closing cancels running calls."""

from __future__ import annotations

import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import recto
from python.loopback import PDF, Loopback

LARGE = PDF + bytes(32 << 20)
CALLS: dict[str, tuple[str, Callable[[recto.Client], object]]] = {
    "small request": ("get", lambda client: client.files.get("1")),
    "upload": ("put", lambda client: client.optimize(LARGE)),
    "wait": ("result", lambda client: client.optimize(PDF).result()),
    "download": ("download", lambda client: client.optimize(PDF).read()),
}


class InThread(threading.Thread):
    """A call in a thread, and its outcome."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.call = call
        self.outcome: Any = None
        self.ended = 0.0
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self.call()
        except BaseException as error:
            self.outcome = error
        self.ended = time.monotonic()


@pytest.mark.parametrize("name", CALLS)
def test_another_thread_runs_while_a_call_waits(name: str, loopback: Loopback, remote: recto.Client) -> None:
    step, call = CALLS[name]
    hold = loopback.hold(step)
    waiting = InThread(lambda: call(remote))
    assert hold.reached.wait(10)
    began, steps = time.monotonic(), 0
    while time.monotonic() - began < 0.3:
        steps += 1
    gaps = []
    last = time.monotonic()
    for _ in range(200):
        time.sleep(0.001)
        now = time.monotonic()
        gaps.append(now - last)
        last = now
    assert waiting.is_alive(), waiting.outcome
    # If the call held the GIL, this thread would stop completely. A busy machine only slows the thread down.
    assert steps > 1_000
    assert sorted(gaps)[-20] < 0.05, "the GIL was held"


@pytest.mark.parametrize("name", CALLS)
def test_closing_from_another_thread_ends_the_call(name: str, loopback: Loopback) -> None:
    step, call = CALLS[name]
    hold = loopback.hold(step)
    client = recto.Client(**loopback.settings())
    waiting = InThread(lambda: call(client))
    assert hold.reached.wait(10)
    closed = time.monotonic()
    client.close()
    waiting.join(5)
    assert isinstance(waiting.outcome, recto.Cancelled), waiting.outcome
    assert "closed" in str(waiting.outcome)
    assert waiting.ended - closed < 0.15
    assert hold.dropped.wait(1)


def test_closing_ends_a_call_at_the_embedded_service(report: Any) -> None:
    client = recto.Client()
    operation = client.optimize(report)
    waiting = InThread(lambda: [operation.status() for _ in range(1_000_000)])
    time.sleep(0.1)
    client.close()
    waiting.join(5)
    assert isinstance(waiting.outcome, (recto.Cancelled, recto.ConfigError)), waiting.outcome


def test_a_cancel_ends_only_its_own_calls(loopback: Loopback, remote: recto.Client) -> None:
    hold = loopback.hold("get")
    cancel, other = recto.Cancel(), recto.Cancel()
    ours = InThread(lambda: remote.files.get("1", cancel=cancel))
    theirs = InThread(lambda: remote.files.get("2", cancel=other))
    assert hold.reached.wait(10)
    cancel.cancel()
    ours.join(5)
    assert isinstance(ours.outcome, recto.Cancelled)
    assert cancel.is_cancelled
    assert theirs.is_alive()
    hold.released.set()
    theirs.join(5)
    assert theirs.outcome.id == "2"


def test_threads_share_one_client(loopback: Loopback, remote: recto.Client) -> None:
    def job(number: int) -> bytes:
        file_id = remote.files.upload(PDF + str(number).encode(), f"{number}.pdf")
        assert remote.files.get(file_id).name == f"{number}.pdf"
        return remote.optimize(file_id).read()

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(job, range(64))) == [PDF] * 64
    assert sorted(loopback.files.values()) == sorted(PDF + str(number).encode() for number in range(64))


def test_threads_start_the_embedded_service_together(report: Any) -> None:
    client = recto.Client()
    barrier = threading.Barrier(8)

    def job(_: int) -> str:
        barrier.wait()
        return client.files.upload(report)

    with ThreadPoolExecutor(8) as pool:
        uploaded = set(pool.map(job, range(8)))
    assert len(uploaded) == 8
    # Clients of this process share the embedded service, so it may also have files of a client of another test.
    assert uploaded <= {record.id for record in client.files.list()}
    client.close()


def test_running_calls_survive_the_garbage_collector(loopback: Loopback) -> None:
    hold = loopback.hold("result")

    def job() -> bytes:
        # During the call, only the call itself holds references to the client, the operation and the document.
        return recto.Client(**loopback.settings()).optimize(bytearray(LARGE)).read()

    waiting = InThread(job)
    assert hold.reached.wait(10)
    for _ in range(3):
        gc.collect()
    hold.released.set()
    waiting.join(10)
    assert waiting.outcome == PDF


def test_a_client_in_a_cycle_is_collected(loopback: Loopback) -> None:
    class Owner:
        client: recto.Client
        operation: recto.Operation

        def progress(self, _: recto.Progress) -> None:
            pass

    owner = Owner()
    owner.client = recto.Client(**loopback.settings())
    owner.operation = owner.client.optimize(PDF, on_progress=owner.progress)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_memory_does_not_grow_with_the_calls(
    loopback: Loopback, remote: recto.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "recto")  # pytest keeps every record

    def objects_after(calls: int) -> int:
        for _ in range(calls):
            remote.files.get("1")
        loopback.requests.clear()
        gc.collect()
        return len(gc.get_objects())

    objects_after(20)
    before = objects_after(20)
    assert objects_after(200) - before < 50
