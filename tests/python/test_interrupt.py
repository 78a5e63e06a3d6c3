"""Ctrl-C: in every phase of a call, KeyboardInterrupt is raised at once and the request is cancelled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import recto
from python.loopback import PDF, Loopback

LARGE = PDF + bytes(32 << 20)

# The places in which a call can wait: the step of the loopback server, and a call that reaches this step.
PLACES: dict[str, tuple[str, Callable[[recto.Client, Path], object]]] = {
    "small request": ("get", lambda client, _: client.files.get("1")),
    "upload": ("put", lambda client, _: client.optimize(LARGE)),
    "start": ("start", lambda client, _: client.optimize(PDF)),
    "wait": ("result", lambda client, _: client.optimize(PDF).result()),
    "download": ("download", lambda client, path: client.optimize(PDF).save(path)),
}


def interrupt_when(reached: threading.Event, sent: list[float]) -> threading.Thread:
    def run() -> None:
        assert reached.wait(10)
        time.sleep(0.12)  # during the call, but not at a multiple of its 50 ms
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_ends_a_call_within_100_ms(place: str, tmp_path: Path, loopback: Loopback) -> None:
    step, call = PLACES[place]
    loopback.result_bytes = PDF + bytes(1 << 20)
    hold = loopback.hold(step)
    sent: list[float] = []
    with recto.Client(**loopback.settings()) as client:
        thread = interrupt_when(hold.reached, sent)
        with pytest.raises(KeyboardInterrupt):
            call(client, tmp_path / "out.pdf")
        took = time.monotonic() - sent[0]
        thread.join()
        assert took < 0.1, f"{took * 1000:.0f} ms"
        assert hold.dropped.wait(1), "the request was not cancelled"
        assert hold.dropped_at - sent[0] < 0.2
    assert list(tmp_path.iterdir()) == [], "a partial download was left behind"


def test_the_client_still_works_after_an_interrupt(loopback: Loopback, remote: recto.Client) -> None:
    hold = loopback.hold("get")
    interrupt_when(hold.reached, [])
    with pytest.raises(KeyboardInterrupt):
        remote.files.get("1")
    hold.released.set()
    assert remote.files.get("1").id == "1"


def test_a_handler_that_returns_does_not_end_the_call(loopback: Loopback, remote: recto.Client) -> None:
    hold = loopback.hold("get")
    handled: list[int] = []

    def handler(number: int, _: object) -> None:
        handled.append(number)
        hold.released.set()

    before = signal.signal(signal.SIGINT, handler)
    try:
        interrupt_when(hold.reached, [])
        assert remote.files.get("1").id == "1"
    finally:
        signal.signal(signal.SIGINT, before)
    assert handled == [signal.SIGINT]


def test_an_exception_of_a_signal_handler_is_raised(loopback: Loopback, remote: recto.Client) -> None:
    class AlarmError(Exception):
        pass

    def handler(*_: object) -> None:
        raise AlarmError

    loopback.hold("get")
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(AlarmError):
            remote.files.get("1")
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_program_interrupted_in_a_call_ends_as_python_does(loopback: Loopback) -> None:
    hold = loopback.hold("get")
    program = f"import recto; recto.Client(**{loopback.settings()!r}).files.get('1')"
    run = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    assert hold.reached.wait(10)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=5)
    assert run.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
