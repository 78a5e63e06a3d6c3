"""A minute of hostile connections, and what a well-behaved client sees meanwhile.

python benches/service/connections.py [--seconds 60]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import socket
import sys
import threading
import time
from collections import Counter

from common import FORM, Service, machine, serving

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


def main() -> int:
    """Prints the table; returns 1 if a well-behaved client failed."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=60)
    given = arguments.parse_args()
    print(machine())
    document, times, failed = FORM.read_bytes(), [], []
    with serving("--header-time", "10s", "--stall-time", "10s", "--data-dir", "{folder}/data") as service:
        attack = Attack(service)
        threads = attack.threads()
        for thread in threads:
            thread.start()
        until = time.monotonic() + given.seconds
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
        f"| {hostile} in {given.seconds:.0f} s | {len(times)} | {len(failed)} | {times[len(times) // 2] * 1000:.0f} ms"
        f" | {times[-1] * 1000:.0f} ms | {most:.0f} MiB |"
    )
    for fault in failed[:5]:
        print("FAULT", fault)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
