"""Names the tests of the front door share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

Judge = Callable[..., subprocess.CompletedProcess[str]]
"""Runs another program on what Recto made: `judge("qpdf", "--check", path)`."""
