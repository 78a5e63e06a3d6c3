"""The client that the hooks share, and the notes of its results."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence

import recto

log = logging.getLogger(__name__)


@functools.cache
def client() -> recto.Client:
    """The client of this process: of the embedded service, unless `RECTO_BASE_URL` names another one."""
    return recto.Client.from_env()


def notes(operation: recto.Operation) -> Sequence[str]:
    """The notes on the result: what was changed, or could not be done."""
    found: list[object] = operation.result().raw.get("notes") or []
    return [str(note) for note in found]
