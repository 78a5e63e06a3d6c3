"""Installed into a prefix, and used from there by pkg-config and by CMake, shared and static, in C and C++."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from c.support import EXAMPLES, HERE, ROOT, Library, need, passes

CONSUMER = HERE / "consumer"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, library: Library) -> Path:
    """A prefix that the library of cargo's tests was installed into, and moved since."""
    cmake, build = need("cmake"), tmp_path_factory.mktemp("build")
    passes(cmake, "-S", ROOT, "-B", build, f"-DRECTO_PREBUILT={library.shared.resolve().parent}")
    passes(cmake, "--build", build)
    first = build / "first"
    passes(cmake, "--install", build, "--prefix", first)
    return Path(shutil.move(first, tmp_path_factory.mktemp("prefix") / "moved"))


def _does_the_main_job(program: Path, folder: Path, libraries: Path | str = "") -> None:
    small = folder / "small.pdf"
    passes(program, EXAMPLES / "report.pdf", small, environment={"LD_LIBRARY_PATH": str(libraries)})
    assert small.read_bytes().startswith(b"%PDF-")
    assert small.stat().st_size < (EXAMPLES / "report.pdf").stat().st_size
    small.unlink()


def test_what_is_installed(prefix: Path) -> None:
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
    assert "NODELETE" in dynamic, "its threads outlive dlclose()"
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
    _does_the_main_job(program, tmp_path, libraries)


def test_a_consumer_with_cmake(prefix: Path, tmp_path: Path) -> None:
    cmake = need("cmake")
    passes(cmake, "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    passes(cmake, "--build", tmp_path, timeout=300)
    for program in ("c_recto", "c_recto_static", "cpp_recto", "cpp_recto_static"):
        _does_the_main_job(tmp_path / program, tmp_path)
