"""The documentation as a site: built in strict mode, without dead links, with all public names in its reference."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import recto
from recto import _native

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    if importlib.util.find_spec("mkdocs") is None:
        message = "mkdocs is not installed: it is in the dependency group docs"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    folder = tmp_path_factory.mktemp("site")
    # Do not add --quiet: with it, MkDocs ignores warnings.
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert build.returncode == 0, build.stdout + build.stderr
    return folder


def _ids(page: Path) -> set[str]:
    return set(re.findall(r'<h[1-6] id="([^"]+)"', page.read_text(encoding="utf-8")))


def test_every_operation_and_every_option_is_in_the_reference(site: Path) -> None:
    page = site / "reference" / "operations.html"
    operations = _native.operations()
    assert {row["name"] for row in operations} <= _ids(page)
    text = page.read_text(encoding="utf-8")
    for path in {option["path"] for row in operations for option in row["options"]}:
        assert f"<code>{path}</code>" in text, path


def test_every_command_is_in_the_reference(site: Path) -> None:
    ids = _ids(site / "reference" / "command-line.html")
    assert {f"recto-{row['name']}" for row in _native.operations()} <= ids
    assert {"recto-serve", "recto-doctor", "recto-files-upload", "recto-fetch"} <= ids


def test_every_public_name_of_python_is_in_the_reference_with_its_types(site: Path) -> None:
    page = site / "reference" / "python.html"
    classes = {name for name in recto.__all__ if isinstance(getattr(recto, name), type)}
    assert {name.lower() for name in classes} <= _ids(page)
    text = re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))
    for part in (
        "stamp_qr(",
        "profile: ProfileLike | None = None",
        "The time when it was created in the service",
    ):
        assert part in text, part


def test_every_function_of_c_is_in_the_reference(site: Path) -> None:
    header = (ROOT / "include" / "recto.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"^[a-z][\w *]*?\b(recto_\w+)\(", header, re.MULTILINE))
    assert len(functions) > 50
    assert functions <= _ids(site / "reference" / "c.html")


def test_the_settings_of_client_and_service_are_on_their_pages(site: Path) -> None:
    for page, settings in {
        "hosted-service": ("base_url", "retry_unknown", "client_certificate"),
        "own-service": ("file_bytes", "stall_time"),
    }.items():
        text = (site / "how-to" / f"{page}.html").read_text(encoding="utf-8")
        assert [name for name in settings if f"<code>{name}</code>" not in text] == []


def test_no_page_loads_from_another_host_or_shows_a_mark(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', text)
        loaded += re.findall(r'<link[^>]* rel="(?:stylesheet|preload|icon)"[^>]* href="([^"]+)"', text)
        assert [address for address in loaded if "//" in address] == [], page
        assert "made: " not in text, page
