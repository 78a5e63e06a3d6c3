"""The examples in the documentation of the package, run against the embedded service."""

from __future__ import annotations

import doctest
import inspect
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import recto
from python.conftest import EXAMPLES
from recto import _native, errors, options, records

SPACES = {
    "office": "office",
    "draw": "drawing",
    "svg": "svg-compatible",
    "text": "text",
    "manifest": "manifest",
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples() -> Iterator[doctest.DocTest]:
    """Every documented example of a public name; `Client` stands for the operations."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    holders: list[type] = [recto.Client, recto.OperationType]
    holders += [getattr(_native, name) for name in ("Cancel", "Client", "Files", "LocalService", "Operation")]
    for module in (errors, options, records):
        holders += [
            kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__name__ in module.__all__
        ]
    for base in recto.Client.__mro__[1:-1]:
        if base.__module__ == "recto._operations":
            holders.append(base)
    for holder in holders:
        yield from (found for found in finder.find(holder, holder.__name__, module=False) if found.examples)


EVERY = {example.name: example for example in examples()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, local: recto.Client) -> Path:
    """The documents that the examples speak of."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(EXAMPLES / "report.pdf", folder / "report.pdf")
    shutil.copy(EXAMPLES / "scan.jpg", folder / "photo.jpg")
    presentation(folder / "talk.odp")
    (folder / "letter.txt").write_text("Dear reader,\n\nthis is a letter.\n")
    (folder / "figures.csv").write_text("year,figure\n2025,1\n2026,2\n")
    local.encrypt(folder / "report.pdf", password="open sesame").save(folder / "locked.pdf")
    return folder


def presentation(path: Path) -> None:
    """Writes a presentation of one slide with one text (OpenDocument 1.2)."""
    names = {name: f"urn:oasis:names:tc:opendocument:xmlns:{rest}:1.0" for name, rest in SPACES.items()}
    spaces = " ".join(f'xmlns:{name}="{urn}"' for name, urn in names.items())
    box = '<draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>A talk</text:p>'
    slide = f'<draw:page draw:name="1">{box}</draw:text-box></draw:frame></draw:page>'
    kind = "application/vnd.oasis.opendocument.presentation"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.2"><office:body><office:presentation>{slide}'
            "</office:presentation></office:body></office:document-content>",
        )
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest {spaces}><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            "</manifest:manifest>",
        )


def test_every_operation_has_an_example() -> None:
    names = {row["name"].replace("-", "_") for row in _native.operations()}
    assert names <= {name.removeprefix("Operations.") for name in EVERY}
    assert len(EVERY) > 35


@pytest.mark.parametrize("name", EVERY)
def test_the_example_of(
    name: str, folder: Path, local: recto.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    example = EVERY[name]
    example.globs = {"recto": recto, "client": local}
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(example, out=said.append, clear_globs=False)
    text = "".join(said)
    if "of this version does not do" in text:
        pytest.skip(f"the embedded service cannot do it yet: {name}")
    assert runner.summarize(verbose=False).failed == 0, text
