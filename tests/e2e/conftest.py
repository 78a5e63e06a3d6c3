"""Shared by the end-to-end tests: the samples, the installed command, and other programs as oracles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.support import Oracle


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the `RECTO_` variables of the developer's shell."""
    for name in os.environ:
        if name.startswith("RECTO_"):
            monkeypatch.delenv(name)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary directory of all that a test starts; it must be empty when the test ends."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert sorted(folder.rglob("*")) == [], "temporary files were left behind"


@pytest.fixture(scope="session")
def command() -> str:
    """The `recto` that was installed with the package under test."""
    found = shutil.which("recto", path=Path(sys.executable).parent)
    assert found, "there is no `recto` next to the interpreter: install the package first"
    return found


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    """Runs an oracle; one that is not installed fails the test in CI and skips it elsewhere."""

    def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        if shutil.which(program) is None:
            if os.environ.get("CI"):
                pytest.fail(
                    f"{program}, which checks the output, is not installed; see scripts/check-machine test"
                )
            pytest.skip(
                f"{program}, which checks the output, is not installed; see scripts/check-machine test"
            )
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, check=False)

    return run
