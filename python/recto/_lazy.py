"""Modules that are used only in annotations. Each is imported when `typing.get_type_hints` resolves such an annotation.

`typing`, `datetime` and `pathlib` each take longer to import than the rest of this package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Module:
    """A module that is imported when one of its names is used."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(__import__(self._name, fromlist=(name,)), name)


abc = _Module("collections.abc")
async_handle = _Module("recto._async_handle")
datetime = _Module("datetime")
enum_types = _Module("recto._enum_types")
enums = _Module("recto.enums")
pathlib = _Module("pathlib")
types = _Module("recto._types")
typing = _Module("typing")
