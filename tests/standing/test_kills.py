"""A service that is killed loses nothing that it accepted. `benches/service/kills.py` does this 200 times over."""

from __future__ import annotations

from pathlib import Path

import pytest

from standing import setups


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
