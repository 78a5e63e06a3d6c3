"""Runs programs of each face through a proxy that breaks connections, and checks their results.

    python benches/service/faults.py [--runs N] [--seed N] [--libraries FOLDER]

Each run compresses a document in a new process: with the command line, Python, C and C++ in turn. Its first
connections break: they are refused, cut after some bytes in one direction, stopped for a while, or closed when they
are idle. A run is wrong if its result differs from the right bytes, if the program fails without a message, leaves a
file or hangs, or if the service did the operation more than once.

The Python programs run in this interpreter's environment, in which the package `recto` must be installed. FOLDER is
where the C library is installed (build/c/prefix): the examples in C and C++ are compiled against it.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import FORM, ROOT, Service, machine, recto, serving

LIMIT = 60.0  # seconds for one run
STALL = 1.5  # seconds for which a stopped connection transfers nothing
PYTHON = """
import sys, recto
with recto.Client() as client:
    client.optimize(sys.argv[1], profile="web").save(sys.argv[2])
"""


@dataclass(frozen=True)
class Fault:
    """What happens to a connection: `kind` after `after` bytes from the client or from the service."""

    kind: str  # none, refuse, close, reset, stop
    from_client: bool = True
    after: int = 0


def faults(random_: random.Random, size: int) -> list[Fault]:
    """The faults of the first connections of a run; later connections work."""
    chosen = []
    for _ in range(random_.randint(1, 4)):
        kind = random_.choice(["none", "refuse", "close", "reset", "stop", "close", "reset"])
        # Half of the cuts are within the first kilobyte, where the heads of requests and responses are.
        after = random_.randrange(1200) if random_.random() < 0.5 else random_.randrange(size)
        chosen.append(Fault(kind, random_.random() < 0.5, after))
    return chosen


@dataclass
class Proxy:
    """A proxy on loopback, before a service."""

    target: int
    plan: list[Fault] = field(default_factory=list)
    listener: socket.socket = field(
        default_factory=lambda: socket.create_server(("127.0.0.1", 0), backlog=64)
    )

    def __post_init__(self) -> None:
        """Starts to accept connections."""
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.listener.getsockname()[1])

    def accept(self) -> None:
        """Accepts connections and gives each one its fault."""
        while True:
            client, _ = self.listener.accept()
            fault = self.plan.pop(0) if self.plan else Fault("none")
            if fault.kind == "refuse":
                reset(client)
                continue
            service = socket.create_connection(("127.0.0.1", self.target))
            for end in (client, service):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, drain, mine in ((client, service, True), (service, client, False)):
                broken = fault if fault.from_client == mine else Fault("none")
                threading.Thread(target=pump, args=(source, drain, broken, client), daemon=True).start()


def reset(connection: socket.socket) -> None:
    """Ends a connection with RST."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def pump(source: socket.socket, drain: socket.socket, fault: Fault, client: socket.socket) -> None:
    """Copies one direction of a connection until its fault or its end."""
    left = fault.after
    with contextlib.suppress(OSError):
        while data := source.recv(16384):
            if fault.kind in ("close", "reset") and len(data) >= left:
                drain.sendall(data[:left])
                if fault.kind == "reset":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                break
            if fault.kind == "stop" and len(data) >= left:
                time.sleep(STALL)
                fault = Fault("none")
            drain.sendall(data)
            left -= len(data)
    for end in (source, drain):
        with contextlib.suppress(OSError):
            # Both directions end: the thread of the other one closes the sockets with this one.
            end.shutdown(socket.SHUT_RDWR)
    if fault.kind == "reset":
        client.close()


def started(service: Service) -> int:
    """How many operations the service has accepted."""
    text = service.client().send("GET", "/metrics", None, {"X-Api-Key": service.key}).decode()
    lines = re.findall(r"^recto_requests_total\{(.*)\} (\d+)$", text, re.MULTILINE)
    return sum(
        int(count)
        for labels, count in lines
        if 'method="POST"' in labels and "/v1/operations/" in labels and 'status="20' in labels
    )


