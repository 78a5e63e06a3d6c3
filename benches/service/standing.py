"""A `recto serve` of its own for the measurements of this folder, and a client of it on one kept connection."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def recto() -> str:
    """The program `recto`, by `RECTO_PROGRAM` or as cargo leaves it."""
    root = Path(__file__).resolve().parents[2]
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    named = os.environ.get("RECTO_PROGRAM", str(target / "release" / "recto"))
    if not Path(named).is_file():
        sys.exit(f"there is no {named}: cargo build --release -p recto-cli, or set RECTO_PROGRAM")
    return named


def machine() -> str:
    """One line about the machine and the program that was measured."""
    version = subprocess.run(
        [recto(), "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    cores = len(os.sched_getaffinity(0))
    return f"{version} ({recto()}), {platform.machine()}, {cores} cores, Linux {platform.release()}"


class Service:
    """A client of one service; answers come with their status, and are read whole."""

    def __init__(self, base_url: str, key: str, process: int) -> None:
        self.address = urllib.parse.urlsplit(base_url).netloc
        self.headers = {"X-Api-Key": key, "Content-Type": "application/json"}
        self.process = process
        self.connection = http.client.HTTPConnection(self.address, timeout=120)

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """One request on the kept connection."""
        self.connection.request(method, path, body, {**self.headers, **headers})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        """One request of the interface, which must succeed."""
        sent = None if body is None else json.dumps(body).encode()
        status, answer = self.send(method, path, sent, **headers)
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
        return dict(json.loads(answer))

    def upload(self, name: str, document: bytes) -> str:
        """Places a document and returns its identifier."""
        ticket = self.ask("POST", "/v1/files/upload/fromLocal", {"fileName": name})
        address = urllib.parse.urlsplit(ticket["uploadUrl"])
        target = f"{address.path}?{address.query}"
        status, answer = self.send("PUT", target, document, **{"Content-Type": "application/octet-stream"})
        if status != 200:
            raise RuntimeError(f"PUT: {status} {answer[:300]!r}")
        return str(ticket["fileId"])

    def operate(self, path: str, file: str, options: object = None) -> dict[str, Any]:
        """Runs one operation to its end."""
        body = {"input": {"fileId": file}} | ({} if options is None else {"options": options})
        started = self.ask("POST", path, body)
        result = f"/v1/operations/{started['operationId']}/result"
        while True:
            answer = self.ask("GET", result, Prefer="wait=30")
            if answer["operationStatus"] != "inProgress":
                return answer


@contextlib.contextmanager
def serving(*flags: str, program: str | None = None) -> Iterator[Service]:
    """A service with these flags, its files in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
        environment["TMPDIR"] = folder
        command = [program or recto(), "serve", *flags]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            try:
                said = dict(process.stdout.readline().strip().split("=", 1) for _ in range(2))
                yield Service(said["RECTO_BASE_URL"], said["RECTO_API_KEY"], process.pid)
            finally:
                process.terminate()
                process.wait()
