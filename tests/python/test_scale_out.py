"""The examples of a folder on a Dask or Ray cluster: clients are made in the workers, errors are returned."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python.conftest import EXAMPLES


@pytest.mark.parametrize(
    ("script", "needs", "group"),
    [("scale_out_dask.py", "distributed", "scale-out"), ("scale_out_ray.py", "ray", "scale-out-ray")],
    ids=["dask", "ray"],
)
def test_a_folder_is_compressed_on_a_cluster(script: str, needs: str, group: str, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", f"import {needs}"], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        pytest.skip(f"{needs} is in the dependency group {group}, which is not installed")
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("report", "form"):
        shutil.copy(EXAMPLES / f"{name}.pdf", folder)
    (folder / "broken.pdf").write_bytes(b"this is not a PDF")
    command = [sys.executable, str(EXAMPLES / script), str(folder), str(out)]
    environment = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "disabled"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 1, run.stderr
    assert f"{folder / 'broken.pdf'}: " in run.stderr
    assert {path.name for path in out.iterdir()} == {"report.pdf", "form.pdf"}
    for path in out.iterdir():
        assert path.read_bytes().startswith(b"%PDF-")
        assert path.stat().st_size < (folder / path.name).stat().st_size
