"""The service matches its OpenAPI description: schemathesis checks a running service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import recto

# The fixed seed makes the test repeatable. `--max-examples` limits its duration.
FLAGS = ["--max-examples", "15", "--seed", "1", "--continue-on-failure", "--no-shrink"]


@pytest.mark.usefixtures("scratch")
def test_every_response_matches_the_description(tmp_path: Path) -> None:
    schemathesis = Path(sys.executable).with_name("schemathesis")
    with recto.LocalService() as service:
        settings = Path(__file__).with_name("schemathesis.toml")
        command: list[str | Path] = [
            schemathesis,
            "--config-file",
            settings,
            "run",
            f"{service.base_url}/openapi.json",
            *FLAGS,
        ]
        command += [
            "--header",
            f"X-Api-Key: {service.api_key}",
            "--request-timeout",
            "20",
            "--warnings",
            "off",
        ]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    print(run.stdout[-2000:])
    assert run.returncode == 0, run.stdout + run.stderr
    assert "No issues found" in run.stdout, run.stdout
