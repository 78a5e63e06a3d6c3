"""Fixtures of the cluster tests: the installed command, and the programs that must be installed in CI."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from cluster.infrastructure import postgres_programs


@pytest.fixture(scope="session")
def recto() -> Path:
    """The `recto` that was installed with the package under test."""
    found = shutil.which("recto", path=Path(sys.executable).parent) or shutil.which("recto")
    assert found, "there is no `recto` next to the interpreter: install the package first"
    return Path(found)


@pytest.fixture(scope="session")
def infrastructure() -> None:
    """Needs PostgreSQL and moto: without them the test fails in CI, and is skipped elsewhere."""
    missing = []
    if not postgres_programs():
        missing.append("postgresql (Debian's package)")
    if importlib.util.find_spec("moto") is None:
        missing.append("moto[server]")
    if missing:
        message = f"not installed: {', '.join(missing)}; see scripts/check-machine test"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
