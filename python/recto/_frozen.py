"""`Frozen`: the base of small values. They cannot be changed; values of one class with equal fields are equal.

It replaces `dataclasses`, which take longer to import than the rest of this package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing
else:
    from recto._lazy import typing


class Frozen:
    """A value whose fields are its `__slots__`, in order; its `repr` leaves out those in `_hidden`."""

    __slots__: tuple[str, ...] = ()
    _hidden: tuple[str, ...] = ()

    def _fill(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[typing.Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    def to_dict(self) -> dict[str, typing.Any]:
        """Return the fields as a dict that `json.dumps` accepts, without those that the `repr` leaves out.

        Values with fields become dicts, tuples lists, times ISO 8601 texts, paths texts, and exceptions dicts with
        `type` and `message`. Bytes and other objects become their `repr`.

        >>> recto.Margin(top=2, unit="cm").to_dict()
        {'top': 2, 'right': None, 'left': None, 'bottom': None, 'unit': 'cm'}
        """
        fields = zip(self.__slots__, self._values(), strict=True)
        return {name: _plain(value) for name, value in fields if name not in self._hidden}

    def __setattr__(self, name: str, value: object) -> typing.NoReturn:
        """Raise an error, because the value is frozen."""
        raise AttributeError(f"{type(self).__name__} cannot be changed; make a new one")

    def __delattr__(self, name: str) -> typing.NoReturn:
        """Raise an error, because the value is frozen."""
        raise AttributeError(f"{type(self).__name__} cannot be changed; make a new one")

    def __eq__(self, other: object) -> bool:
        """Return whether the other value is of the same class and has equal fields."""
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the fields, if each can be hashed."""
        return hash((type(self), *self._values()))

    def __repr__(self) -> str:
        """Return the call that makes the value, without the fields that are hidden or `None`."""
        shown = [
            f"{name}={value!r}"
            for name, value in zip(self.__slots__, self._values(), strict=True)
            if name not in self._hidden and value is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Pickle by the fields."""
        return type(self), self._values()


def _plain(value: typing.Any) -> typing.Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)  # an enum or a FileId becomes a plain text
    if isinstance(value, Frozen):
        return value.to_dict()
    if type(value) in (tuple, list):
        return [_plain(item) for item in value]
    if isinstance(value, BaseException):
        return {"type": type(value).__name__, "message": str(value)}
    for method in ("isoformat", "__fspath__"):
        if hasattr(value, method):
            return getattr(value, method)()
    return repr(value)
