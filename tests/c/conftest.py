"""The fixtures of the tests of the C and C++ interfaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from c.support import Library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library from the build that cargo's tests use."""
    return Library.linked_in(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for the compiled test programs."""
    return tmp_path_factory.mktemp("built")
