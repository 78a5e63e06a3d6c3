"""The examples in C, C++ and other languages compress a document with the embedded service."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from c.support import C11, CPP17, EXAMPLES, ROOT, Library, missing, need, passes, run

OPERATIONS = re.findall(
    r'^ *name: "([a-z-]+)"', (ROOT / "interface/src/operation.rs").read_text(), re.MULTILINE
)

Command = list[str | Path]


def _c(library: Library, folder: Path) -> Command:
    return [library.compile([EXAMPLES / "c/compress.c"], folder / "compress", C11)]


def _cpp(library: Library, folder: Path) -> Command:
    return [library.compile([EXAMPLES / "cpp/compress.cpp"], folder / "compress", CPP17)]


def _ctypes(_: Library, __: Path) -> Command:
    return [sys.executable, EXAMPLES / "ctypes_compress.py"]


def _go(library: Library, folder: Path) -> Command:
    program = folder / "compress"
    (folder / "recto.pc").write_text(
        "Name: recto\nDescription: the library under test\nVersion: 0\nLibs: -lrecto\n"
    )
    # Go builds the program again if one of these variables changes, but not if only the output of pkg-config changes.
    flags = {"CGO_CFLAGS": f"-I{ROOT / 'include'}", "CGO_LDFLAGS": f"-L{library.folder}"}
    settings = {"PKG_CONFIG_PATH": str(folder), "CGO_ENABLED": "1", "GOFLAGS": "-buildvcs=false", **flags}
    go = _runtime("go")
    passes(go, "build", "-o", program, ".", timeout=300, environment=settings, folder=EXAMPLES / "go")
    return [program]


def _runtime(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


LANGUAGES: dict[str, Callable[[Library, Path], Command]] = {
    "c": _c,
    "cpp": _cpp,
    "ctypes": _ctypes,
    "go": _go,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_compresses_a_document_and_reports_an_error(
    language: str, library: Library, tmp_path: Path
) -> None:
    command = LANGUAGES[language](library, tmp_path)
    environment = {"LIBRECTO": str(library.shared), "LD_LIBRARY_PATH": str(library.folder)}
    small = tmp_path / "small.pdf"
    passes(*command, EXAMPLES / "report.pdf", small, environment=environment)
    assert small.read_bytes().startswith(b"%PDF-")
    assert small.stat().st_size < (EXAMPLES / "report.pdf").stat().st_size / 2

    failed = run(*command, tmp_path / "missing.pdf", tmp_path / "never.pdf", environment=environment)
    assert failed.returncode == 1
    assert "No such file or directory" in failed.stderr
    assert not (tmp_path / "never.pdf").exists()


def _loop(name: str, package: str) -> Callable[[Library, Path], Command]:
    def build(library: Library, folder: Path) -> Command:
        tool = need("pkg-config")
        if run(tool, "--exists", package).returncode != 0:
            missing(f"the development files of {package} are not installed")
        flags = [flag.replace("-I", "-isystem") for flag in passes(tool, "--cflags", package).split()]
        libraries = tuple(passes(tool, "--libs", package).split())
        source = EXAMPLES / f"c/loop_{name}.c"
        return [library.compile([source], folder / name, [*C11, *flags], libraries)]

    return build


LOOPS: dict[str, Callable[[Library, Path], Command]] = {
    "libuv": _loop("libuv", "libuv"),
    "glib": _loop("glib", "glib-2.0"),
    "asyncio": lambda _, __: [sys.executable, EXAMPLES / "ctypes_asyncio.py"],
}


@pytest.mark.parametrize("loop", LOOPS)
def test_an_event_loop_runs_on_while_documents_are_processed(
    loop: str, library: Library, tmp_path: Path
) -> None:
    command = LOOPS[loop](library, tmp_path)
    environment = {"LIBRECTO": str(library.shared), "LD_LIBRARY_PATH": str(library.folder)}
    (tmp_path / "out").mkdir()
    documents = [EXAMPLES / "report.pdf", EXAMPLES / "form.pdf"]
    printed = passes(*command, tmp_path / "out", *documents, environment=environment).splitlines()
    assert sorted(Path(line).name for line in printed) == ["form.pdf", "report.pdf"]
    for document in documents:
        assert (tmp_path / "out" / document.name).read_bytes().startswith(b"%PDF-")

    failed = run(*command, tmp_path / "out", tmp_path / "no.pdf", documents[1], environment=environment)
    assert failed.returncode == 1
    assert "No such file or directory" in failed.stderr
    assert failed.stdout.splitlines() == [str(tmp_path / "out/form.pdf")]


def test_the_batch_resumes_from_its_journal(library: Library, tmp_path: Path) -> None:
    program = library.compile([EXAMPLES / "c/batch.c"], tmp_path / "batch", C11)
    documents = [EXAMPLES / "report.pdf", EXAMPLES / "scan.pdf", tmp_path / "late.pdf"]
    first = run(program, tmp_path / "out", *documents)
    assert (first.returncode, first.stdout.count(" of 3: ")) == (1, 3), first.stderr
    assert "late.pdf" in first.stdout
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*.pdf")}
    assert sorted(times) == ["report.pdf", "scan.pdf"]

    shutil.copy(EXAMPLES / "form.pdf", tmp_path / "late.pdf")
    passes(program, tmp_path / "out", *documents)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*.pdf")}
    assert sorted(after) == ["late.pdf", "report.pdf", "scan.pdf"]
    assert times.items() <= after.items(), "finished documents are not processed again"


def test_every_operation_takes_its_typed_options(library: Library, tmp_path: Path) -> None:
    # The compiler warns about every field that the example leaves out, and warnings are errors.
    program = library.compile([EXAMPLES / "cpp/all_operations.cpp"], tmp_path / "all", CPP17)
    for sample in ("report.pdf", "scan.png"):
        shutil.copy(EXAMPLES / sample, tmp_path)
    for body in ("letter.txt", "slides.odp", "table.csv"):
        shutil.copy(ROOT / "tests/recordings/bodies" / body, tmp_path)
    printed = dict(line.split(": ", 1) for line in run(program, tmp_path, timeout=300).stdout.splitlines())
    assert sorted(printed) == sorted(OPERATIONS)
    failed = {name: text for name, text in printed.items() if text.startswith("FAILED")}
    if shutil.which("soffice") is None and not os.environ.get("CI"):
        failed = {name: text for name, text in failed.items() if "office" not in text.lower()}
    assert not failed, failed
    results = [Path(text) for name, text in printed.items() if name not in failed and name != "validate"]
    assert all(path.stat().st_size > 0 for path in results)


@pytest.mark.parametrize(
    "example", [path for path in EXAMPLES.rglob("*.*") if path.parent != EXAMPLES], ids=str
)
def test_an_example_is_short(example: Path) -> None:
    if example.suffix in {".c", ".cpp", ".go", ".java", ".js"}:
        assert len(example.read_text(encoding="utf-8").splitlines()) < 80
