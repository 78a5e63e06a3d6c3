"""The recorded exchanges, one test for each, with the replay server of `tests/replay`.

They run at the same time, as they mostly wait; each test checks its verdict. `recto-replay run --face python --
python -m pytest tests/python/test_recordings.py` also prints the coverage.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from python import recordings
from rust_programs import rust_program

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "tests/recordings"
PLAYED = {
    f"{path.parent.name}.{path.stem}": path
    for path in sorted(RECORDINGS.glob("*/*.json"))
    if path.parent.name != "bodies"
}
ADDRESS = os.environ.get("RECTO_REPLAY")

Verdict: TypeAlias = dict[str, Any]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The control address of the replay server: the one that started the tests, else a new one."""
    if ADDRESS:
        yield ADDRESS
        return
    command = [str(rust_program("recto-replay")), "serve"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield server.stdout.readline().split()[-1]
        server.stdin.close()


@pytest.fixture(scope="module")
def verdicts(address: str, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Verdict]]:
    """The verdict on a scenario; all selected ones are replayed, twelve at the same time."""
    recordings.listen()
    specs = [
        item.callspec
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
    ]
    wanted = [str(spec.params["scenario"]) for spec in specs if "scenario" in spec.params]
    # All scenarios share the environment of the process: scenarios that change the environment are replayed alone.
    alone = {
        scenario
        for scenario in wanted
        if "environment" in json.loads(PLAYED[scenario].read_text()).get("client", {})
    }
    futures: dict[str, Future[Verdict]] = {}
    with ThreadPoolExecutor(1) as one:
        futures |= {
            scenario: one.submit(recordings.play, address, scenario)
            for scenario in wanted
            if scenario in alone
        }
    with ThreadPoolExecutor(12) as dozen:
        for scenario in wanted:
            if scenario not in alone:
                futures[scenario] = dozen.submit(recordings.play, address, scenario)
        yield lambda scenario: futures[scenario].result(120)


def test_every_recording_is_replayed(address: str) -> None:
    control = recordings.Control(address)
    assert sorted(control.ask(do="list")["scenarios"]) == sorted(PLAYED)
    control.close()


@pytest.mark.parametrize("scenario", PLAYED)
def test_recording(scenario: str, verdicts: Callable[[str], Verdict]) -> None:
    verdict = verdicts(scenario)
    assert verdict["pass"], verdict["report"]
