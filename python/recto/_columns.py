"""Columns of documents, as engines pass them to a `Udf`, and columns of results of the same kind.

No engine is imported here: a value of pandas or Arrow is recognised by the module of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from recto._imports import load

_NULLS = ("NoneType", "NAType", "NaTType", "MaskedConstant")
_ARROW = {"string": "string", "binary": "binary", "bigint": "int64", "boolean": "bool_", "double": "float64"}
_PANDAS = {
    "string": "object",
    "binary": "object",
    "bigint": "Int64",
    "boolean": "boolean",
    "double": "float64",
}


class Batch:
    """The documents of a call, and how its result is made."""

    __slots__ = ("_given", "_make", "documents", "names")

    def __init__(
        self,
        documents: list[Any],
        names: list[Any] | None,
        given: Iterable[str],
        make: Callable[[dict[str, list[Any]], dict[str, str]], Any],
    ) -> None:
        """Set the documents, their file names, the names of the columns of the batch, and the function for a result."""
        self.documents = documents
        self.names = names
        self._given = list(given)
        self._make = make

    def refuse(self, columns: dict[str, str]) -> None:
        """Refuse a batch that has one of the columns that would be added."""
        both = [name for name in self._given if name in columns]
        if both:
            raise ValueError(
                f'the batch has the columns {", ".join(both)} already; give prefix="recto_", or another prefix for the '
                "columns of the results"
            )

    def result(self, rows: dict[str, list[Any]], columns: dict[str, str]) -> Any:
        """Return the columns of results, together with those of the batch."""
        return self._make(rows, columns)


def read(documents: Any, column: str | None, name_column: str | None) -> Batch:
    """Read a column of documents, or a batch of several columns."""
    if isinstance(documents, str | bytes | bytearray) or hasattr(documents, "__fspath__"):
        raise TypeError("expected a column of documents, not a single document; use one() for it")
    if isinstance(documents, dict):
        return _of_dict(cast("dict[str, Any]", documents), column, name_column)
    library, name = _library(documents), type(documents).__name__
    if library == "pandas" and name == "DataFrame":
        return _of_frame(documents, column, name_column)
    if library == "pyarrow" and name in ("Table", "RecordBatch"):
        return _of_table(documents, column, name_column)
    if name in ("DataFrame", "LazyFrame", "Table") or hasattr(documents, "columns"):
        raise TypeError(
            f"{library}.{name}: pass an Arrow table, such as to_arrow() returns, or a pandas DataFrame"
        )
    if column is not None or name_column is not None:
        raise TypeError(f"column and name_column need a batch of several columns, not {library}.{name}")
    if library == "pandas":
        return Batch(_values(documents), None, (), _frame_of(documents.index))
    if library == "pyarrow":
        return Batch(_values(documents), None, (), _struct)
    if hasattr(documents, "to_arrow"):  # a Series of Daft or Polars
        return Batch(_values(documents.to_arrow()), None, (), _struct)
    if library == "numpy":
        return Batch(_values(documents), None, (), _arrays)
    if hasattr(documents, "__iter__"):
        return Batch(list(documents), None, (), _lists)
    raise TypeError(f"expected a column of documents: a list, an Arrow array or a pandas Series, not {name}")


def is_null(value: Any) -> bool:
    """Whether a value means that there is no document: `None`, NaN, or the null of pandas, NumPy or Arrow."""
    if type(value).__name__ in _NULLS or (isinstance(value, float) and value != value):
        return True
    return getattr(value, "is_valid", True) is False  # a scalar of Arrow


def plain(value: Any) -> Any:
    """Return a scalar of Arrow as a Python object, and a binary one as a buffer, which is not copied."""
    if not hasattr(value, "as_py"):
        return value
    return value.as_buffer() if "Binary" in type(value).__name__ else value.as_py()


def text(text: str) -> str:
    """Return the text as valid UTF-8: an undecodable byte of a path is shown as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def _values(column: Any) -> list[Any]:
    return [plain(value) for value in column] if _library(column) == "pyarrow" else list(column)


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _chosen(given: Iterable[str], column: str | None, name_column: str | None) -> tuple[str, str | None]:
    names = list(given)
    if column is None and len(names) == 1:
        column = names[0]
    for name in (column, name_column):
        if name is not None and name not in names:
            raise ValueError(
                f"the batch has no column {name!r}; it has {', '.join(map(repr, names)) or 'none'}"
            )
    if column is None:
        raise ValueError(
            f"the batch has several columns ({', '.join(names)}); give column=, the one with the documents"
        )
    return column, name_column


def _of_dict(batch: dict[str, Any], column: str | None, name_column: str | None) -> Batch:
    column, name_column = _chosen(batch, column, name_column)
    make = _arrays if _library(batch[column]) == "numpy" else _lists
    return Batch(
        _values(batch[column]),
        None if name_column is None else _values(batch[name_column]),
        batch,
        lambda rows, columns: {**batch, **make(rows, columns)},
    )


def _of_frame(frame: Any, column: str | None, name_column: str | None) -> Batch:
    column, name_column = _chosen(frame.columns, column, name_column)
    names = None if name_column is None else _values(frame[name_column])
    make = _frame_of(frame.index)
    return Batch(
        _values(frame[column]),
        names,
        frame.columns,
        lambda rows, columns: frame.assign(**make(rows, columns)),
    )


def _of_table(table: Any, column: str | None, name_column: str | None) -> Batch:
    column, name_column = _chosen(table.column_names, column, name_column)
    names = None if name_column is None else _values(table[name_column])

    def make(rows: dict[str, list[Any]], columns: dict[str, str]) -> Any:
        given = {name: table[name] for name in table.column_names}
        added = {name: _arrow(rows[name], kind) for name, kind in columns.items()}
        return load("pyarrow", type(table).__name__).from_pydict({**given, **added})

    return Batch(_values(table[column]), names, table.column_names, make)


def _arrow(values: list[Any], kind: str) -> Any:
    return load("pyarrow", "array")(values, type=load("pyarrow", _ARROW[kind])())


def _struct(rows: dict[str, list[Any]], columns: dict[str, str]) -> Any:
    fields = [_arrow(rows[name], kind) for name, kind in columns.items()]
    return load("pyarrow", "StructArray").from_arrays(fields, names=list(columns))


def _frame_of(index: Any) -> Callable[[dict[str, list[Any]], dict[str, str]], Any]:
    def make(rows: dict[str, list[Any]], columns: dict[str, str]) -> Any:
        series = load("pandas", "Series")
        made = {name: series(rows[name], index=index, dtype=_PANDAS[kind]) for name, kind in columns.items()}
        return load("pandas", "DataFrame")(made, index=index)

    return make


def _lists(rows: dict[str, list[Any]], _: dict[str, str]) -> dict[str, list[Any]]:
    return rows


def _arrays(rows: dict[str, list[Any]], columns: dict[str, str]) -> dict[str, Any]:
    """Return NumPy arrays, of objects where values may be missing: an array of bytes would lose zeros at their ends."""
    made: dict[str, Any] = {}
    for name, values in rows.items():
        made[name] = load("numpy", "empty")(
            len(values), dtype="float64" if columns[name] == "double" else object
        )
        made[name][:] = values
    return made
