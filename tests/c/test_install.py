"""The installed library works with pkg-config and CMake, shared and static, in C and C++."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from c.support import EXAMPLES, HERE, ROOT, Library, need, passes

CONSUMER = HERE / "consumer"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, library: Library) -> Path:
    """An installation of the library from cargo's tests, moved after the installation."""
    cmake, build = need("cmake"), tmp_path_factory.mktemp("build")
    passes(cmake, "-S", ROOT, "-B", build, f"-DRECTO_PREBUILT={library.shared.resolve().parent}")
    passes(cmake, "--build", build)
    first = build / "first"
    passes(cmake, "--install", build, "--prefix", first)
    return Path(shutil.move(first, tmp_path_factory.mktemp("prefix") / "moved"))


def _compresses_a_document(program: Path, folder: Path, libraries: Path | str = "") -> None:
    small = folder / "small.pdf"
    passes(program, EXAMPLES / "report.pdf", small, environment={"LD_LIBRARY_PATH": str(libraries)})
    assert small.read_bytes().startswith(b"%PDF-")
    assert small.stat().st_size < (EXAMPLES / "report.pdf").stat().st_size
    small.unlink()


def test_the_installed_files(prefix: Path) -> None:
    version = re.findall(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[0]
    major = version.split(".")[0]
    libraries = prefix / "lib"
    assert {path.name for path in (prefix / "include").iterdir()} == {
        "recto.h",
        "recto.hpp",
        "recto_options.hpp",
    }
    assert (libraries / "librecto.so").readlink() == Path(f"librecto.so.{major}")
    assert (libraries / f"librecto.so.{major}").readlink() == Path(f"librecto.so.{version}")
    dynamic = passes(need("readelf"), "--dynamic", libraries / "librecto.so")
    assert f"soname: [librecto.so.{major}]" in dynamic
    assert "NODELETE" in dynamic, "dlclose() must not unload code that threads still run"
    needed = set(re.findall(r"NEEDED\).*\[(.*)\]", dynamic))
    assert needed <= {"libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}


@pytest.mark.parametrize("kind", ["shared", "static"])
@pytest.mark.parametrize(("compiler", "source"), [("gcc", "consumer.c"), ("g++", "consumer.cpp")])
def test_a_consumer_with_pkg_config(
    kind: str, compiler: str, source: str, prefix: Path, tmp_path: Path
) -> None:
    libraries = prefix / "lib"
    query = [need("pkg-config"), *(["--static"] if kind == "static" else []), "--cflags", "--libs", "recto"]
    flags = passes(*query, environment={"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}).split()
    if kind == "static":
        flags = [flag.replace("-lrecto", "-l:librecto.a") for flag in flags]
    program = tmp_path / "consumer"
    passes(need(compiler), CONSUMER / source, "-o", program, *flags)
    linked = passes(need("readelf"), "--dynamic", program)
    assert ("librecto.so.0" in linked) == (kind == "shared")
    _compresses_a_document(program, tmp_path, libraries)


def test_a_consumer_with_cmake(prefix: Path, tmp_path: Path) -> None:
    cmake = need("cmake")
    passes(cmake, "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    passes(cmake, "--build", tmp_path, timeout=300)
    for program in ("c_recto", "c_recto_static", "cpp_recto", "cpp_recto_static"):
        _compresses_a_document(tmp_path / program, tmp_path)
