"""Invalid input: one clear line, the documented exit code, no partial output and no temporary files."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import pytest

import recto
from e2e.support import EXAMPLES

pytestmark = pytest.mark.usefixtures("scratch")

REFUSED, USAGE, LOCAL_FILE, SERVICE, TIMED_OUT = 1, 2, 3, 4, 5


@dataclass(frozen=True)
class Bad:
    """An input that cannot be optimized: how it is made, the exit code of the command, the exception in Python."""

    name: str
    make: Callable[[Path], Path]
    code: int
    error: type[Exception]


def _not_a_pdf(folder: Path) -> Path:
    path = folder / "letter.pdf"
    path.write_text("Dear Madam,\nthis is a letter, not a PDF.\n")
    return path


def _empty(folder: Path) -> Path:
    path = folder / "empty.pdf"
    path.touch()
    return path


def _truncated(folder: Path) -> Path:
    """The first tenth of a PDF: with the header, without the first page."""
    path = folder / "truncated.pdf"
    whole = (EXAMPLES / "report.pdf").read_bytes()
    path.write_bytes(whole[: len(whole) // 10])
    return path


def _locked(folder: Path) -> Path:
    path = folder / "locked.pdf"
    with pikepdf.open(EXAMPLES / "form.pdf") as document:
        document.save(path, encryption=pikepdf.Encryption(user="open", owner="sesame", R=6))
    return path


def _directory(folder: Path) -> Path:
    path = folder / "folder.pdf"
    path.mkdir()
    return path


def _unreadable(folder: Path) -> Path:
    path = folder / "unreadable.pdf"
    shutil.copy(EXAMPLES / "form.pdf", path)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    return path


INPUTS = [
    Bad("not a PDF", _not_a_pdf, REFUSED, recto.OperationFailed),
    Bad("empty", _empty, REFUSED, recto.OperationFailed),
    Bad("truncated", _truncated, REFUSED, recto.OperationFailed),
    Bad("encrypted", _locked, REFUSED, recto.OperationFailed),
    Bad("missing", lambda folder: folder / "missing.pdf", LOCAL_FILE, FileNotFoundError),
    Bad("a directory", _directory, LOCAL_FILE, IsADirectoryError),
    Bad("not readable", _unreadable, LOCAL_FILE, PermissionError),
]
EACH_INPUT = pytest.mark.parametrize("bad", INPUTS, ids=lambda bad: bad.name)


@EACH_INPUT
def test_the_command_refuses_input_that_is(bad: Bad, tmp_path: Path, command: str) -> None:
    source, target = bad.make(tmp_path), tmp_path / "out" / "small.pdf"
    target.parent.mkdir()
    line = _refused(command, source, target, bad.code)
    assert source.name in line
    assert list(target.parent.iterdir()) == []


@EACH_INPUT
def test_a_refused_input_keeps_the_earlier_result(bad: Bad, tmp_path: Path, command: str) -> None:
    source, target = bad.make(tmp_path), tmp_path / "out" / "small.pdf"
    target.parent.mkdir()
    target.write_text("the result of yesterday")
    _refused(command, source, target, bad.code)
    assert target.read_text() == "the result of yesterday"
    assert list(target.parent.iterdir()) == [target]


@EACH_INPUT
def test_python_raises_for_input_that_is(bad: Bad, tmp_path: Path) -> None:
    source, target = bad.make(tmp_path), tmp_path / "out" / "small.pdf"
    target.parent.mkdir()
    with recto.Client() as client:
        with pytest.raises(bad.error) as caught:
            client.optimize(source).save(target)
        message = str(caught.value)
        assert "\n" not in message
        # The message of an error from the service names the operation. The message of a local error names the file.
        named = caught.value.operation_id if isinstance(caught.value, recto.Error) else source.name
        assert named
        assert named in message
        # The client can still be used after the error.
        client.optimize(EXAMPLES / "form.pdf").save(tmp_path / "next.pdf")
    assert list(target.parent.iterdir()) == []


def test_the_message_for_an_encrypted_document_names_the_decrypt_command(
    tmp_path: Path, command: str
) -> None:
    line = _refused(command, _locked(tmp_path), tmp_path / "small.pdf", REFUSED)
    assert "password" in line
    assert "decrypt" in line


@pytest.mark.parametrize("place", ["under a file", "in no folder", "in /proc"])
def test_the_message_names_a_target_that_cannot_be_written(place: str, tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("a file")
    target = {
        "under a file": tmp_path / "file" / "small.pdf",
        "in no folder": tmp_path / "no" / "folder" / "small.pdf",
        "in /proc": Path("/proc/small.pdf"),
    }[place]
    line = _refused(command, EXAMPLES / "form.pdf", target, LOCAL_FILE)
    assert str(target) in line
    with recto.Client() as client, pytest.raises(OSError, match="small") as caught:
        client.optimize(EXAMPLES / "form.pdf").save(target)
    assert str(target) in str(caught.value)


def test_the_message_names_a_file_in_a_read_only_folder(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("root may write everywhere; the target in /proc covers this case")
    line = _refused(command, EXAMPLES / "form.pdf", folder / "small.pdf", LOCAL_FILE)
    assert "small.pdf" in line


@pytest.fixture
def full_disk(tmp_path: Path) -> list[str]:
    """A command prefix under which `tmp_path / "disk"` is a file system of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = f'mount -t tmpfs -o size=64k none "{disk}" && "$@"; code=$?; ls -A "{disk}" >"{disk}.left"; exit $code'
    prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounting, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        prefix.remove("--user")
        prefix.remove("--map-root-user")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    return prefix


