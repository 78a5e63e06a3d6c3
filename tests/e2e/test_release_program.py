"""What users install has no test controls and no injected faults; only builds for tests have them.

The names are searched in the bytes of the programs. So that the search cannot pass by mistake, it must find all of them
in the program for tests, and names of ordinary endpoints in both.
"""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path

import pytest

from e2e.support import ROOT
from recto import _native
from rust_programs import rust_program

CONTROLS = {
    # The flag, the addresses and the JSON fields of the test controls (cli/src/args.rs, service/src/test_controls.rs).
    b"test-controls",
    b"/test/controls",
    b"/test/requests",
    b"/test/reset",
    b"finishAfterPolls",
    b"delayMs",
    # The faults that tests can cause in workers (service/src/isolation/faults.rs).
    b"chatter",
    b"recto-probe",
    b"connect out",
    b"the fault ended",
    # The name of the module, in the symbol table.
    b"test_controls",
}
ORDINARY = {b"/transfer/upload/", b"/v1/files/upload/fromLocal", b"RECTO_WORKER"}


def _names_in(program: Path) -> set[bytes]:
    content = program.read_bytes()
    return {name for name in CONTROLS | ORDINARY if name in content}


def test_the_installed_module_has_no_test_controls() -> None:
    assert _native.__file__
    assert _names_in(Path(_native.__file__)) == ORDINARY


def test_the_installed_command_does_not_know_the_flag(command: str) -> None:
    done = subprocess.run(
        [command, "serve", "--test-controls"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done
    assert "unexpected argument '--test-controls'" in done.stderr


def test_the_program_for_tests_has_test_controls() -> None:
    program = rust_program("recto")
    assert _names_in(program) == CONTROLS | ORDINARY
    with subprocess.Popen(
        [program, "serve", "--test-controls", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as service:
        try:
            assert service.stdout is not None
            printed = dict(service.stdout.readline().strip().split("=", 1) for _ in range(2))
            request = urllib.request.Request(
                f"{printed['RECTO_BASE_URL']}/test/controls", headers={"X-Api-Key": printed["RECTO_API_KEY"]}
            )
            with urllib.request.urlopen(request, timeout=30) as response:
                assert json.load(response) == {"finishAfterPolls": 0, "delayMs": 0, "faults": []}
        finally:
            service.terminate()


@pytest.mark.parametrize("package", ["recto-cli", "recto-python", "recto-ffi"])
def test_only_builds_of_tests_enable_the_feature(package: str) -> None:
    def features(edges: str) -> str:
        tree = subprocess.run(
            ["cargo", "tree", "--locked", "--package", package, "--edges", edges, "--format", "{p} {f}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "recto-service" in tree
        return tree

    assert "test-controls" not in features("normal,build")
    if package == "recto-cli":
        assert "test-controls" in features("normal,build,dev")
