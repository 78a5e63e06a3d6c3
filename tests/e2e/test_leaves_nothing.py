"""The embedded service starts at once and ends with its client, without leftover files, processes or ports."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pikepdf
import pytest
from PIL import Image

import recto
from e2e.support import EXAMPLES

pytestmark = pytest.mark.usefixtures("scratch")

SMALL = EXAMPLES / "form.pdf"


def test_the_service_starts_at_once(record_property: Callable[[str, object], None]) -> None:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        with recto.LocalService() as service:
            times.append(time.perf_counter() - began)
            assert _answers(service.base_url)
    print(
        f"embedded service: {min(times) * 1000:.1f} ms at best, {max(times) * 1000:.1f} ms at worst of 5 starts"
    )
    record_property("service_start_ms", [round(seconds * 1000, 1) for seconds in times])
    assert min(times) < 0.1


def test_closing_the_client_ends_the_service(tmp_path: Path, scratch: Path) -> None:
    before = _listening()
    with recto.Client() as client:
        client.optimize(SMALL).save(tmp_path / "small.pdf")
        assert _listening() - before, "the service does not listen"
        assert any(scratch.iterdir()), "the service does not use the temporary directory"
    assert _listening() - before == set()
    assert _children(os.getpid()) == []


def test_the_service_ends_with_a_client_that_is_not_closed(tmp_path: Path) -> None:
    before = _listening()
    client = recto.Client()
    client.optimize(SMALL).save(tmp_path / "small.pdf")
    del client
    deadline = time.monotonic() + 2
    while _listening() - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _listening() - before == set()


ENDINGS = {
    "at its end, without closing": "",
    "by an error": "raise RuntimeError('of the test')",
    "by sys.exit": "import sys; sys.exit(3)",
    "with the result not awaited": f"client.optimize({str(EXAMPLES / 'report.pdf')!r})",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_that_ends(ending: str, tmp_path: Path) -> None:
    program = f"import recto\nclient = recto.Client()\nclient.optimize({str(SMALL)!r}).save('small.pdf')\n"
    run = _start([sys.executable, "-c", program + ENDINGS[ending]], cwd=tmp_path)
    run.communicate(timeout=30)
    assert run.returncode >= 0, f"died of signal {-run.returncode}"
    assert _session_of(run) == []


@pytest.fixture(scope="module")
def long_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document that takes some seconds: forty noisy photographs of six million pixels."""
    rng = np.random.default_rng(1)
    target = tmp_path_factory.mktemp("long") / "long.pdf"
    noise = rng.integers(0, 255, (500, 750, 3), dtype=np.uint8)
    with pikepdf.new() as document:
        for number in range(40):
            picture = Image.fromarray(np.roll(noise, 17 * number, axis=1)).resize((3000, 2000))
            out = io.BytesIO()
            picture.save(out, "JPEG", quality=90)
            page = document.add_blank_page(page_size=(360, 240))
            image = pikepdf.Stream(
                document, out.getvalue(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=3000,
                Height=2000, ColorSpace=pikepdf.Name.DeviceRGB, BitsPerComponent=8, Filter=pikepdf.Name.DCTDecode,
            )  # fmt: skip
            page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=image))
            page.Contents = document.make_stream(b"360 0 0 240 0 0 cm /Im0 Do")
        document.save(target)
    return target


def _python_job(source: Path, target: Path) -> list[str]:
    program = (
        "import recto\n"
        "with recto.Client() as client:\n"
        f"    operation = client.optimize({str(source)!r}, profile='web')\n"
        f"    operation.save({str(target)!r})\n"
    )
    return [sys.executable, "-c", program]


def _command_job(source: Path, target: Path) -> list[str]:
    return [
        str(Path(sys.executable).with_name("recto")),
        "optimize",
        str(source),
        "--profile",
        "web",
        "-o",
        str(target),
    ]


JOBS = pytest.mark.parametrize("job", [_python_job, _command_job], ids=["Python", "command line"])


