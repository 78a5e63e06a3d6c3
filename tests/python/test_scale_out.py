"""The example of a folder on a Dask cluster: clients made in the workers, errors that come home."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python.conftest import EXAMPLES


def test_a_folder_is_compressed_on_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is in the dependency group scale-out")
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("report", "form"):
        shutil.copy(EXAMPLES / f"{name}.pdf", folder)
    (folder / "broken.pdf").write_bytes(b"this is no PDF")
    command = [sys.executable, str(EXAMPLES / "scale_out_dask.py"), str(folder), str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 1, run.stderr
    assert f"{folder / 'broken.pdf'}: " in run.stderr
    assert {path.name for path in out.iterdir()} == {"report.pdf", "form.pdf"}
    for path in out.iterdir():
        assert path.read_bytes().startswith(b"%PDF-")
        assert path.stat().st_size < (folder / path.name).stat().st_size