def test_the_message_names_a_full_disk_and_no_partial_output_stays(
    full_disk: list[str], tmp_path: Path, command: str
) -> None:
    target = tmp_path / "disk" / "small.pdf"
    line = _refused(command, EXAMPLES / "report.pdf", target, LOCAL_FILE, prefix=full_disk)
    assert str(target) in line
    assert "space" in line.lower()
    assert (tmp_path / "disk.left").read_text() == ""


def test_a_full_temporary_directory_does_not_crash(
    full_disk: list[str], tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "disk"))
    target = tmp_path / "small.pdf"
    run = subprocess.run(
        [*full_disk, command, "optimize", EXAMPLES / "report.pdf", "-o", target],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode in {REFUSED, LOCAL_FILE, SERVICE}, run.stderr
    assert "is full" in run.stderr, run.stderr
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert not target.exists()
    assert (tmp_path / "disk.left").read_text() == ""


def test_an_option_outside_its_set_is_refused_with_the_allowed_values(tmp_path: Path, command: str) -> None:
    run = _run(command, EXAMPLES / "form.pdf", tmp_path / "small.pdf", "--profile", "tiny")
    assert run.returncode == USAGE, run.stderr
    for word in ("tiny", "web", "print", "archive", "minimalFileSize"):
        assert word in run.stderr
    with recto.Client() as client, pytest.raises(recto.InvalidRequest, match="minimalFileSize"):
        client.optimize(EXAMPLES / "form.pdf", profile="tiny")  # type: ignore[arg-type]


def test_an_extension_that_the_operation_does_not_take_is_refused(tmp_path: Path, command: str) -> None:
    run = _run(command, EXAMPLES / "scan.png", tmp_path / "small.pdf")
    assert run.returncode == USAGE, run.stderr
    assert "pdf" in run.stderr
    assert not (tmp_path / "small.pdf").exists()


def test_the_message_names_a_service_that_cannot_be_reached(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.setenv("RECTO_BASE_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("RECTO_API_KEY", "secret-of-the-test")
    line = _refused(command, EXAMPLES / "form.pdf", tmp_path / "small.pdf", SERVICE)
    assert "cannot connect to 127.0.0.1" in line
    assert "base URL" in line
    assert "secret-of-the-test" not in line


def test_a_service_that_does_not_respond_times_out(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("RECTO_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("RECTO_API_KEY", "secret-of-the-test")
        monkeypatch.setenv("RECTO_TIMEOUT", "1")
        _refused(command, EXAMPLES / "form.pdf", tmp_path / "small.pdf", TIMED_OUT)


def test_the_message_for_a_wrong_key_names_the_key(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recto.LocalService() as service:
        monkeypatch.setenv("RECTO_BASE_URL", service.base_url)
        monkeypatch.setenv("RECTO_API_KEY", "secret-of-the-test")
        line = _refused(command, EXAMPLES / "form.pdf", tmp_path / "small.pdf", SERVICE)
    assert "key" in line.lower()
    assert "secret-of-the-test" not in line


def _run(
    command: str, source: Path, target: Path, *options: str, prefix: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    arguments = [*(prefix or []), command, "optimize", str(source), "-o", str(target), *options]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)


def _refused(command: str, source: Path, target: Path, code: int, prefix: list[str] | None = None) -> str:
    """Runs the command, which must exit with `code`, and returns its output: one line on standard error."""
    run = _run(command, source, target, prefix=prefix)
    assert run.returncode == code, f"exit code {run.returncode}: {run.stderr}"
    assert run.stdout == ""
    lines = run.stderr.splitlines()
    assert len(lines) == 1, f"expected one line: {run.stderr}"
    assert lines[0].startswith("recto: "), lines[0]
    assert "panicked" not in lines[0]
    return lines[0]
