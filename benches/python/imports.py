"""Compares import time, installed size and dependencies with other clients of PDF services from PyPI.

Each client is installed into its own virtual environment in a temporary folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from rounds import spread, table

ROUNDS = 9
# The name of each distribution, and the module that its users import.
CONTENDERS = {
    "cloudconvert": "cloudconvert",
    "convertapi": "convertapi",
    "nutrient-dws": "nutrient_dws",
    "pdfrest": "pdfrest",
    "pdfservices-sdk": "adobe.pdfservices.operation.pdf_services",
}
PROGRAM = "import time; began = time.perf_counter(); import {}; print((time.perf_counter() - began) * 1000)"


def row(name: str, module: str, install: str, folder: Path) -> tuple[str, ...]:
    """Installs a client and measures it."""
    home = folder / name
    venv.create(home, with_pip=True)
    python = home / "bin/python"
    packages = next((home / "lib").glob("python*")) / "site-packages"
    before = set(packages.iterdir())
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    fetched = folder / f"{name}-fetched"
    got = subprocess.run([*pip, "download", "--dest", fetched, install], capture_output=True, check=False)
    put = subprocess.run(
        [*pip, "install", "--no-index", "--find-links", fetched, install], capture_output=True, check=False
    )
    if got.returncode or put.returncode:
        put = subprocess.run([*pip, "install", install], capture_output=True, check=False)
    if put.returncode:
        return name, "cannot be installed here", "", "", ""
    download = sum(path.stat().st_size for path in fetched.iterdir()) / 2**20 if not got.returncode else 0.0
    new = set(packages.iterdir()) - before
    size = (
        sum(path.stat().st_size for top in new for path in [top, *top.rglob("*")] if path.is_file()) / 2**20
    )
    dependencies = len([path for path in new if path.suffix == ".dist-info"]) - 1
    times = []
    for attempt in range(ROUNDS + 1):
        run = subprocess.run(
            [python, "-c", PROGRAM.format(module)], capture_output=True, text=True, check=False
        )
        if run.returncode:
            return (
                name,
                f"cannot be imported: {run.stderr.strip().splitlines()[-1]}",
                f"{download:.1f}",
                f"{size:.1f}",
                str(dependencies),
            )
        if attempt:  # the first compiles the bytecode
            times.append(float(run.stdout))
    return name, spread(times, 1), f"{download:.1f}", f"{size:.1f}", str(dependencies)


def main(wheel: str) -> None:
    """Measures all, Recto first."""
    rows: list[tuple[str, ...]] = [
        ("client", "import, ms (without the interpreter)", "download, MiB", "installed, MiB", "dependencies")
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows.append(row("recto", "recto", wheel, Path(folder)))
        for name, module in CONTENDERS.items():
            rows.append(row(name, module, name, Path(folder)))
    table(rows)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(Path(__file__).resolve().parents[2]))
