"""The types of arguments, for annotations. Imported by type checkers and `typing.get_type_hints` only."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from recto._option_types import *  # noqa: F403 (re-exported: annotations name one module)
from recto.records import FileId, Progress

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    try:
        from collections.abc import Buffer  # Python 3.12
    except ImportError:
        Buffer = bytes | bytearray | memoryview


class Reader(Protocol):
    """A binary file object to read from."""

    def read(self, size: int, /) -> Any:
        """Return at most `size` bytes, or empty `bytes` at the end of the file."""


class Writer(Protocol):
    """A binary file object to write to."""

    def write(self, data: bytes, /) -> Any:
        """Write the bytes."""


class Socket(Protocol):
    """A connected socket."""

    def makefile(self, mode: Any, /) -> Any:
        """Make a file object."""


class Drawing(Protocol):
    """The display of one phase of a call."""

    def show(self, progress: Progress, /) -> None:
        """Draw the progress."""

    def close(self) -> None:
        """Remove the display."""


Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Source: TypeAlias = os.PathLike[str] | os.PathLike[bytes] | str | Buffer | Reader | Socket | FileId
OnProgress: TypeAlias = Callable[[Progress], object]
