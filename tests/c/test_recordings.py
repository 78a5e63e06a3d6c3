"""Plays every recording through the C and C++ interfaces, with sanitizers and under valgrind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from c.support import C11, CPP17, HERE, SANITIZERS, Library, need, passes, run
from rust_programs import rust_program

RUNNERS = {
    "c": (sorted((HERE / "recordings").glob("*.c")), C11, ("-ljansson",)),
    "cpp": (sorted((HERE / "recordings_cpp").glob("*.cpp")), CPP17, ()),
}


def _runner(face: str, library: Library, built: Path, flags: list[str]) -> Path:
    sources, standard, libraries = RUNNERS[face]
    target = built / f"recordings-{face}{'-sanitized' if flags else ''}"
    return target if target.exists() else library.compile(sources, target, [*standard, *flags], libraries)


@pytest.mark.parametrize("face", RUNNERS)
def test_every_recording_passes_under_the_sanitizers(face: str, library: Library, built: Path) -> None:
    runner = _runner(face, library, built, SANITIZERS)
    output = passes(rust_program("recto-replay"), "run", "--face", face, "--", runner, timeout=300)
    played, of = re.findall(r"^(\d+) of (\d+) scenarios passed;", output, re.MULTILINE)[0]
    assert played == of
    assert int(of) > 600


def test_every_recording_leaves_no_error_and_no_leak_under_valgrind(library: Library, built: Path) -> None:
    runner = _runner("c", library, built, [])
    valgrind = [
        *[need("valgrind"), "--fair-sched=yes", f"--suppressions={HERE / 'valgrind.supp'}"],
        *["--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"],
    ]
    done = run(rust_program("recto-replay"), "run", "--", *valgrind, runner, timeout=300)
    # Calls are slow under valgrind, so scenarios with short time limits can fail. The test with the sanitizers checks
    # that all scenarios pass.
    output = done.stdout + done.stderr
    assert "was not run" not in output
    assert "ERROR SUMMARY: 0 errors" in output, output
    assert "definitely lost: 0 bytes" in output, output
