"""Importing recto: quick, and without any effect."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable

import pytest

import recto


def python(program: str) -> str:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_importing_takes_less_than_15_ms(record_property: Callable[[str, object], None]) -> None:
    program = "import time; a = time.perf_counter(); import recto; print(time.perf_counter() - a)"
    python(program)  # compiles the bytecode
    times = [float(python(program)) * 1000 for _ in range(9)]
    print(
        f"import recto: {statistics.median(times):.1f} ms, from {min(times):.1f} to {max(times):.1f} ms of 9 runs"
    )
    record_property("import_ms", times)
    # The machine of the tests may be busy; what the import itself needs is its best time.
    assert min(times) < 15


def test_importing_loads_nothing_heavy() -> None:
    heavy = [
        "asyncio",
        "dataclasses",
        "typing",
        "enum",
        "re",
        "logging",
        "datetime",
        "pathlib",
        "json",
        "threading",
    ]
    loaded = python(
        "import sys; before = set(sys.modules); import recto; print(*(set(sys.modules) - before))"
    )
    assert not set(heavy) & set(loaded.split())
    assert all(name.split(".")[0] == "recto" for name in loaded.split() if name != "__future__"), loaded


def test_importing_starts_and_opens_nothing() -> None:
    program = (
        "import os, sys, signal, atexit\n"
        "def state():\n"
        "    return (sorted(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task')), dict(os.environ),\n"
        "            signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD), atexit._ncallbacks())\n"
        "before = state()\n"
        "import recto\n"
        "client = recto.Client()\n"
        "assert state() == before, (before, state())\n"
    )
    python(program)


def test_every_public_name_is_there_and_documented() -> None:
    for name in recto.__all__:
        value = getattr(recto, name)
        assert name == "__version__" or value.__doc__, name
    assert set(dir(recto)) == set(recto.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        recto.no_such_name  # noqa: B018  # type: ignore[attr-defined]


def test_a_star_import_brings_all_of_it() -> None:
    python("from recto import *; Client, AsyncClient, Margin, NotFound, Profile, FileId, progress, errors")
