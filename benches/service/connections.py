"""A minute of hostile connections, and what a well-behaved client sees meanwhile.

python benches/service/connections.py [--seconds 60]
python benches/service/connections.py --idle 1000 [--seconds 60] [--open-files 1024]

With `--idle`, the hostile connections send nothing, and each one that the service closes is opened again.
`--open-files` is the limit of open files of the service.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import select
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import FORM, Service, machine, recto, serving

GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/9.9\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
]


class Attack:
    """Threads that each make one kind of hostile connection until `stop` is set."""

    def __init__(self, service: Service) -> None:
        self.service, self.stop, self.done = service, threading.Event(), Counter[str]()

    def connected(self) -> socket.socket:
        """A new connection."""
        return socket.create_connection(("127.0.0.1", self.service.port), timeout=5)

    def slowloris(self) -> None:
        """Hundreds of requests with headers that never end (slowloris)."""
        open_ones: list[socket.socket] = []
        while not self.stop.is_set():
            if len(open_ones) < 400:
                with contextlib.suppress(OSError):
                    slow = self.connected()
                    slow.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
                    open_ones.append(slow)
                    self.done["slow"] += 1
                continue
            for slow in open_ones[:]:
                try:
                    slow.sendall(b"X-A: b\r\n")
                except OSError:
                    open_ones.remove(slow)
            self.stop.wait(0.5)

    def oversize(self) -> None:
        """Bodies above the limit, with and without Content-Length."""
        head = "POST /v1/files/upload/fromLocal HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"X-Api-Key: {self.service.key}\r\n"
        while not self.stop.is_set():
            with contextlib.suppress(OSError), self.connected() as sender:
                if self.done["oversize"] % 2:
                    sender.sendall(f"{head}Content-Length: 99999999999\r\n\r\n".encode() + bytes(100_000))
                else:
                    sender.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
                    for _ in range(40):
                        sender.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
                sender.recv(1000)
            self.done["oversize"] += 1
            self.stop.wait(0.02)

    def half_closed(self) -> None:
        """Clients that stop sending half-way, and clients that never read."""
        while not self.stop.is_set():
            with contextlib.suppress(OSError), self.connected() as half:
                half.sendall(
                    b"PUT /transfer/upload/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\nhalf"
                )
                half.shutdown(socket.SHUT_WR)
                if self.done["half-closed"] % 2:
                    half.recv(1000)
            self.done["half-closed"] += 1
            self.stop.wait(0.01)

    def garbage(self) -> None:
        """Bytes that are not HTTP, or that only look like HTTP."""
        chance = random.Random(1)
        while not self.stop.is_set():
            with contextlib.suppress(OSError), self.connected() as sender:
                sender.sendall(chance.choice([*GARBAGE, os.urandom(chance.randrange(1, 4000))]))
                if chance.random() < 0.5:
                    sender.shutdown(socket.SHUT_WR)
                    sender.recv(1000)
            self.done["garbage"] += 1
            self.stop.wait(0.01)

    def threads(self) -> list[threading.Thread]:
        """A thread for each kind."""
        kinds = [self.slowloris, self.oversize, self.half_closed, self.garbage]
        return [threading.Thread(target=kind, daemon=True) for kind in kinds]


class Idle:
    """Connections that send nothing, until `stop` is set."""

    def __init__(self, service: Service, count: int) -> None:
        """Opens the connections, and opens those again that the service closes."""
        self.port, self.count, self.stop, self.opened = service.port, count, threading.Event(), 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def wait_until_open(self) -> None:
        """Waits until the first connections are open."""
        while self.opened < self.count and self.thread.is_alive():
            time.sleep(0.01)

    def _run(self) -> None:
        polled, open_ones = select.poll(), dict[int, socket.socket]()
        while not self.stop.is_set():
            while len(open_ones) < self.count:
                idle = socket.create_connection(("127.0.0.1", self.port), timeout=30)
                open_ones[idle.fileno()] = idle
                polled.register(idle, select.POLLIN)
                self.opened += 1
            for number, _ in polled.poll(50):
                polled.unregister(number)
                open_ones.pop(number).close()


@contextlib.contextmanager
def limited(open_files: int | None) -> Iterator[Path]:
    """The program `recto`, or a script that starts it with a limit of open files."""
    if open_files is None:
        yield recto()
        return
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "recto"
        script.write_text(f'#!/bin/sh\nulimit -n {open_files}\nexec "{recto()}" "$@"\n')
        script.chmod(0o700)
        yield script


def idle(count: int, seconds: float, open_files: int | None) -> int:
    """Prints what clients see before and during idle connections; returns 1 if a request failed."""
    document, failed = FORM.read_bytes(), list[str]()
    print(
        "| idle connections | opened | /health: median | slowest | documents | failed | median | slowest | memory |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with limited(open_files) as program, serving(program=program) as service:
        for number in (0, count):
            attack = Idle(service, number)
            attack.wait_until_open()
            health, documents = list[float](), list[float]()
            until = time.monotonic() + seconds / 2
            while time.monotonic() < until:
                try:
                    began = time.monotonic()
                    with urllib.request.urlopen(f"{service.base_url}/health", timeout=60) as response:
                        assert response.status == 200
                    health.append((time.monotonic() - began) * 1000)
                    began = time.monotonic()
                    assert service.client().whole(document).startswith(b"%PDF-")
                    documents.append((time.monotonic() - began) * 1000)
                except Exception as fault:  # any error is a failure of the service
                    failed.append(repr(fault))
            memory = service.memory()
            attack.stop.set()
            attack.thread.join(10)
            print(
                f"| {number} | {attack.opened} | {statistics.median(health):.1f} ms | {max(health):.1f} ms"
                f" | {len(documents)} | {len(failed)} | {statistics.median(documents):.0f} ms"
                f" | {max(documents):.0f} ms | {memory:.0f} MiB |"
            )
    for fault in failed[:5]:
        print("FAULT", fault)
    return 1 if failed else 0


def main() -> int:
    """Prints the table; returns 1 if a well-behaved client failed."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--idle", type=int)
    arguments.add_argument("--open-files", type=int)
    given = arguments.parse_args()
    print(machine())
    if given.idle:
        return idle(given.idle, given.seconds, given.open_files)
    return hostile(given.seconds)


def hostile(seconds: float) -> int:
    """A minute of hostile connections of several kinds; returns 1 if a well-behaved client failed."""
    document, times, failed = FORM.read_bytes(), [], []
    with serving("--header-time", "10s", "--stall-time", "10s", "--data-dir", "{folder}/data") as service:
        attack = Attack(service)
        threads = attack.threads()
        for thread in threads:
            thread.start()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                result = service.client().whole(document)
                assert result.startswith(b"%PDF-")
            except Exception as fault:  # any error is a failure of the service
                failed.append(repr(fault))
            times.append(time.monotonic() - began)
            time.sleep(0.02)
        attack.stop.set()
        for thread in threads:
            thread.join(10)
        most = service.memory("VmHWM")
    times.sort()
    hostile = ", ".join(f"{count} {kind}" for kind, count in sorted(attack.done.items()))
    print(
        "| hostile connections | good documents (5 requests each) | failed | median | slowest | peak memory |"
    )
    print("|---|---|---|---|---|---|")
    print(
        f"| {hostile} in {seconds:.0f} s | {len(times)} | {len(failed)} | {times[len(times) // 2] * 1000:.0f} ms"
        f" | {times[-1] * 1000:.0f} ms | {most:.0f} MiB |"
    )
    for fault in failed[:5]:
        print("FAULT", fault)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
