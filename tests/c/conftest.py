"""What the tests of the C and C++ face are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from c.support import Library
from rust_programs import c_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library of the build that cargo's tests use."""
    folder, built = tmp_path_factory.mktemp("library"), c_library()
    for name in ("librecto.so", "librecto.so.0"):
        (folder / name).symlink_to(built / "librecto_c.so")
    (folder / "librecto.a").symlink_to(built / "librecto_c.a")
    return Library(folder)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of the tests go."""
    return tmp_path_factory.mktemp("built")
