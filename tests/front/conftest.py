"""What the tests of the front door share: the samples, the installed command, other people's tools as judges."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from front.support import Judge


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No service configured, whatever the developer's shell says."""
    for name in os.environ:
        if name.startswith("RECTO_"):
            monkeypatch.delenv(name)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary directory of everything a test starts; must be empty again when the test ends."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert sorted(folder.rglob("*")) == [], "temporary files were left behind"


@pytest.fixture(scope="session")
def command() -> str:
    """The `recto` that was installed with the package under test."""
    found = shutil.which("recto", path=Path(sys.executable).parent)
    assert found, "no `recto` beside the interpreter: install the package first"
    return found


@pytest.fixture(scope="session")
def judge() -> Judge:
    """Runs a judge; one that is not installed fails in CI and is skipped aloud elsewhere."""

    def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        if shutil.which(program) is None:
            if os.environ.get("CI"):
                pytest.fail(f"the judge {program} is not installed; see scripts/check-machine test")
            pytest.skip(f"the judge {program} is not installed; see scripts/check-machine test")
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, check=False)

    return run
