"""The examples for FastAPI, Django and Celery, as real servers: results, errors, and a client that leaves."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from python.conftest import EXAMPLES
from python.loopback import KEY, PDF, Loopback

APPLICATIONS = {"fastapi": "web_fastapi:app", "django": "web_django:application"}
BOUNDARY = "a-boundary-of-parts"


@contextmanager
def served(application: str, **environment: str) -> Iterator[int]:
    """The port of a server. Its socket exists before the program, so nothing waits for the program to start."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "uvicorn", "--app-dir", str(EXAMPLES), application]
        command += ["--fd", str(listener.fileno()), "--log-level", "warning"]
        settings = {**os.environ, **environment}
        server = subprocess.Popen(command, env=settings, pass_fds=[listener.fileno()], stderr=subprocess.PIPE)
        try:
            yield listener.getsockname()[1]
        finally:
            server.terminate()
            _, errors = server.communicate(timeout=30)
    assert b"Traceback" not in errors, errors.decode()


def post(port: int, document: bytes, query: str = "") -> http.client.HTTPConnection:
    """Sends a form with a document."""
    body = (
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=document; filename=a.pdf\r\n"
        "Content-Type: application/pdf\r\n\r\n"
    ).encode()
    body += document + f"\r\n--{BOUNDARY}--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    connection.request("POST", f"/optimize{query}", body, {"Content-Type": kind})
    return connection


@pytest.fixture(scope="module", params=list(APPLICATIONS.values()), ids=list(APPLICATIONS))
def local_port(request: pytest.FixtureRequest) -> Iterator[int]:
    """A server that uses the embedded service."""
    with served(request.param) as port:
        yield port


def answer(port: int, document: bytes, query: str = "") -> tuple[int, str | None, bytes]:
    """The status, the type and the body of the response."""
    with closing(post(port, document, query)) as connection, connection.getresponse() as response:
        return response.status, response.getheader("content-type"), response.read()


def test_a_document_comes_back_small(local_port: int) -> None:
    report = (EXAMPLES / "report.pdf").read_bytes()
    status, kind, body = answer(local_port, report, "?profile=web")
    assert (status, kind) == (200, "application/pdf")
    assert body.startswith(b"%PDF-")
    assert len(body) < len(report)


def test_a_failure_has_a_status_and_a_message(local_port: int) -> None:
    status, _, body = answer(local_port, b"this is not a PDF")
    assert status == 422
    assert b"a.pdf" in body
    assert answer(local_port, PDF, "?profile=wbe")[0] in (400, 422)


@pytest.mark.parametrize("application", APPLICATIONS.values(), ids=APPLICATIONS.keys())
def test_a_client_that_leaves_cancels_the_work(application: str, loopback: Loopback) -> None:
    hold = loopback.hold("result")
    with served(application, RECTO_BASE_URL=loopback.base_url, RECTO_API_KEY=KEY) as port:
        connection = post(port, PDF)
        assert hold.reached.wait(60), "the operation runs"
        connection.close()
        assert hold.dropped.wait(10), "the client of the service disconnects too"


def test_celery_compresses_a_folder(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("report.pdf", "form.pdf"):
        shutil.copy(EXAMPLES / name, folder)
    (folder / "broken.pdf").write_bytes(b"this is not a PDF")
    command = [sys.executable, str(EXAMPLES / "queue_celery.py"), str(folder), str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 1, run.stderr
    assert f"{folder / 'broken.pdf'}: " in run.stderr
    assert {path.name for path in out.iterdir()} == {"report.pdf", "form.pdf"}
    for path in out.iterdir():
        assert path.stat().st_size < (folder / path.name).stat().st_size
