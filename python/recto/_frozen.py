"""`Frozen`: the base of small values. They cannot be changed; equal fields make equal values.

Standing in for `dataclasses`, which cost more to import than all of this package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Frozen:
    """A value whose fields are its `__slots__`, in order; those in `_hidden` are left out of its `repr`."""

    __slots__: tuple[str, ...] = ()
    _hidden: tuple[str, ...] = ()

    def _fill(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: the value is frozen."""
        raise AttributeError(f"{type(self).__name__} cannot be changed; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: the value is frozen."""
        raise AttributeError(f"{type(self).__name__} cannot be changed; make a new one")

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class with equal fields."""
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """A hash over the fields, where they can be hashed."""
        return hash((type(self), *self._values()))

    def __repr__(self) -> str:
        """The call that makes the value, without what is hidden or `None`."""
        shown = [
            f"{name}={value!r}"
            for name, value in zip(self.__slots__, self._values(), strict=True)
            if name not in self._hidden and value is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the fields."""
        return type(self), self._values()
