"""The installed library works with pkg-config and CMake, shared and static, in C and C++."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from c.header import functions
from c.support import C11, EXAMPLES, HERE, ROOT, Library, need, passes, run
from rust_programs import rust_program

CONSUMER = HERE / "consumer"
ABI = ".".join(re.findall(r'^version = "(0\.\d+)\.', (ROOT / "Cargo.toml").read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, library: Library) -> Path:
    """An installation of the library from cargo's tests, moved after the installation."""
    cmake, build = need("cmake"), tmp_path_factory.mktemp("build")
    prebuilt = tmp_path_factory.mktemp("prebuilt")
    for name in ("librecto_c.so", "librecto_c.a"):
        (prebuilt / name).symlink_to(library.shared.resolve().with_name(name))
    (prebuilt / "recto").symlink_to(rust_program("recto"))
    passes(cmake, "-S", ROOT, "-B", build, f"-DRECTO_PREBUILT={prebuilt}")
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
    libraries = prefix / "lib"
    assert {path.name for path in (prefix / "include").iterdir()} == {
        "recto.h",
        "recto.hpp",
        "recto_ffi.h",
        "recto_options.hpp",
    }
    assert (libraries / "librecto.so").readlink() == Path(f"librecto.so.{ABI}")
    assert (libraries / f"librecto.so.{ABI}").readlink() == Path(f"librecto.so.{version}")
    for page in ("man3/recto.3", "man7/recto-operations.7"):
        assert (prefix / "share/man" / page).is_file()
    assert os.access(prefix / "libexec/recto/recto", os.X_OK)
    dynamic = passes(need("readelf"), "--dynamic", libraries / "librecto.so")
    assert f"soname: [librecto.so.{ABI}]" in dynamic, "0.2 may be incompatible with 0.1"
    assert "NODELETE" in dynamic, "dlclose() must not unload code that threads still run"
    needed = set(re.findall(r"NEEDED\).*\[(.*)\]", dynamic))
    assert needed <= {"libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}


def test_every_symbol_has_a_version(prefix: Path) -> None:
    table = passes(need("nm"), "--dynamic", "--defined-only", prefix / "lib/librecto.so")
    symbols = {line.split()[-1] for line in table.splitlines()}
    versioned = {f"{function.name}@@RECTO_{ABI}" for function in functions()}
    assert symbols - {f"RECTO_{ABI}"} == versioned


def _exported(library: Path) -> set[str]:
    table = passes(need("nm"), "--dynamic", "--defined-only", library)
    return {line.split()[-1] for line in table.splitlines()}


def test_a_plugin_with_the_static_library_exports_nothing_foreign(prefix: Path, tmp_path: Path) -> None:
    cmake = need("cmake")
    (tmp_path / "plugin.c").write_text(
        "#include <recto.h>\nconst char *plugin_version(void);\n"
        "const char *plugin_version(void) { return recto_version_string(); }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.19)\nproject(plugin LANGUAGES C)\nfind_package(Recto REQUIRED)\n"
        "add_library(plugin MODULE plugin.c)\ntarget_link_libraries(plugin PRIVATE Recto::recto_static)\n"
    )
    passes(cmake, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    passes(cmake, "--build", tmp_path / "build", timeout=300)
    assert _exported(tmp_path / "build/libplugin.so") == {"plugin_version"}


def test_the_installed_library_finds_its_worker_program(prefix: Path, tmp_path: Path) -> None:
    """The engine runs in another process, unless RECTO_WORKER is `none`."""
    program = tmp_path / "worker"
    flags = [*C11, f"-I{prefix / 'include'}", f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}"]
    passes(need("gcc"), *flags, HERE / "misuse/worker.c", "-o", program, "-lrecto", "-lpthread")
    document = EXAMPLES / "report.pdf"
    assert passes(program, document, tmp_path, "best") == "in a worker\n"
    assert passes(program, document, tmp_path, "workers") == "in a worker\n"
    assert passes(program, document, tmp_path, "none") == "in this process\n"
    none = {"RECTO_WORKER": "none"}
    assert passes(program, document, tmp_path, "best", environment=none) == "in this process\n"
    refused = run(program, document, tmp_path, "workers", environment=none)
    assert "RECTO_E_CONFIG" in refused.stderr
    assert "RECTO_WORKER" in refused.stderr
    wrong = run(program, document, tmp_path, "best", environment={"RECTO_WORKER": "/nowhere/recto"})
    assert "RECTO_E_CONFIG" in wrong.stderr
    assert "/nowhere/recto" in wrong.stderr


def test_the_build_keeps_paths_of_the_machine_out_and_can_add_debug_information(tmp_path: Path) -> None:
    """The commands of the build, without running them."""
    cmake = need("cmake")
    options = [f"-DRECTO_TARGET_DIR={tmp_path / 'target'}", "-DRECTO_DEBUG_INFO=ON", "-G", "Unix Makefiles"]
    passes(cmake, "-S", ROOT, "-B", tmp_path, *options)
    commands = passes(need("make"), "--dry-run", "-C", tmp_path, "recto_cargo")
    assert f"--remap-path-prefix={ROOT}=" in commands
    assert f"--remap-path-prefix={tmp_path / 'target'}=" in commands
    assert "profile.release.package.recto-ffi.debug=2" in commands


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
    assert (f"librecto.so.{ABI}" in linked) == (kind == "shared")
    _compresses_a_document(program, tmp_path, libraries)


def test_a_consumer_with_cmake(prefix: Path, tmp_path: Path) -> None:
    cmake = need("cmake")
    passes(cmake, "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    passes(cmake, "--build", tmp_path, timeout=300)
    for program in ("c_recto", "c_recto_static", "cpp_recto", "cpp_recto_static"):
        _compresses_a_document(tmp_path / program, tmp_path)
