"""Builds the Rust programs that Python's tests use: examples, the replay server, and the C library.

All are built with `--workspace`, and with the features that `cargo test --workspace` enables. With any other selection,
cargo would compile the large dependencies again.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def rust_program(name: str) -> Path:
    """The path of a binary or example. If cargo is not installed, the test is skipped, or fails if CI is set."""
    _need_cargo(name)
    return _built()[name]


def c_library() -> Path:
    """The folder with `librecto_c.so` and `librecto_c.a`."""
    _need_cargo("the C library")
    return _built()["librecto_c.so"].parent


def _need_cargo(name: str) -> None:
    if shutil.which("cargo") is None:
        said = f"{name} is built with cargo, which is not installed"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)


@functools.cache
def _built() -> dict[str, Path]:
    # With the examples and tests, cargo also enables the features that only tests use. The test `header` makes cargo
    # build the C library too.
    selection = ["--workspace", "--bin", "recto", "--bin", "recto-replay", "--examples", "--test", "header"]
    build = subprocess.run(
        ["cargo", "build", "--quiet", "--locked", *selection, "--message-format=json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = {}
    for artifact in map(json.loads, build.stdout.splitlines()):
        if artifact.get("executable"):
            found[artifact["target"]["name"]] = Path(artifact["executable"])
        elif artifact.get("target", {}).get("name") == "recto_c":
            found |= {Path(file).name: Path(file) for file in artifact["filenames"]}
    return found
