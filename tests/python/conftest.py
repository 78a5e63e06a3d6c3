"""Shared by the tests of the Python package: a client of the embedded service, and fake services."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import recto
from python.loopback import PDF, Loopback

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the `RECTO_` variables of the developer's shell."""
    for name in os.environ:
        if name.startswith("RECTO_"):
            monkeypatch.delenv(name)


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    service = Loopback()
    yield service
    service.close()


@pytest.fixture
def remote(loopback: Loopback) -> Iterator[recto.Client]:
    """A client of the loopback service."""
    with recto.Client(**loopback.settings()) as client:
        yield client


@pytest.fixture(scope="module")
def local() -> Iterator[recto.Client]:
    """A client of the embedded service."""
    with recto.Client() as client:
        yield client


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A real document."""
    return Path(shutil.copy(EXAMPLES / "report.pdf", tmp_path / "report.pdf"))


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A file that begins like a PDF, for services that do not parse it."""
    path = tmp_path / "in.pdf"
    path.write_bytes(PDF)
    return path
