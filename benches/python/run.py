"""Runs the benchmarks of the Python package in a virtual environment: see README.md.

python benches/python/run.py [WHEEL [calls|transfers|imports]...]
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
CONTENDERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["bench"]
BENCHMARKS = ["calls", "transfers", "imports"]


def describe(python: Path) -> None:
    """Prints the machine and the versions."""
    processors = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    model = processors[0].split(":")[1].strip() if processors else platform.processor()
    print(f"{len(processors)} x {model}, {platform.system()} {platform.release()}")
    busy = Path("/proc/loadavg").read_text().split()[0]
    print(f"load average at the beginning: {busy}")
    command = [python, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze"]
    packages = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = ("recto", *(requirement.split(">=")[0] for requirement in CONTENDERS))
    shown = [line for line in packages.stdout.splitlines() if line.split("==")[0] in wanted]
    curl = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True)
    print(f"Python {platform.python_version()}, {', '.join(shown)}, {' '.join(curl.stdout.split()[:2])}")


def main(wheel: str | None, benchmarks: list[str]) -> None:
    """Installs the packages and runs the benchmarks."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "venv")
        venv.create(home, with_pip=True)
        python = home / "bin/python"
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        if wheel is None:
            subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
            wheel = str(next(Path(folder).glob("recto-*.whl")))
        subprocess.run([*pip, "install", wheel, *CONTENDERS], check=True)
        describe(python)
        for name in benchmarks:
            print(f"\n{name}\n", flush=True)
            subprocess.run(
                [python, FOLDER / f"{name}.py", *([wheel] if name == "imports" else [])], check=True
            )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None, sys.argv[2:] or BENCHMARKS)
