"""Paths and types of the end-to-end tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

Oracle = Callable[..., subprocess.CompletedProcess[str]]
"""Runs another program on Recto's output: `oracle("qpdf", "--check", path)`."""
