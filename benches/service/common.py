"""Runs `recto serve` to measure it: its memory, and a client on one open connection."""

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
    """The path of `recto`: `RECTO_PROGRAM`, or where cargo builds it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = Path(os.environ.get("RECTO_PROGRAM", target / "release" / "recto"))
    if not program.is_file():
        sys.exit(f"there is no {program}: run cargo build --release -p recto-cli, or set RECTO_PROGRAM")
    return program


def machine(program: Path | None = None) -> str:
    """The version of recto and the machine."""
    version = subprocess.run(
        [program or recto(), "--version"], check=True, capture_output=True, text=True
    ).stdout
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
        """The port that it listens on."""
        return urlsplit(self.base_url).port or 80

    def client(self) -> Client:
        """A new client on a new connection."""
        return Client(self)

    def memory(self, field: str = "VmRSS") -> float:
        """MiB of the service's process; `VmHWM` is its peak."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        raise LookupError(field)


@contextlib.contextmanager
def serving(*flags: str, program: Path | None = None) -> Iterator[Service]:
    """Runs a service with these flags, in which `{folder}` is replaced by a temporary folder.

    `program` is the program to run, if it is not the one of `recto()`.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
        environment |= {"TMPDIR": folder, "RECTO_LOG": "error"}
        command = [str(program or recto()), "serve", *(flag.replace("{folder}", folder) for flag in flags)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            try:
                assert process.stdout is not None
                lines = [process.stdout.readline().strip() for _ in range(2)]
                if not all(lines):
                    sys.exit("the service did not start")
                printed = dict(line.split("=", 1) for line in lines)
                yield Service(printed["RECTO_BASE_URL"], printed["RECTO_API_KEY"], process.pid)
            finally:
                process.terminate()
                process.wait(60)


class Client:
    """A client on one connection. A status other than 200 raises an error."""

    def __init__(self, service: Service) -> None:
        """A client of this service."""
        self.key = service.key
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)

    def send(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        """Sends any request; returns the body of the response."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        self.connection.request(method, target, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {parts.path}: {response.status} {content[:300]!r}")
        return content

    def request(self, method: str, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        """Sends a JSON request; returns the JSON of the response."""
        sent = {"X-Api-Key": self.key, "Content-Type": "application/json", **headers}
        data = None if body is None else json.dumps(body).encode()
        return dict(json.loads(self.send(method, path, data, sent)))

    def upload(self, document: bytes, name: str = "form.pdf") -> str:
        """Uploads a document; returns its identifier."""
        ticket = self.request("POST", "/v1/files/upload/fromLocal", {"fileName": name})
        self.send("PUT", ticket["uploadUrl"], document, {"Content-Type": "application/octet-stream"})
        return str(ticket["fileId"])

    def run_operation(self, file: str, path: str = OPTIMIZE, options: object = None) -> dict[str, Any]:
        """Runs one operation; returns its result, also if it failed."""
        body = {"input": {"fileId": file}} | ({} if options is None else {"options": options})
        started = self.request("POST", path, body)
        while True:
            result = self.request("GET", f"/v1/operations/{started['operationId']}/result", Prefer="wait=30")
            if result["operationStatus"] != "inProgress":
                return result

    def whole(self, document: bytes) -> bytes:
        """Uploads and optimizes a document, and downloads the result: five requests."""
        result = self.run_operation(self.upload(document))
        if result["operationStatus"] != "finished":
            raise RuntimeError(str(result))
        return self.send("GET", result["outputFile"]["url"], None, {})
