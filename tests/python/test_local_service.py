"""The embedded service: started on demand, shared, stopped with the last client, without leftover files."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import recto


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory of all that a test starts."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def answers(base_url: str) -> bool:
    address = urlsplit(base_url)
    try:
        socket.create_connection((address.hostname, address.port or 80), timeout=1).close()
    except ConnectionRefusedError:
        return False
    return True


def test_a_client_that_is_not_used_starts_nothing(scratch: Path) -> None:
    threads = len(list(Path("/proc/self/task").iterdir()))
    with recto.Client() as client:
        assert "embedded" in repr(client)
        assert list(scratch.iterdir()) == []
        assert len(list(Path("/proc/self/task").iterdir())) == threads


def test_clients_share_a_service_that_ends_with_the_last(report: Path, scratch: Path) -> None:
    # Run the program in a new process, in which no other client of the embedded service exists.
    program = (
        "import os, sys, recto\n"
        "source, scratch = sys.argv[1:]\n"
        "first, second = recto.Client(), recto.Client()\n"
        "file_id = first.files.upload(source)\n"
        "assert second.files.get(file_id).name == 'report.pdf'\n"
        "first.close()\n"
        "assert second.files.get(file_id).name == 'report.pdf'\n"
        "assert os.listdir(scratch)\n"
        "second.close()\n"
        "assert os.listdir(scratch) == []\n"
        "third = recto.Client()\n"
        "assert third.files.list() == []\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, report, scratch],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert list(scratch.iterdir()) == []


def test_an_operation_keeps_its_service_alive(report: Path) -> None:
    operation = recto.Client().validate(report)
    assert operation.status()


def test_a_service_can_be_started_explicitly(report: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with recto.LocalService(data, workers=1) as service:
        assert service.base_url.startswith("http://127.0.0.1:")
        with recto.Client(base_url=service.base_url, api_key=service.api_key) as client:
            assert client.files.get(client.files.upload(report)).name == "report.pdf"
        assert any(data.iterdir())
        with (
            recto.Client(base_url=service.base_url, api_key="another key") as stranger,
            pytest.raises(recto.AuthError),
        ):
            stranger.files.list()
        base_url = service.base_url
        assert answers(base_url)
    assert not answers(base_url)
    assert list(data.iterdir()) == []
    service.close()


def test_a_service_uses_the_given_port_and_key() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with recto.LocalService(port=port, api_key="a-key-of-our-own-that-is-long-enough") as service:
        assert service.base_url == f"http://127.0.0.1:{port}"
        assert service.api_key == "a-key-of-our-own-that-is-long-enough"
        with pytest.raises(recto.ConfigError, match=str(port)):
            recto.LocalService(port=port)


def test_a_service_that_cannot_start_raises_the_reason(tmp_path: Path) -> None:
    with pytest.raises(recto.ConfigError, match="missing"):
        recto.LocalService(tmp_path / "missing")


def test_a_proxy_of_the_environment_is_not_used_for_the_embedded_service(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with recto.Client() as client:
        assert client.files.upload(report)


def test_closing_twice_and_from_many_threads_is_harmless(report: Path) -> None:
    client = recto.Client()
    client.files.upload(report)
    threads = [threading.Thread(target=client.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(recto.ConfigError, match="closed"):
        client.files.list()


def workers() -> list[str]:
    """The command lines of this process's workers."""
    found = []
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            with contextlib.suppress(OSError):  # the process ended meanwhile
                command = Path(f"/proc/{child}/cmdline").read_text().split("\0")
                if "engine-worker" in command:
                    found.append(command[0])
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks into /proc")
def test_documents_are_processed_by_workers_of_this_interpreter(report: Path, scratch: Path) -> None:
    service = recto.LocalService(data_dir=scratch)
    with service, recto.Client(base_url=service.base_url, api_key=service.api_key) as client:
        client.encrypt(report, password="geheim").read()
        assert workers(), "no worker waits"
        assert set(workers()) == {sys.executable}
    assert workers() == []
    assert list(scratch.iterdir()) == []


def test_workers_can_be_turned_off(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_WORKER", "none")
    with (
        recto.LocalService() as service,
        recto.Client(base_url=service.base_url, api_key=service.api_key) as client,
    ):
        assert client.encrypt(report, password="geheim").read().startswith(b"%PDF")
        assert workers() == []


def test_only_the_ports_that_are_set_are_fetched_from() -> None:
    for ports, other, named in [(None, 8080, "80, 443"), ([80, 8443], 443, "80, 8443")]:
        with (
            recto.LocalService(fetch_ports=ports) as service,
            recto.Client(base_url=service.base_url, api_key=service.api_key) as client,
            pytest.raises(recto.InvalidRequest, match=named) as caught,
        ):
            client.files.upload_from_url(f"http://files.example.org:{other}/report.pdf")
        assert caught.value.code == "address_not_allowed"
