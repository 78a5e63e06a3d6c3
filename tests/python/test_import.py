"""Importing recto is fast and has no side effects; annotations resolve when somebody reads them."""

from __future__ import annotations

import inspect
import statistics
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator

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
    # The machine may be busy: the shortest time is closest to the time of the import itself.
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
    # The last two are used to detect a subinterpreter.
    small = {"__future__", "_interpreters", "_xxsubinterpreters"}
    assert all(name.split(".")[0] == "recto" for name in loaded.split() if name not in small), loaded


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


def test_every_public_name_exists_and_is_documented() -> None:
    for name in recto.__all__:
        value = getattr(recto, name)
        assert name == "__version__" or value.__doc__, name
    assert set(dir(recto)) == set(recto.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        recto.no_such_name  # noqa: B018  # type: ignore[attr-defined]


def test_a_star_import_brings_all_of_it() -> None:
    python("from recto import *; Client, AsyncClient, Margin, NotFound, Profile, FileId, progress, errors")


def annotated() -> Iterator[tuple[str, object]]:
    """Every public class, and every function and property of it that is public or a constructor."""
    for name in recto.__all__:
        value = getattr(recto, name)
        owners = [value] if inspect.isclass(value) else []
        if inspect.ismodule(value):
            members = {inner: getattr(value, inner) for inner in value.__all__}
            owners = [member for member in members.values() if inspect.isclass(member)]
            yield from ((f"{name}.{inner}", member) for inner, member in members.items() if callable(member))
        for owner in owners:
            yield owner.__qualname__, owner
            for base in owner.__mro__:
                if base.__module__.split(".")[0] == "recto":
                    yield from members_of(base)


def members_of(base: type) -> Iterator[tuple[str, object]]:
    for inner, value in vars(base).items():
        value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        is_ours = inspect.isfunction(value) and value.__module__.startswith("recto")
        if is_ours and (not inner.startswith("_") or inner.endswith("__")):
            yield f"{base.__qualname__}.{inner}", value


ANNOTATED = dict(annotated())


def test_the_annotations_of_every_public_name_resolve() -> None:
    assert len(ANNOTATED) > 150
    for name, value in ANNOTATED.items():
        hints = typing.get_type_hints(value)
        if inspect.isfunction(value):
            parameters = [
                name for name in inspect.signature(value).parameters if name not in ("self", "cls", "_")
            ]
            assert set(parameters) <= set(hints), name


def test_an_annotation_is_the_type_that_it_names() -> None:
    hints = typing.get_type_hints(recto.Client.optimize)
    assert hints["return"] is recto.Operation
    assert recto.Profile in typing.get_args(hints["profile"])
    assert typing.get_type_hints(recto.AsyncClient.optimize)["return"] is recto.AsyncOperation
    assert typing.get_type_hints(recto.FileRecord)["id"] is recto.FileId


def test_every_way_to_make_a_client_takes_the_same_settings() -> None:
    settings = {
        name: parameter.default
        for name, parameter in inspect.signature(recto.Client).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert len(settings) == 17
    for make in (recto.Client.from_env, recto.AsyncClient, recto.AsyncClient.from_env):
        parameters = dict(inspect.signature(make).parameters)
        parameters.pop("concurrency", None)
        assert {name: parameter.default for name, parameter in parameters.items()} == settings
        assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())


@pytest.mark.parametrize("make", [recto.Client.from_env, recto.AsyncClient, recto.AsyncClient.from_env])
def test_every_setting_reaches_the_client(make: Callable[..., object]) -> None:
    # The value `object()` is invalid for every setting. If a setting did not reach the client, the value would be
    # accepted.
    for name in inspect.signature(make).parameters:
        with pytest.raises((TypeError, ValueError)):
            make(**{name: object()})
    assert "pdf.example.org" in repr(make(base_url="https://pdf.example.org", api_key="key"))
