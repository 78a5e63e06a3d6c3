"""Small documents per second: the service, compared with a plain Flask service that runs qpdf, in alternating rounds.

python benches/service/beside_flask.py     # needs flask, waitress and qpdf
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from common import FORM, ROOT, Service, machine, serving

sys.path.insert(0, str(ROOT / "tests"))

from cluster.infrastructure import free_port, wait_until

FLASK = """
import subprocess, sys, tempfile
from pathlib import Path
from flask import Flask, request
from waitress import serve

app = Flask(__name__)

@app.post("/optimize")
def optimize():
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "in.pdf", Path(folder) / "out.pdf"
        source.write_bytes(request.get_data())
        command = ["qpdf", "--object-streams=generate", "--recompress-flate", source, result]
        subprocess.run(command, check=True)
        return result.read_bytes()

serve(app, host="127.0.0.1", port=int(sys.argv[1]), threads=4, _quiet=True)
"""


def rate(make: Callable[[], Callable[[], bytes]], clients: int, seconds: float) -> float:
    """Documents per second with this number of clients, each on its own connection."""
    counts, until = [0] * clients, time.monotonic() + seconds

    def work(number: int) -> None:
        one = make()
        while time.monotonic() < until:
            assert one().startswith(b"%PDF-")
            counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - began)


@contextlib.contextmanager
def flask(document: bytes) -> Iterator[int]:
    """Runs the Flask service; yields its port."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "flask_service.py"
        program.write_text(FLASK)
        with subprocess.Popen([sys.executable, program, str(port)]) as running:
            try:
                wait_until(lambda: _is_up(port, document), 30, "Flask")
                yield port
            finally:
                running.terminate()


def flask_client(port: int, document: bytes) -> Callable[[], bytes]:
    """Sends the document; returns the result."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def one() -> bytes:
        connection.request("POST", "/optimize", document)
        return connection.getresponse().read()

    return one


def recto_client(service: Service, document: bytes) -> Callable[[], bytes]:
    """Sends the five requests for a document."""
    client = service.client()
    return lambda: client.whole(document)


def main() -> int:
    """Prints the table."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=5)
    arguments.add_argument("--clients", type=int, default=4)
    given = arguments.parse_args()
    document = FORM.read_bytes()
    print(machine())
    with (
        flask(document) as flask_port,
        serving() as memory,
        serving("--data-dir", "{folder}/data") as kept,
    ):
        sides: dict[str, Callable[[], Callable[[], bytes]]] = {
            "recto serve": lambda: recto_client(memory, document),
            "recto serve --data-dir": lambda: recto_client(kept, document),
            "Flask and qpdf": lambda: flask_client(flask_port, document),
        }
        rates: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(given.rounds):
            for name, make in sides.items():
                rates[name].append(rate(make, given.clients, given.seconds))
        took = []
        client = memory.client()
        file = client.upload(document)
        for _ in range(200):
            began = time.perf_counter()
            client.run_operation(file)
            took.append((time.perf_counter() - began) * 1000)
    print(
        f"{len(document)} bytes, {given.clients} clients, {given.rounds} rounds of {given.seconds:.0f} s, alternating"
    )
    print("| service | documents per second |")
    print("|---|---|")
    for name, found in rates.items():
        print(f"| {name} | {statistics.median(found):.1f} ({min(found):.1f} to {max(found):.1f}) |")
    print(
        f"optimize from POST to finished, one client: median {statistics.median(took):.2f} ms, min {min(took):.2f} ms"
    )
    return 0


def _is_up(port: int, document: bytes) -> bool:
    try:
        return flask_client(port, document)().startswith(b"%PDF-")
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
