"""The examples of a folder on several processes or a cluster: clients are made in the workers, errors are returned."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python.conftest import EXAMPLES

ENGINES = {
    "futures": ("concurrent.futures", "the standard library"),
    "dask": ("distributed", "the dependency group scale-out"),
    "daft": ("daft", "the dependency group scale-out-daft"),
    "ray": ("ray.data", "the dependency group scale-out-ray"),
    "spark": ("pyspark.sql", "the dependency group scale-out-spark"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_is_compressed_on_a_cluster(engine: str, tmp_path: Path) -> None:
    needs, place = ENGINES[engine]
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime, which is not installed")
    found = subprocess.run(
        [sys.executable, "-c", f"import {needs}"], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        pytest.skip(f"{needs} is in {place}, which is not installed")
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "sub").mkdir(parents=True)
    shutil.copy(EXAMPLES / "report.pdf", folder)
    shutil.copy(EXAMPLES / "form.pdf", folder / "sub")
    (folder / "broken.pdf").write_bytes(b"this is not a PDF")
    command = [sys.executable, str(EXAMPLES / f"scale_out_{engine}.py"), str(folder), str(out)]
    environment = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "disabled"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 1, run.stderr
    assert f"{folder / 'broken.pdf'}: OperationFailed: " in run.stderr
    names = {Path("report.pdf"), Path("sub/form.pdf")}
    assert {path.relative_to(out) for path in out.rglob("*") if path.is_file()} == names
    for name in names:
        assert f"{out / name}  " in run.stdout
        assert (out / name).read_bytes().startswith(b"%PDF-")
        assert (out / name).stat().st_size < (folder / name).stat().st_size
