"""Imports modules when they are first used. A fork in another thread waits until the import has ended.

While a thread imports a module, Python locks this module. Threads do not survive a fork: a child process that was
forked at this moment would wait for ever when it uses the module.
"""

from __future__ import annotations

import os
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

importing = RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release
    )


def load(module: str, name: str) -> Any:
    """Return the object `name` of a module, which is imported if it is not imported yet."""
    with importing:
        return getattr(__import__(module, fromlist=(name,)), name)
