"""Fenced code blocks of a Markdown page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code and its place."""

    page: Path
    line: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.language or 'no language'})"


def blocks(page: Path) -> list[Block]:
    """Every fenced block of the page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])
        for found in _FENCE.finditer(text)
    ]
