"""A `recto serve` to measure, with its process's memory, and a client of it on one connection that stays open."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
FORM = ROOT / "examples" / "form.pdf"
OPTIMIZE = "/v1/operations/optimize"


def recto() -> Path:
    """The program `recto`, by `RECTO_PROGRAM` or as cargo leaves it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    named = Path(os.environ.get("RECTO_PROGRAM", target / "release" / "recto"))
    if not named.is_file():
        sys.exit(f"there is no {named}: cargo build --release -p recto-cli, or set RECTO_PROGRAM")
    return named


def machine() -> str:
    """What was measured on what."""
    version = subprocess.run([recto(), "--version"], check=True, capture_output=True, text=True).stdout
    cores = len(os.sched_getaffinity(0))
    return f"{version.strip()}; {cores} cores, {platform.platform()}, Python {platform.python_version()}"


@dataclass(frozen=True)
class Service:
    """A running `recto serve`."""

    base_url: str
    key: str
    process: int

    @property
    def port(self) -> int:
        """Where it listens."""
        return urlsplit(self.base_url).port or 80

    def client(self) -> Client:
        """A new client, with a connection of its own."""
        return Client(self)

    def memory(self, field: str = "VmRSS") -> float:
        """MiB of the service's process; `VmHWM` is the most it ever had."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        raise LookupError(field)


@contextlib.contextmanager
def serving(*flags: str) -> Iterator[Service]:
    """A service with these flags, in which `{folder}` is one that is removed at the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
        environment |= {"TMPDIR": folder, "RECTO_LOG": "error"}
        command = [str(recto()), "serve", *(flag.replace("{folder}", folder) for flag in flags)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            try:
                assert process.stdout is not None
                lines = [process.stdout.readline().strip() for _ in range(2)]
                if not all(lines):
                    sys.exit("the service did not start")
                said = dict(line.split("=", 1) for line in lines)
                yield Service(said["RECTO_BASE_URL"], said["RECTO_API_KEY"], process.pid)
            finally:
                process.terminate()
                process.wait(60)


class Client:
    """Asks on one connection. What is not answered with 200 is an error."""

    def __init__(self, service: Service) -> None:
        """It asks this service."""
        self.key = service.key
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)

    def send(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        """Any request; the body of its answer."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        self.connection.request(method, target, body, headers)
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {parts.path}: {answer.status} {said[:300]!r}")
        return said

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        """A request of the interface."""
        sent = {"X-Api-Key": self.key, "Content-Type": "application/json", **headers}
        data = None if body is None else json.dumps(body).encode()
        return dict(json.loads(self.send(method, path, data, sent)))

    def upload(self, document: bytes, name: str = "form.pdf") -> str:
        """The identifier of an uploaded document."""
        ticket = self.ask("POST", "/v1/files/upload/fromLocal", {"fileName": name})
        self.send("PUT", ticket["uploadUrl"], document, {"Content-Type": "application/octet-stream"})
        return str(ticket["fileId"])

    def operate(self, file: str, path: str = OPTIMIZE, options: object = None) -> dict[str, Any]:
        """One operation, from its start to its end, however it ends."""
        body = {"input": {"fileId": file}} | ({} if options is None else {"options": options})
        started = self.ask("POST", path, body)
        while True:
            result = self.ask("GET", f"/v1/operations/{started['operationId']}/result", Prefer="wait=30")
            if result["operationStatus"] != "inProgress":
                return result

    def whole(self, document: bytes) -> bytes:
        """A document in, its result out: five requests."""
        result = self.operate(self.upload(document))
        if result["operationStatus"] != "finished":
            raise RuntimeError(str(result))
        return self.send("GET", result["outputFile"]["url"], None, {})
