"""A service that is killed loses nothing that it accepted. `benches/service/kills.py` does this 200 times over."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from standing import setups
from standing.machines import postgres_programs


@pytest.fixture
def recto() -> Path:
    found = shutil.which("recto")
    assert found, "recto is not installed"
    return Path(found)


@pytest.fixture
def judges() -> None:
    missing = []
    if not postgres_programs():
        missing.append("postgresql (Debian's package)")
    if importlib.util.find_spec("moto") is None:
        missing.append("moto[server]")
    if missing:
        message = f"not installed: {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)


def test_on_a_data_directory_what_was_accepted_finishes_once(recto: Path, tmp_path: Path) -> None:
    seen, left = setups.data_directory(recto, tmp_path, kills=8, clients=4, seed=3)
    print(seen.summary())
    assert not seen.faults
    assert not left
    assert len(seen.finished) > 8


@pytest.mark.usefixtures("judges")
def test_on_many_machines_what_was_accepted_finishes_once(recto: Path, tmp_path: Path) -> None:
    seen, left = setups.many_machines(recto, tmp_path, kills=6, clients=4, seed=3)
    print(seen.summary())
    assert not seen.faults
    assert not left
    assert len(seen.finished) > 8
