"""`Watch`: a folder whose files are the documents of a batch, as they arrive."""

from __future__ import annotations

import os

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pathlib

    from recto import _types as types
else:
    from recto._lazy import pathlib, types

__all__ = ["Watch"]


class Watch(Frozen):
    """A folder that a batch watches, in place of its sources: its files are processed as they arrive.

    The batch ends only when it is stopped or closed, or with an error that every other document would have too. Hidden
    files, links, files that the operation does not take, and the folders of the results, of moved files and of failures
    do not count. A result replaces no file: `-2`, `-3` and so on is appended to its name.

    A file that cannot be processed is moved to `failed`, with a text `NAME.reason.txt`. After any other failure, such
    as a service that cannot be reached, it stays, and is tried again after 30 s, then after pauses that grow to 10
    minutes. Without `journal`, the batch keeps its journal in a hidden file in the folder: a watch that was killed
    processes nothing twice when it is started again.

    >>> import os
    >>> os.mkdir("in")
    >>> os.link("report.pdf", "in/report.pdf")
    >>> batch = client.batch("optimize", recto.Watch("in", settle=0.1), to="out", profile="web")
    >>> for item in batch:
    ...     print(item.source.name)
    ...     batch.stop()
    report.pdf
    """

    __slots__ = (  # noqa: RUF023
        "folder", "recursive", "settle", "move_originals", "delete_originals", "failed",
    )  # fmt: skip
    __match_args__ = ("folder",)

    folder: pathlib.Path
    """The folder, which must exist."""
    recursive: bool
    """Whether files in subfolders count; their results get the same subfolders."""
    settle: float
    """A file is complete when it has not changed for so many seconds; one that was renamed to its path, at once."""
    move_originals: pathlib.Path | None
    """The folder to which files are moved when they are done; otherwise they stay, and are processed once."""
    delete_originals: bool
    """Whether files are deleted when they are done."""
    failed: pathlib.Path | None
    """The folder for files that cannot be processed; by default `failed` in the folder."""

    def __init__(
        self,
        folder: types.Path,
        recursive: bool = False,
        settle: float = 2.0,
        move_originals: types.Path | None = None,
        delete_originals: bool = False,
        failed: types.Path | None = None,
    ) -> None:
        """Set the fields; the folder is read when the batch begins."""
        moved = None if move_originals is None else pathlib.Path(os.fsdecode(move_originals))
        aside = None if failed is None else pathlib.Path(os.fsdecode(failed))
        self._fill(pathlib.Path(os.fsdecode(folder)), recursive, settle, moved, delete_originals, aside)
