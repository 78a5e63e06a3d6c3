"""A killed service loses no accepted operation. `benches/service/kills.py` does the same with 200 kills."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster import setups


def test_accepted_operations_finish_once_on_a_data_directory(recto: Path, tmp_path: Path) -> None:
    seen, left = setups.data_directory(recto, tmp_path, kills=8, clients=4, seed=3)
    print(seen.summary())
    assert not seen.faults
    assert not left
    assert len(seen.finished) > 8


@pytest.mark.usefixtures("infrastructure")
def test_accepted_operations_finish_once_on_many_machines(recto: Path, tmp_path: Path) -> None:
    seen, left = setups.many_machines(recto, tmp_path, kills=6, clients=4, seed=3)
    print(seen.summary())
    assert not seen.faults
    assert not left
    assert len(seen.finished) > 8
