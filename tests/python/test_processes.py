"""Processes: a client that was used before a fork works in the child, and parent and child do not interfere."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import recto
from python.loopback import KEY, PDF, Loopback

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*fork.*:DeprecationWarning"
)  # these tests fork with threads on purpose


def in_child(work: Callable[[], object]) -> None:
    """Runs `work` in a forked child; fails if it fails or hangs there."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(20)
            work()
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with {status}"


def test_a_client_used_before_a_fork_works_in_the_child(remote: recto.Client) -> None:
    operation = remote.optimize(PDF)

    def work() -> None:
        assert remote.files.get("1").id == "1"
        assert operation.read() == PDF
        assert remote.optimize(PDF).read() == PDF

    for _ in range(3):
        in_child(work)
        assert remote.optimize(PDF).read() == PDF
    in_child(lambda: in_child(work))


def test_a_fork_while_other_threads_are_in_calls(remote: recto.Client) -> None:
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            remote.files.get("1")

    threads = [threading.Thread(target=busy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            in_child(lambda: remote.files.get("1"))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_fork_waits_for_the_imports_of_a_first_call(loopback: Loopback) -> None:
    program = (
        "import os, signal, sys, threading, recto\n"
        "importing, forking = threading.Event(), threading.Event()\n"
        "class Slow:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name in ('datetime', 'recto.records') and not importing.is_set():\n"
        "            importing.set()\n"
        "            forking.wait(0.5)\n"
        "sys.meta_path.insert(0, Slow)\n"
        "client = recto.Client(base_url=sys.argv[1], api_key=sys.argv[2])\n"
        "first = threading.Thread(target=client.files.get, args=('1',))\n"
        "first.start()\n"
        "assert importing.wait(20)\n"
        "child = os.fork()\n"
        "forking.set()\n"
        "if child == 0:\n"
        "    signal.alarm(20)\n"
        "    os._exit(client.files.get('1').id != '1')\n"
        "first.join()\n"
        "print(os.waitpid(child, 0)[1])\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, loopback.base_url, KEY]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


def test_a_forked_child_has_its_own_embedded_service(report: Path) -> None:
    with recto.Client() as client:
        ours = client.files.upload(report)

        def work() -> None:
            assert client.files.list() == []
            theirs = client.files.upload(report)
            assert [record.id for record in client.files.list()] == [theirs]
            client.close()

        in_child(work)
        in_child(lambda: None)
        assert [record.id for record in client.files.list()] == [ours]


def test_a_forked_child_that_exits_does_not_stop_the_parents_service(tmp_path: Path, report: Path) -> None:
    program = (
        "import os, sys, recto\n"
        "client = recto.Client()\n"
        f"file_id = client.files.upload({str(report)!r})\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        f"    client.files.upload({str(report)!r})\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert [record.id for record in client.files.list()] == [file_id]\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert [path for path in tmp_path.rglob("*") if path != report] == []


WORKERS = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import recto

def compress(settings):
    with recto.Client(**settings) as client:
        return client.optimize(b"%PDF-1.7").read()

if __name__ == "__main__":
    settings = {"base_url": sys.argv[2], "api_key": sys.argv[3]}
    first = compress(settings)  # this process has a runtime already
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        assert list(pool.map(compress, [settings] * 4)) == [first] * 4
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_make_their_own_clients(method: str, tmp_path: Path, loopback: Loopback) -> None:
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    command = [sys.executable, "-W", "ignore", str(script), method, loopback.base_url, KEY]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(loopback.of("download")) == 5


def fail(status: int) -> None:
    raise recto.RateLimited("too many", status=status, retry_after=2.5)


def test_errors_are_passed_between_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        with pytest.raises(recto.RateLimited) as caught:
            pool.submit(fail, 429).result()
        assert (caught.value.status, caught.value.retry_after) == (429, 2.5)


def test_a_program_can_end_while_threads_are_in_calls(loopback: Loopback) -> None:
    hold = loopback.hold("get")
    program = (
        "import threading, time, recto\n"
        f"client = recto.Client(**{loopback.settings()!r})\n"
        "threading.Thread(target=lambda: client.files.get('1'), daemon=True).start()\n"
        "time.sleep(0.5)\n"
    )
    began = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert hold.reached.is_set()
    assert time.monotonic() - began < 10