def compiled(folder: Path, installed: Path) -> dict[str, list[str]]:
    """The commands of the examples in C and C++."""
    commands = {}
    for name, compiler, source in (("C", "cc", "c/compress.c"), ("C++", "c++", "cpp/compress.cpp")):
        program = folder / f"compress-{compiler}"
        flags = [f"-I{installed}/include", f"-L{installed}/lib", f"-Wl,-rpath,{installed}/lib", "-lrecto"]
        standard = ["-std=c++17"] if compiler == "c++" else []
        subprocess.run(
            [compiler, *standard, str(ROOT / "examples" / source), "-o", str(program), *flags], check=True
        )
        commands[name] = [str(program), "IN", "OUT"]
    return commands


@dataclass
class Tally:
    """The outcomes of the runs of a face."""

    right: int = 0
    failed: int = 0
    wrong: list[str] = field(default_factory=list)
    messages: collections.Counter[str] = field(default_factory=collections.Counter)
    slowest: float = 0.0


def run(command: list[str], service: Service, proxy: Proxy, right: bytes, tally: Tally, about: str) -> None:
    """Runs a program once and checks its outcome."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "out.pdf"
        words = [{"IN": str(FORM), "OUT": str(result)}.get(word, word) for word in command]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
        environment |= {"RECTO_BASE_URL": f"http://127.0.0.1:{proxy.port}", "RECTO_API_KEY": service.key}
        before, began = started(service), time.monotonic()
        try:
            done = subprocess.run(
                words, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            tally.wrong.append(f"{about}: no end within {LIMIT:.0f} s")
            return
        tally.slowest = max(tally.slowest, time.monotonic() - began)
        operations = started(service) - before
        left = sorted(path.name for path in Path(folder).iterdir())
        if operations > 1:
            tally.wrong.append(f"{about}: {operations} operations")
        elif done.returncode == 0 and result.read_bytes() == right and left == ["out.pdf"]:
            tally.right += 1
        elif done.returncode > 0 and done.stderr.strip() and not left:
            tally.failed += 1
            tally.messages[re.sub(r"\d+", "N", done.stderr.strip().splitlines()[-1])[:150]] += 1
        else:
            tally.wrong.append(
                f"{about}: exit {done.returncode}, files {left}, {done.stderr.strip()[-200:]!r}"
            )


def main() -> None:
    """Prints the outcomes of each face; fails if one is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--libraries", type=Path, default=ROOT / "build" / "c" / "prefix")
    given = parser.parse_args()
    random_ = random.Random(given.seed)
    print(machine())
    with tempfile.TemporaryDirectory() as folder, serving() as service:
        faces = {
            "command line": [str(recto()), "optimize", "IN", "--profile", "web", "-o", "OUT"],
            "Python": [sys.executable, "-c", PYTHON, "IN", "OUT"],
            **compiled(Path(folder), given.libraries),
        }
        client = service.client()
        file = client.upload(FORM.read_bytes())
        url = client.run_operation(file, options={"profile": "web"})["outputFile"]["url"]
        right = client.send("GET", url, None, {})
        tallies = {face: Tally() for face in faces}
        for number in range(given.runs):
            face = list(faces)[number % len(faces)]
            plan = faults(random_, FORM.stat().st_size)
            proxy = Proxy(service.port, list(plan))
            run(faces[face], service, proxy, right, tallies[face], f"run {number} ({face}, {plan})")
            proxy.listener.close()
    print("| face | runs | right result | clear error | wrong | slowest, s |\n|---|---|---|---|---|---|")
    for face, tally in tallies.items():
        runs = tally.right + tally.failed + len(tally.wrong)
        print(
            f"| {face} | {runs} | {tally.right} | {tally.failed} | {len(tally.wrong)} | {tally.slowest:.1f} |"
        )
    for face, tally in tallies.items():
        for message, count in tally.messages.most_common():
            print(f"{face}: {count} x {message}")
        for what in tally.wrong:
            print(f"WRONG: {what}")
    sys.exit(any(tally.wrong for tally in tallies.values()))


if __name__ == "__main__":
    main()
