"""Shared by the tests of the C and C++ interfaces: compiles programs with the library, and runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from rust_programs import c_library

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
INCLUDE = ROOT / "include"
EXAMPLES = ROOT / "examples"

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C11 = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", *WARNINGS]
CPP17 = ["-std=c++17", *WARNINGS]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]


def need(program: str) -> str:
    """The path of another program. If it is missing, the test is skipped with a message, or fails if CI is set."""
    return shutil.which(program) or missing(f"{program} is not installed")


def missing(what: str) -> NoReturn:
    """Skips the test with a message, or fails if CI is set."""
    message = f"{what}; see scripts/check-machine test"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def run(
    *command: str | Path,
    timeout: float = 120,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a program without the RECTO_ variables of the environment."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
    return subprocess.run(
        command,
        cwd=folder,
        env=inherited | (environment or {}),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def passes(
    *command: str | Path,
    timeout: float = 120,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
) -> str:
    """Runs a program that must succeed, and returns its output."""
    done = run(*command, timeout=timeout, environment=environment, folder=folder)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Library:
    """A folder with the library under the names that it has when installed."""

    folder: Path

    @classmethod
    def linked_in(cls, folder: Path) -> Library:
        """The library from the build that cargo's tests use."""
        built = c_library()
        for name in ("librecto.so", "librecto.so.0.1"):
            (folder / name).symlink_to(built / "librecto_c.so")
        (folder / "librecto.a").symlink_to(built / "librecto_c.a")
        return cls(folder)

    @property
    def shared(self) -> Path:
        return self.folder / "librecto.so"

    def compile(
        self, sources: list[Path], target: Path, flags: list[str], libraries: tuple[str, ...] = ()
    ) -> Path:
        """Compiles C, or C++ if the first source is C++, and links it with the shared library."""
        compiler = need("g++" if sources[0].suffix == ".cpp" else "gcc")
        link = [f"-L{self.folder}", f"-Wl,-rpath,{self.folder}", "-lrecto", *libraries, "-lpthread", "-ldl"]
        passes(compiler, *flags, "-g1", f"-I{INCLUDE}", *sources, "-o", target, *link)
        return target
