"""The files of the embedded service in a C program: deleted with their handles, and the folder at the end."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from c.support import C11, CPP17, EXAMPLES, HERE, Library, run
from rust_programs import rust_program

PRINTED = "0 files after operations\n5 files kept\n"


@pytest.fixture(scope="module")
def program(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    return library.compile([HERE / "misuse/files.c"], folder / "files", [*C11, "-D_GNU_SOURCE"])


def ended(program: Path, folder: Path, end: str, worker: str | None = None) -> Path:
    """Runs the program until it ends in the way `end`. Returns its temporary folder."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    environment = {"TMPDIR": str(scratch), "RECTO_WORKER": worker or str(rust_program("recto"))}
    done = run(program, EXAMPLES / "form.pdf", folder / "small.pdf", end, environment=environment)
    expected = 0 if end in {"exit", "_exit"} else -int(end)
    assert (done.returncode, done.stdout) == (expected, PRINTED), done.stderr
    return scratch


@pytest.mark.parametrize("end", ["exit", "_exit", "SIGTERM", "SIGINT", "SIGKILL", "SIGABRT"])
def test_the_folder_is_removed_however_the_program_ends(program: Path, tmp_path: Path, end: str) -> None:
    number = str(int(signal.Signals[end])) if end.startswith("SIG") else end
    scratch = ended(program, tmp_path, number)
    if end == "exit":
        assert list(scratch.iterdir()) == []
    deadline = time.monotonic() + 10
    while list(scratch.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(scratch.iterdir()) == []


def test_without_workers_the_next_start_removes_the_folder(program: Path, tmp_path: Path) -> None:
    scratch = ended(program, tmp_path, "9", worker="none")
    assert list(scratch.iterdir()) != []
    assert list(ended(program, tmp_path, "exit", worker="none").iterdir()) == []


def test_settings_are_checked_and_limit_the_service(library: Library, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/settings.cpp"], tmp_path / "settings", CPP17)
    done = run(program, EXAMPLES / "form.pdf", environment={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["2 files kept", "storage_full"]
    parts = ["stored_bytes", "stored_bytes", "isolation", "tight", "/nowhere/recto", '"x"', "started"]
    for line, part in zip(lines[2:], parts, strict=True):
        assert part in line
