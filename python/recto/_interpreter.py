"""Refuses to be imported in a subinterpreter: the threads of the native module belong to the main interpreter.

In a subinterpreter of Python 3.11, calls would use the state of the main interpreter and hang when Python exits.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_main() -> bool:
    """Whether this is the main interpreter of the process."""
    interpreters: Any
    try:
        try:
            interpreters = __import__("_interpreters")  # Python 3.13
        except ImportError:
            interpreters = __import__("_xxsubinterpreters")
    except ImportError:
        return True  # this Python has no subinterpreters
    # The identifiers are numbers, objects, or tuples of a number and more, depending on the version.
    return bool(interpreters.get_current() == interpreters.get_main())


if not is_main():
    raise ImportError(
        "recto cannot be used in a subinterpreter; import it in the main interpreter, or use threads or processes"
    )
