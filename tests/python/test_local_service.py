"""The embedded service: started on demand, shared, stopped with the last client, without leftover files."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import recto
from python.conftest import EXAMPLES


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


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A small document."""
    return Path(shutil.copy(EXAMPLES / "form.pdf", tmp_path / "form.pdf"))


LEFT = """
import sys, time, recto
source, settings = sys.argv[1], eval(sys.argv[2])
def left(client, expected):
    deadline = time.monotonic() + 10
    while len(client.files.list()) != expected and time.monotonic() < deadline:
        time.sleep(0.01)
    return len(client.files.list())
with recto.Client(**settings) as client:
    for number in range(4):
        operation = client.optimize(source)
        [operation.read, lambda: operation.save("small.pdf"), lambda: list(operation.iter_bytes())][number % 3]()
    client.validate(source).result()
    del operation
    print(left(client, 0))
    uploaded = client.files.upload(source)
    client.optimize(recto.FileId(uploaded)).read()
    print(left(client, 1), client.files.get(uploaded).name)
    client.files.delete(uploaded)
    kept = client.optimize(source)
    kept.keep()
    kept.read()
    del kept
    token = client.optimize(source).token
    client.operation(token).read()
    result = client.optimize(source).result()  # not downloaded
    time.sleep(0.3)
    print(left(client, 5), client.files.get(result.output.file_id).origin)
    chained = client.validate(client.optimize(source))
    chained.result()
    del chained
    print(left(client, 5))
    list(client.batch("optimize", [source, source], to="out"))
    print(left(client, 5))
"""


def run_program(program: str, *arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in a new process, in which no other client uses the embedded service."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_files_are_deleted_with_their_operations_unless_they_are_kept(form: Path, tmp_path: Path) -> None:
    run = run_program(LEFT, form, {}, folder=tmp_path)
    assert (run.stdout.splitlines(), run.stderr) == (["0", "1 form.pdf", "5 result", "5", "5"], "")


def test_a_client_keeps_all_files_on_purpose(form: Path, tmp_path: Path) -> None:
    program = (
        "import sys, recto\n"
        "with recto.Client(keep_files=True) as client:\n"
        "    for _ in range(3):\n"
        "        client.optimize(sys.argv[1]).read()\n"
        "    print(len(client.files.list()))\n"
        "with recto.Client() as client:\n"
        "    client.with_options(keep_files=True).optimize(sys.argv[1]).read()\n"
        "    print(len(client.files.list()))\n"
    )
    run = run_program(program, form, folder=tmp_path)
    assert (run.stdout, run.stderr) == ("6\n2\n", "")


def test_an_asynchronous_operation_deletes_and_keeps_its_files_too(form: Path, tmp_path: Path) -> None:
    program = (
        "import asyncio, sys, recto\n"
        "async def main():\n"
        "    async with recto.AsyncClient(local={'isolation': 'none'}) as client:\n"
        "        await (await client.optimize(sys.argv[1])).read()\n"
        "        operation = await client.optimize(sys.argv[1])\n"
        "        operation.keep()\n"
        "        await operation.read()\n"
        "        del operation\n"
        "        for _ in range(500):\n"
        "            if len(files := await client.files.list()) == 2: break\n"
        "            await asyncio.sleep(0.01)\n"
        "        await asyncio.sleep(0.2)\n"
        "        print(len(await client.files.list()))\n"
        "asyncio.run(main())\n"
    )
    run = run_program(program, form, folder=tmp_path)
    assert (run.stdout, run.stderr) == ("2\n", "")


def test_a_service_that_was_started_explicitly_deletes_nothing(form: Path) -> None:
    with (
        recto.LocalService() as service,
        recto.Client(base_url=service.base_url, api_key=service.api_key) as client,
    ):
        client.optimize(form).read()
        assert len(client.files.list()) == 2


def test_settings_limit_the_embedded_service(form: Path, tmp_path: Path) -> None:
    program = (
        "import sys, recto\n"
        "local = {'stored_bytes': 1000, 'retention': 60, 'isolation': 'none', 'workers': 1, 'data_dir': '.',\n"
        "         'worker_memory': 2**30, 'in_process_bytes': 2**20}\n"
        "with recto.Client.from_env(local=local) as client:\n"
        "    try:\n"
        "        client.optimize(sys.argv[1])\n"
        "    except recto.Error as error:\n"
        "        print(error.code)\n"
        "    try:\n"
        "        recto.Client().files.list()\n"
        "    except recto.ConfigError as error:\n"
        "        print('same settings' in str(error))\n"
        "with recto.LocalService(**local) as service:\n"
        "    with recto.Client(base_url=service.base_url, api_key=service.api_key) as client:\n"
        "        try:\n"
        "            client.optimize(sys.argv[1])\n"
        "        except recto.Error as error:\n"
        "            print(error.code)\n"
    )
    run = run_program(program, form, folder=tmp_path)
    assert (run.stdout.split(), run.stderr) == (["storage_full", "True", "storage_full"], "")
    assert list(tmp_path.iterdir()) == [form]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"isolation": "tight"}, "none, best, workers or strict"),
        ({"isolation": "workers", "worker": "/nowhere/recto"}, "/nowhere/recto"),
        ({"stored_bytes": 0}, "stored_bytes takes a number of bytes above 0, not 0"),
        ({"workers": 0}, "workers takes"),
        ({"worker_memory": "1GiB"}, "worker_memory takes a number of bytes"),
        ({"retention": 0}, "retention"),
        ({"data_dir": "/nowhere"}, "/nowhere"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_it_takes(settings: dict[str, object], message: str) -> None:
    with pytest.raises(recto.ConfigError, match=message):
        recto.LocalService(**settings)  # type: ignore[arg-type]


def test_an_unknown_setting_is_refused_with_those_that_exist() -> None:
    with pytest.raises(recto.ConfigError, match=r"unknown setting 'memory'.*worker_memory"):
        recto.Client(local={"memory": 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="mapping"):
        recto.Client(local="workers")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="isolation is a str"):
        recto.Client(local={"isolation": 1})  # type: ignore[arg-type]


def test_workers_are_required(form: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        recto.LocalService(isolation="workers") as service,
        recto.Client(base_url=service.base_url, api_key=service.api_key) as client,
    ):
        assert client.encrypt(form, password="geheim").read().startswith(b"%PDF")
    monkeypatch.setenv("RECTO_WORKER", "none")
    with pytest.raises(recto.ConfigError, match="RECTO_WORKER"):
        recto.LocalService(isolation="workers")


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
