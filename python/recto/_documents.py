"""A document of a `Udf`, and the path of its result, which follows from the document alone."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from recto import _columns, _native
from recto._imports import load

if TYPE_CHECKING:
    from recto._udf import Udf

_EXTENSIONS = {
    "pdf-to-jpeg": ("jpg", "zip"),
    "pdf-to-png": ("png", "zip"),
    "pdf-to-tiff": ("tif", "zip"),
    "pdf-to-tiff-fax": ("tif", "zip"),
}
"""The extensions of results, for operations whose results are not PDFs."""

_LONGEST = 180
"""The length limit of a name in bytes, before its hash and extension. Most file systems allow 255."""


def absolute(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> Path:
    """Return the absolute path without `..`. Links are not followed."""
    return Path(os.path.abspath(os.fsdecode(path)))  # noqa: PTH100


class Document:
    """One document: its content as a client takes it, its name, and its path if it is a file on this machine."""

    __slots__ = ("content", "given_name", "name", "path")

    def __init__(self, document: Any, named: Any, default: str | None) -> None:
        """Read what identifies the document; its content is not read yet."""
        if isinstance(document, tuple):  # (name, content)
            own, document = cast("tuple[Any, Any]", document)
            named = own if _columns.is_null(named) else named
        document = _columns.plain(document)
        name = None if _columns.is_null(named) else os.fsdecode(_columns.plain(named))
        is_stored = isinstance(document, load("recto.records", "FileId"))
        is_address = isinstance(document, str) and document[:8].lower().startswith(("http://", "https://"))
        is_path = not isinstance(document, bytes) and (
            isinstance(document, str) or hasattr(document, "__fspath__")
        )
        self.content: Any = document
        self.path: str | None = None
        if is_path and not is_stored and not is_address:
            self.path = os.fsdecode(document)
        elif name is None and not isinstance(document, str):
            name = default
        self.given_name: str | None = name
        """The name to send; `None` for that of the path or address, and for a PDF."""
        self.name: str = name or Path(self.path or "").name or "document"

    def size(self) -> int | None:
        """Return the size in bytes; `None` if it is not known."""
        if self.path is not None:
            return Path(self.path).stat().st_size
        view = self._view()
        return None if view is None else view.nbytes

    def identity(self, by_content: bool) -> bytes:
        """Return what the document differs by from every other one: its address, or a hash of its content."""
        view = self._view()
        if view is not None:
            return b"content:" + _digest(view)
        if by_content:
            if self.path is None:
                raise _invalid(
                    f"{self.name}: a result can be named after the content of a path or of bytes only"
                )
            with Path(self.path).open("rb") as file:
                return b"content:" + hashlib.file_digest(file, "sha256").digest()
        if self.path is not None:
            return b"path:" + os.fsencode(absolute(self.path))
        if isinstance(self.content, str):
            kind = b"file:" if isinstance(self.content, load("recto.records", "FileId")) else b"address:"
            return kind + self.content.encode("utf-8", "surrogatepass")
        raise _invalid(
            f"{type(self.content).__name__}: a result can be named after bytes, a path or an address only"
        )

    def _view(self) -> memoryview | None:
        if isinstance(self.content, str) or self.path is not None:
            return None
        try:
            return memoryview(self.content)
        except TypeError:
            return None


class Target:
    """The result of a document in a folder. Its path is the same in every process and at every attempt."""

    __slots__ = ("_base", "_document", "_extensions")

    def __init__(self, udf: Udf, document: Document) -> None:
        """Determine the path, without its extension."""
        self._document = document
        self._extensions = _EXTENSIONS.get(udf.operation, ("pdf",))
        self._base = Path(udf.to or "", *_named(udf, document))
        self._base.parent.mkdir(parents=True, exist_ok=True)
        for path in self._paths():
            if document.path is not None and _is_same(document.path, path):
                raise _invalid(f"the result would replace its source {document.path}; choose another folder")

    def finished(self) -> str | None:
        """Return the path of the result if it is there, and not older than its source."""
        changed = 0 if self._document.path is None else Path(self._document.path).stat().st_mtime_ns
        for path in self._paths():
            try:
                found = Path(path).stat()
            except FileNotFoundError:
                continue
            if stat.S_ISREG(found.st_mode) and found.st_size and found.st_mtime_ns >= changed:
                return path
        return None

    def path(self, of_service: str | None) -> str:
        """Return the path for a result that the service calls `of_service`."""
        extension = Path(of_service or "").suffix.lower().removeprefix(".")
        return f"{self._base}.{extension if extension in self._extensions else self._extensions[0]}"

    def remove_others(self, path: str) -> None:
        """Remove an older result with another extension: the source had one page, and now has several."""
        for other in self._paths():
            if other != path:
                Path(other).unlink(missing_ok=True)

    def _paths(self) -> list[str]:
        return [f"{self._base}.{extension}" for extension in self._extensions]


def _named(udf: Udf, document: Document) -> list[str]:
    """Return the folders below that of the results, and the name without its extension."""
    if udf.relative_to is not None and document.path is not None:
        source = absolute(document.path)
        if not source.is_relative_to(udf.relative_to):
            raise _invalid(f"{document.path} is not below the folder relative_to, {udf.relative_to}")
        *folders, name = source.relative_to(udf.relative_to).parts or (source.name,)
        return [*map(_distinct, folders), _distinct(name, _only_extension(udf.operation))]
    hashed = hashlib.sha256(b"recto-udf 1\0" + _options(udf) + b"\0")
    hashed.update(document.identity(udf.name_by_content))
    stem = _safe(Path(document.name.replace("\\", "/")).stem).lstrip(".-~ ")
    return [f"{stem or 'document'}-{hashed.hexdigest()[:32]}"]


def _distinct(name: str, extension: str | None = None) -> str:
    """Return the name without this extension. Two names stay different: a changed one gets a hash of the original."""
    stem = name if extension is None else name.removesuffix(extension)
    safe = _safe(stem)
    if safe == stem and (extension is None or stem != name):
        return safe
    return f"{safe}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:32]}"


def _safe(name: str) -> str:
    """Return the name as valid UTF-8 of limited length, without control characters."""
    valid = "".join(letter if letter.isprintable() else "_" for letter in name)
    return valid.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")


def _only_extension(operation: str) -> str | None:
    """Return the extension of the sources, if the operation takes only one."""
    accepts = next(row["accepts"] for row in _native.operations() if row["name"] == operation)
    return f".{accepts[0]}" if len(accepts) == 1 else None


def _options(udf: Udf) -> bytes:
    """Return the operation and its options, as they are part of a hash. A password is not: it could be guessed."""
    options = {key: value for key, value in udf.options.items() if key != "password"}
    return json.dumps([udf.operation, options], sort_keys=True, default=_plain).encode()


def _plain(value: Any) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


def _digest(view: memoryview) -> bytes:
    return hashlib.sha256(view if view.c_contiguous else view.tobytes()).digest()


def _is_same(source: str, path: str) -> bool:
    try:
        return Path(source).samefile(path)
    except OSError:
        return False


def _invalid(message: str) -> Exception:
    error: Exception = load("recto.errors", "InvalidRequest")(_columns.text(message), phase="start")
    return error
