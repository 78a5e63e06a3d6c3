"""Code that the benchmarks share: clients in separate processes, rounds, and a table with the spread."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
PATIENCE = 120  # seconds


@contextlib.contextmanager
def server(size: int = 1 << 20) -> Iterator[str]:
    """Runs a server in a separate process; yields its base URL."""
    command = [sys.executable, str(FOLDER / "server.py"), str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            # Kill the server instead of asking it to end: its threads may still be waiting or sending.
            process.kill()


def measured(script: str, *arguments: object) -> dict[str, float]:
    """The figures that a client prints as JSON. If the client hangs, its stack is printed."""
    program = f"import faulthandler, runpy; faulthandler.dump_traceback_later({PATIENCE}, exit=True); "
    program += f"runpy.run_path({str(FOLDER / script)!r}, run_name='__main__')"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


def spread(values: list[float], digits: int = 0) -> str:
    """`median (minimum to maximum)`."""
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def ratio(ours: list[float], theirs: list[float]) -> str:
    """The ratio of another client's figure to Recto's, in each round."""
    return spread([b / a for a, b in zip(ours, theirs, strict=True)], 1)


def table(rows: list[tuple[str, ...]]) -> None:
    """Prints a table; the first row is its header."""
    head, *others = rows
    for row in [head, ("---",) * len(head), *others]:
        print(f"| {' | '.join(row)} |", flush=True)
    print()
