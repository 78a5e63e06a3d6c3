"""`scripts/check-machine` names what a machine lacks, with the command that installs it; else it prints nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from e2e.support import ROOT

# The programs that the script itself uses. They are part of every Debian and Ubuntu system.
BASIS = ["bash", "cut", "dirname", "head", "id", "sed", "sort"]
COMPILERS = ["make", "cc", "c++"]
ORACLES = [
    "git",
    "qpdf",
    "pdftoppm",
    "gs",
    "tiffinfo",
    "zbarimg",
    "tesseract",
    "dmtxread",
    "valgrind",
    "clang",
    "cmake",
    "doxygen",
    "pkg-config",
    "jq",
    "pg_ctlcluster",
    "curl",
    "shellcheck",
    "chromium",
    "chromedriver",
    "node",
    "npm",
    "go",
    "javac",
    "mvn",
    "soffice",
]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The programs of a machine with only those of `BASIS`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in BASIS:
        found = shutil.which(name)
        assert found, name
        (programs / name).symlink_to(found)
    return programs


def _put(machine: Path, name: str, script: str) -> None:
    (machine / name).write_text(f"#!/bin/sh\n{script}\n")
    (machine / name).chmod(0o755)


def _install_all(machine: Path, without: str = "") -> None:
    """Adds all programs that the demonstration and the tests need, except `without`."""
    _put(machine, "cargo", 'case "$1" in --version) echo "cargo 9.0.0 (abc 2030-01-01)";; *) exit 0;; esac')
    _put(machine, "python3", "exit 0")
    for name in (*COMPILERS, *ORACLES):
        _put(machine, name, "exit 0")
    if without:
        (machine / without).unlink()


def _check(machine: Path, purpose: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine), "HOME": str(machine.parent)}
    script = ROOT / "scripts" / "check-machine"
    return subprocess.run([script, purpose], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("purpose", ["demo", "test"])
def test_nothing_is_printed_when_nothing_is_missing(purpose: str, machine: Path) -> None:
    _install_all(machine)
    run = _check(machine, purpose)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_an_empty_machine_gets_both_commands(machine: Path) -> None:
    run = _check(machine, "demo")
    assert run.returncode == 1
    assert re.search(
        r"apt-get install -y build-essential curl python3 python3-venv$", run.stderr, re.MULTILINE
    )
    assert "sh.rustup.rs" in run.stderr
    assert "qpdf" not in run.stderr, "the demonstration needs no oracles"


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_missing_oracle_is_required_by_the_tests_only(oracle: str, machine: Path) -> None:
    _install_all(machine, without=oracle)
    assert _check(machine, "demo").returncode == 0
    run = _check(machine, "test")
    assert run.returncode == 1
    assert "apt-get install -y" in run.stderr


def test_the_tools_of_the_benchmarks_are_required_by_them(machine: Path) -> None:
    _install_all(machine, without="curl")
    _put(machine, "taskset", "exit 0")
    assert _check(machine, "bench").stderr.endswith("apt-get install -y curl\n")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_missing_compiler_is_required(compiler: str, machine: Path) -> None:
    _install_all(machine, without=compiler)
    assert "apt-get install -y build-essential" in _check(machine, "demo").stderr


def test_a_rust_as_old_as_that_of_debian_is_refused(machine: Path) -> None:
    _install_all(machine)
    _put(machine, "cargo", 'echo "cargo 1.63.0"')
    run = _check(machine, "demo")
    assert run.returncode == 1
    assert "sh.rustup.rs" in run.stderr
    assert "1.63.0 is here" in run.stderr
    _put(machine, "rustup", "exit 0")
    assert "rustup update stable" in _check(machine, "demo").stderr


def test_python_without_venv_is_reported(machine: Path) -> None:
    _install_all(machine)
    _put(machine, "python3", 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')
    assert "apt-get install -y python3-venv" in _check(machine, "demo").stderr


def test_a_python_that_is_too_old_is_reported(machine: Path) -> None:
    _install_all(machine)
    _put(machine, "python3", 'case "$1" in -V) echo "Python 3.9.2";; *) exit 1;; esac')
    assert "Python 3.11 or newer (Python 3.9.2 is here)" in _check(machine, "demo").stderr


def test_shellcheck_accepts_every_script() -> None:
    checker = shutil.which("shellcheck")
    if checker is None:
        if os.environ.get("CI"):
            pytest.fail("shellcheck is not installed; see scripts/check-machine test")
        pytest.skip("shellcheck is not installed; see scripts/check-machine test")
    files = [*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"]
    scripts = [str(script) for script in files if script.is_file() and script.suffix != ".py"]
    command = [
        checker,
        "--external-sources",
        "--source-path",
        str(ROOT / "scripts"),
        "--exclude",
        "SC2317",
        *scripts,
    ]
    verdict = subprocess.run(command, capture_output=True, text=True, check=False)
    assert verdict.returncode == 0, verdict.stdout
