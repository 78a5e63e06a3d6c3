"""Starts the infrastructure of the cluster tests: PostgreSQL, an S3-compatible store, and `recto` processes."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

NOBODY = 65534
"""PostgreSQL does not run as root."""


def free_port() -> int:
    """A free port on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's server programs, which Debian does not add to the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    on_path = shutil.which("postgres")
    return Path(on_path).resolve().parent if on_path else None


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Runs a new PostgreSQL server; yields the address of its database."""
    # The directory is in /tmp, so that the user who runs PostgreSQL can open it. Its name is short, because the path of
    # a socket must be short.
    temporary = tempfile.TemporaryDirectory(dir="/tmp", prefix="recto-pg-", ignore_cleanup_errors=True)
    with temporary as folder, _postgres(Path(folder)) as address:
        yield address


@contextlib.contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    programs = postgres_programs()
    assert programs, "postgresql is not installed"
    data, password, port = folder / "data", secrets.token_hex(16), free_port()
    secret = folder / "password"
    secret.write_text(password)
    user: dict[str, Any] = {}
    if os.getuid() == 0:
        for path in (folder, secret):
            os.chown(path, NOBODY, NOBODY)
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    initdb: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "recto",
        "-A",
        "scram-sha-256",
        "--pwfile",
        secret,
        "--no-sync",
    ]
    subprocess.run(initdb, check=True, capture_output=True, cwd=folder, **user)
    serve: list[str | Path] = [
        programs / "postgres",
        "-D",
        data,
        "-p",
        str(port),
        "-k",
        folder,
        "-c",
        "listen_addresses=127.0.0.1",
    ]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(serve, stdout=log, stderr=log, cwd=folder, **user) as running,
    ):
        try:
            _listens(port, running)
            wait_until(
                lambda: "ready to accept connections" in (folder / "log").read_text(), 60, "PostgreSQL"
            )
            yield f"postgres://recto:{password}@127.0.0.1:{port}/postgres"
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)


@dataclass(frozen=True)
class Store:
    """An S3-compatible store with one bucket."""

    endpoint: str
    bucket: str = "documents"
    environment: dict[str, str] = field(
        default_factory=lambda: {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test-secret",
            "AWS_REGION": "us-east-1",
        }
    )

    def objects(self) -> list[str]:
        """The keys of all objects in the bucket."""
        import boto3  # type: ignore[import-not-found,import-untyped,unused-ignore]

        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
        )
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        return [found["Key"] for page in pages for found in page.get("Contents", [])]


@contextlib.contextmanager
def object_store(folder: Path) -> Iterator[Store]:
    """Runs moto's S3 server in another process."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env={**os.environ, "TMPDIR": str(folder)}
        ) as running,
    ):
        try:
            _listens(port, running)
            store = Store(f"http://127.0.0.1:{port}")
            request = urllib.request.Request(f"{store.endpoint}/{store.bucket}", method="PUT")
            with urllib.request.urlopen(request, timeout=30):
                pass
            yield store
        finally:
            running.terminate()
            running.wait(60)


def _listens(port: int, running: subprocess.Popen[Any]) -> None:
    def up() -> bool:
        assert running.poll() is None, "the process has ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    wait_until(up, 60, f"port {port}")


def wait_until(done: Any, seconds: float, what: str) -> None:
    """Waits until `done()` is true."""
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, f"{what}: not within {seconds} s"
        time.sleep(0.02)


class Process:
    """A `recto` process that can be killed and started again."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.command, self.environment, self.log = command, environment, log
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            # Start the process in a new session, so that `kill` also kills its child processes.
            self.running = subprocess.Popen(
                self.command, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )

    def kill(self) -> None:
        """Kills it, and all processes that it started, with SIGKILL."""
        assert self.running is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait(30)

    def stop(self) -> int:
        assert self.running is not None
        self.running.terminate()
        return self.running.wait(60)


class Api:
    """A client that returns status and body of each response; without a response, it raises."""

    def __init__(self, base_url: str, key: str) -> None:
        self.base_url, self.key = base_url, key

    def is_up(self) -> bool:
        """Whether it responds."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.request("GET", "/health")[0] == 200
        return False

    def request(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        sent = {"X-Api-Key": self.key, **(headers or {})}
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        status, response = exchange(method, self.base_url + path, data, sent)
        return status, json.loads(response) if response else None


def exchange(
    method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Sends one request on a new connection. An `OSError` or `HTTPException` means that there was no response."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
