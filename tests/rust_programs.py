"""The programs of the Rust side that Python's tests run: examples, and the replay server.

All are built by one selection, `--workspace`, with the features that `cargo test --workspace` has: for another one
cargo would compile the great dependencies once more.
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
    """A binary or example by its name. Without cargo the test is skipped; where everything must run, it fails."""
    if shutil.which("cargo") is None:
        said = f"{name} is built with cargo, which is not installed"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    return _programs()[name]


@functools.cache
def _programs() -> dict[str, Path]:
    # Examples, for they bring in the features of the tests.
    selection = ["--workspace", "--bins", "--examples"]
    build = subprocess.run(
        ["cargo", "build", "--quiet", "--locked", *selection, "--message-format=json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    made = [json.loads(line) for line in build.stdout.splitlines()]
    programs = [artifact for artifact in made if artifact.get("executable")]
    return {program["target"]["name"]: Path(program["executable"]) for program in programs}
