"""Callbacks for `on_progress` that draw progress bars with tqdm or rich. The package must be installed.

>>> client.optimize("report.pdf", on_progress=recto.progress.tqdm()).save("small.pdf")
PosixPath('small.pdf')

A callback serves one call, operation or batch at a time. Its display is removed when the result has arrived, by
`close()`, at the end of a `with` block, or when the callback is garbage-collected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from recto._types import Drawing
from recto.records import Progress

__all__ = ["Bar", "rich", "tqdm"]


class Bar:
    """A callback that draws the progress of a call: `tqdm()` and `rich()` return it.

    >>> with recto.progress.tqdm() as bar:
    ...     report = client.optimize("report.pdf", on_progress=bar).result()
    """

    __slots__ = ("__weakref__", "_begin", "_drawing", "_phase")

    def __init__(self, begin: Callable[[Progress], Drawing]) -> None:
        """Set the function that starts to draw a phase."""
        self._begin = begin
        self._phase: str | None = None
        self._drawing: Drawing | None = None

    def __call__(self, progress: Progress) -> None:
        """Draw the progress."""
        if self._drawing is None or progress.phase != self._phase:
            self.close()
            self._phase = progress.phase
            self._drawing = self._begin(progress)
        self._drawing.show(progress)
        is_last = progress.phase in ("download", "batch") and progress.done == progress.total
        if is_last:
            self.close()

    def close(self) -> None:
        """Remove the display.

        >>> bar = recto.progress.tqdm()
        >>> report = client.optimize("report.pdf", on_progress=bar).result()
        >>> bar.close()
        """
        drawing, self._drawing = self._drawing, None
        if drawing is not None:
            drawing.close()

    def __enter__(self) -> Self:
        """Return the callback itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the display."""
        self.close()

    def __del__(self) -> None:
        """Remove the display: rich hides the cursor of the terminal until then."""
        self.close()


def tqdm(**options: Any) -> Bar:
    """Draw a tqdm bar for each phase; `options` go to `tqdm.tqdm`.

    >>> for item in client.batch("optimize", ["report.pdf"], to="out", on_progress=recto.progress.tqdm(ncols=80)):
    ...     item.path.name
    'report.pdf'
    """
    from tqdm.auto import tqdm as bar_of_tqdm  # type: ignore[import-untyped, unused-ignore]

    return Bar(lambda progress: _OfTqdm(bar_of_tqdm, options, progress))


def rich(display: Any = None) -> Bar:
    """Draw a task for each phase in a `rich.progress.Progress`: `display`, or else a new one.

    >>> client.optimize("report.pdf", on_progress=recto.progress.rich()).save("small.pdf")
    PosixPath('small.pdf')
    """
    from rich import progress as rich_progress  # type: ignore[import-not-found, unused-ignore]

    return Bar(lambda progress: _OfRich(rich_progress.Progress, display, progress))


class _OfTqdm:
    """A bar of tqdm for one phase."""

    def __init__(self, make: Callable[..., Any], options: dict[str, Any], progress: Progress) -> None:
        unit: dict[str, Any] = {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
        if progress.phase == "batch":
            unit = {"unit": " documents"}
        settings: dict[str, Any] = {"desc": str(progress.phase), **unit, "leave": False, **options}
        self._bar: Any = make(total=progress.total, **settings)

    def show(self, progress: Progress) -> None:
        self._bar.total = progress.total
        self._bar.update(progress.done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _OfRich:
    """A task of rich for one phase, in `display` or in a new one."""

    def __init__(self, make: Callable[..., Any], display: Any, progress: Progress) -> None:
        self._own: Any = make(transient=True) if display is None else None
        self._display: Any = self._own or display
        self._task: Any = self._display.add_task(str(progress.phase), total=progress.total)
        if self._own is not None:
            self._own.start()

    def show(self, progress: Progress) -> None:
        self._display.update(self._task, completed=progress.done, total=progress.total)

    def close(self) -> None:
        self._display.remove_task(self._task)
        if self._own is not None:
            self._own.stop()
