"""The examples in the documentation of the package, run against the embedded service."""

from __future__ import annotations

import ast
import asyncio
import doctest
import http.server
import inspect
import shutil
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recto
from python.conftest import EXAMPLES
from recto import _native

SPACES = {
    "office": "office",
    "draw": "drawing",
    "svg": "svg-compatible",
    "text": "text",
    "manifest": "manifest",
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public name, and the public methods of every public class."""
    for name in recto.__all__:
        value = getattr(recto, name)
        if name == "__version__":
            continue
        yield name, value
        if inspect.ismodule(value):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in value.__all__)
        elif inspect.isclass(value) and value.__module__ != "recto.enums":
            yield from methods(name, value)


def methods(name: str, kind: type) -> Iterator[tuple[str, Any]]:
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("recto"):
            continue
        for inner, value in vars(base).items():
            value = getattr(value, "__func__", value)
            if not inner.startswith("_") and (inspect.isroutine(value) or inspect.isfunction(value)):
                yield f"{name}.{inner}", value


NAMES = dict(public_names())
EVERY = {
    name: example
    for name, value in NAMES.items()
    for example in [
        doctest.DocTestParser().get_doctest(
            inspect.getdoc(value) or "",
            {},
            name,
            inspect.getsourcefile(value) if inspect.isfunction(value) else None,
            0,
        )
    ]
    if example.examples
}
# The examples of an object that has two public names, or that a class inherits, are run once.
RUN: dict[str, doctest.DocTest] = {}
for name in sorted(EVERY, key=lambda name: name.startswith("Async")):
    if not any(NAMES[name] is NAMES[other] for other in RUN):
        RUN[name] = EVERY[name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, local: recto.Client) -> Path:
    """The documents that the examples use."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(EXAMPLES / "report.pdf", folder / "report.pdf")
    shutil.copy(EXAMPLES / "scan.jpg", folder / "photo.jpg")
    presentation(folder / "talk.odp")
    (folder / "broken.pdf").write_text("this is not a PDF")
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


def test_every_public_name_has_an_example() -> None:
    assert set(NAMES) - set(EVERY) == set()
    operations = {row["name"].replace("-", "_") for row in _native.operations()}
    for client in ("Client", "AsyncClient"):
        assert {f"{client}.{name}" for name in operations} <= set(EVERY)
    assert len(RUN) > 110


class Page(http.server.SimpleHTTPRequestHandler):
    """Serves the document of the examples for `upload_from_url`."""

    def do_GET(self) -> None:
        body = (EXAMPLES / "report.pdf").read_bytes()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address that replaces https://www.example.org."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def service() -> Iterator[recto.LocalService]:
    with recto.LocalService(allow_private_urls=True) as service:
        yield service


class Awaiting:
    """Runs an example like `python -m asyncio`, which allows `await` at the top level."""

    def __init__(self, globs: dict[str, Any], loop: asyncio.Runner) -> None:
        self.globs = globs
        self.loop = loop

    def __call__(self, source: str) -> None:
        code = compile(source, "<example>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        outcome = eval(code, self.globs)
        if inspect.iscoroutine(outcome):
            self.loop.run(outcome)


@pytest.mark.parametrize("name", RUN)
def test_the_example_of(
    name: str,
    folder: Path,
    address: str,
    service: recto.LocalService,
    local: recto.Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if name.startswith("progress"):
        for needed in ("tqdm", "rich"):
            pytest.importorskip(needed)
    monkeypatch.chdir(folder)
    client: Any = local
    if "upload_from_url" in name:
        client = recto.Client(base_url=service.base_url, api_key=service.api_key)
    example = RUN[name]
    with asyncio.Runner() as loop:
        if name.startswith("Async"):
            at: dict[str, Any] = {"base_url": service.base_url, "api_key": service.api_key}
            client = recto.AsyncClient(**(at if "upload_from_url" in name else {}))
            for step in example.examples:
                step.source = f"_awaiting({step.source!r})\n"
        example.globs = {"recto": recto, "client": client, "service": service}
        example.globs["_awaiting"] = Awaiting(example.globs, loop)
        for step in example.examples:
            step.source = step.source.replace("https://www.example.org", address)
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(example, out=said.append, clear_globs=False)
        if client is not local:
            outcome = client.close()
            if inspect.iscoroutine(outcome):
                loop.run(outcome)
    text = "".join(said)
    assert runner.summarize(verbose=False).failed == 0, text