@JOBS
def test_ctrl_c_ends_a_job_at_once(
    job: Callable[[Path, Path], list[str]], long_job: Path, tmp_path: Path, scratch: Path
) -> None:
    run = _start(job(long_job, tmp_path / "small.pdf"))
    _wait_for_upload(run, scratch, long_job.stat().st_size)
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=10)
    assert time.monotonic() - began < 1.5
    assert run.returncode in {130, -signal.SIGINT}, errors
    assert list(tmp_path.glob("*small.pdf*")) == []
    assert _session_of(run) == []


def test_a_terminated_command_cleans_up(long_job: Path, tmp_path: Path, scratch: Path) -> None:
    run = _start(_command_job(long_job, tmp_path / "small.pdf"))
    _wait_for_upload(run, scratch, long_job.stat().st_size)
    run.terminate()
    _, errors = run.communicate(timeout=10)
    assert run.returncode == 130, errors
    assert list(tmp_path.glob("*small.pdf*")) == []
    assert _session_of(run) == []


@JOBS
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGABRT])
def test_a_process_that_a_signal_ends_leaves_no_files(
    job: Callable[[Path, Path], list[str]], end: signal.Signals, long_job: Path, tmp_path: Path, scratch: Path
) -> None:
    run = _start(job(long_job, tmp_path / "small.pdf"))
    _wait_for_upload(run, scratch, long_job.stat().st_size)
    run.send_signal(end)
    run.communicate(timeout=10)
    # The worker and the watch of the folder notice that the process has ended.
    _wait_for_end_of(run)
    # After the test, the fixture `scratch` checks that the temporary directory is empty.


def test_without_workers_the_next_start_removes_the_files_of_a_killed_process(
    long_job: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECTO_WORKER", "none")
    run = _start(_python_job(long_job, tmp_path / "small.pdf"))
    _wait_for_upload(run, scratch, long_job.stat().st_size)
    run.kill()
    run.communicate(timeout=10)
    assert any(scratch.iterdir()), "killed too late: the job had already ended"
    _wait_for_end_of(run)
    subprocess.run(_command_job(SMALL, tmp_path / "next.pdf"), check=True, timeout=30)


def test_a_service_that_was_started_explicitly_is_removed_at_exit(tmp_path: Path) -> None:
    program = (
        "import recto\n"
        "service = recto.LocalService()\n"
        "recto.kept_alive = service\n"
        "client = recto.Client(base_url=service.base_url, api_key=service.api_key)\n"
        f"client.files.upload({str(SMALL)!r})\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=30)


def _start(command: list[str], cwd: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, cwd=cwd, start_new_session=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def _wait_for_upload(run: subprocess.Popen[str], scratch: Path, size: int) -> None:
    """Returns when the service has the whole document: the job is about to start or is running."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        assert run.poll() is None, f"ended early: {run.communicate()}"
        sizes = [path.stat().st_size for path in scratch.rglob("*") if path.is_file()]
        if size in sizes:
            time.sleep(0.2)
            return
        time.sleep(0.01)
    pytest.fail("the document did not reach the service within 20 s")


def _wait_for_end_of(run: subprocess.Popen[str]) -> None:
    """Waits until no process of the session runs any more."""
    deadline = time.monotonic() + 5
    while _session_of(run) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _session_of(run) == []


def _session_of(run: subprocess.Popen[str]) -> list[int]:
    """The running processes in the session that `run` started."""
    return [pid for pid, session, _ in _processes() if session == run.pid]


def _children(parent: int) -> list[int]:
    return [pid for pid, _, its_parent in _processes() if its_parent == parent]


def _processes() -> list[tuple[int, int, int]]:
    """Process id, session and parent of every living process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # the process ended meanwhile
            continue
        if fields[0] != "Z":
            found.append((int(stat.parent.name), int(fields[3]), int(fields[1])))
    return found


def _listening() -> set[str]:
    """The inodes of this process's listening TCP sockets."""
    listening = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                listening.add(f"socket:[{fields[9]}]")
    held = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            held.add(str(descriptor.readlink()))
        except OSError:  # the descriptor of the listing itself
            continue
    return listening & held


def _answers(base_url: str) -> bool:
    address = urlsplit(base_url)
    with socket.create_connection((address.hostname, address.port or 80), timeout=1):
        return True
