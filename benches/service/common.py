"""A service to measure, with its process's memory, and a client that keeps its connection."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from standing.machines import free_port, wait_until

KEY = "a-key-for-this-bench"
FORM = Path(__file__).parents[2] / "examples" / "form.pdf"


def parser(about: str | None) -> argparse.ArgumentParser:
    """The arguments of every measurement."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("recto", type=Path, help="the program, a release build")
    return made


def machine(recto: Path) -> str:
    """What was measured on what."""
    version = subprocess.run([recto, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{version}; {os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}"


class Service:
    """A running `recto serve`."""

    def __init__(self, pid: int, port: int) -> None:
        """It runs under `pid`."""
        self.pid, self.port = pid, port

    def memory(self, field: str = "VmRSS") -> float:
        """MiB of the service's process; `VmHWM` is the most it ever had."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        raise LookupError(field)


@contextlib.contextmanager
def serving(recto: Path, *flags: str) -> Iterator[Service]:
    """A service with these flags, as long as it is needed."""
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        flags = tuple(flag.replace("{folder}", folder) for flag in flags)
        command = [str(recto), "serve", "--port", str(port), *flags]
        environment = {**os.environ, "RECTO_API_KEY": KEY, "TMPDIR": folder, "RECTO_LOG": "error"}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as running:
            try:
                wait_until(lambda: _up(port), 30, "the service")
                yield Service(running.pid, port)
            finally:
                running.terminate()
                running.wait(60)


def _up(port: int) -> bool:
    with contextlib.suppress(OSError):
        return Client(port).ask("GET", "/health")[0] == 200
    return False


class Client:
    """Asks on one connection that stays open."""

    def __init__(self, port: int) -> None:
        """It asks at `port`."""
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def raw(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        """Any request."""
        parts = urlsplit(url)
        self.connection.request(
            method, parts.path + (f"?{parts.query}" if parts.query else ""), body, headers
        )
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """A request of JSON."""
        sent = {"X-Api-Key": KEY, **headers}
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        status, answer = self.raw(method, path, data, sent)
        return status, json.loads(answer)

    def upload(self, document: bytes, name: str = "form.pdf") -> str:
        """The identifier of an uploaded document."""
        status, ticket = self.ask("POST", "/v1/files/upload/fromLocal", {"fileName": name})
        assert status == 200, ticket
        status, _ = self.raw(
            "PUT", ticket["uploadUrl"], document, {"Content-Type": "application/octet-stream"}
        )
        assert status == 200, status
        return str(ticket["fileId"])

    def operate(self, file: str) -> dict[str, Any]:
        """One operation, from its start to its result."""
        status, handle = self.ask("POST", "/v1/operations/optimize", {"input": {"fileId": file}})
        assert status == 200, handle
        status, result = self.ask("GET", f"/v1/operations/{handle['operationId']}/result", Prefer="wait=30")
        assert result["operationStatus"] == "finished", result
        return dict(result)

    def whole(self, document: bytes) -> bytes:
        """A document in, its result out: five requests."""
        result = self.operate(self.upload(document))
        status, made = self.raw("GET", result["outputFile"]["url"], None, {})
        assert status == 200, status
        return made
