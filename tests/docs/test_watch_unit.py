"""The systemd unit of the page about watched folders, checked by systemd itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/how-to/watch.md"


def unit() -> str:
    found = re.search(
        r"<<'END'\n(\[Unit\]\n.*?)^END$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found is not None
    return found[1]


def test_only_the_main_process_gets_the_signal_and_has_time_to_finish() -> None:
    assert "KillMode=mixed" in unit()
    assert re.search(r"TimeoutStopSec=\d+min", unit())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("mistake", ["", "KilMode"])
def test_systemd_accepts_the_unit_and_would_report_a_mistake(mistake: str, tmp_path: Path) -> None:
    file = tmp_path / "recto-watch.service"
    text = unit().replace("/usr/local/bin/recto", sys.executable)
    file.write_text(text.replace("KillMode", mistake or "KillMode"), encoding="utf-8")
    run = subprocess.run(
        ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    complaints = [line for line in run.stderr.splitlines() if "recto-watch.service" in line]
    assert bool(complaints) == bool(mistake), run.stderr
