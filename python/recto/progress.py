"""Ready callbacks for `on_progress`, for those who have tqdm or rich installed.

>>> client.optimize("report.pdf", on_progress=recto.progress.tqdm()).save("small.pdf")
PosixPath('small.pdf')

Each is for one call, operation or batch at a time. What it draws is taken away when the result is there, with
`close()`, at the end of a `with` block, or when nobody holds the callback any more.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, Self

    from recto.records import Progress

    class _Drawn(Protocol):
        """What is drawn for one phase."""

        def show(self, progress: Progress) -> None: ...
        def close(self) -> None: ...


__all__ = ["Bar", "rich", "tqdm"]


class Bar:
    """A callback that draws how far a call is: what `tqdm()` and `rich()` return.

    >>> with recto.progress.tqdm() as bar:
    ...     report = client.optimize("report.pdf", on_progress=bar).result()
    """

    __slots__ = ("__weakref__", "_drawn", "_phase")

    def __init__(self) -> None:
        """Draw nothing yet."""
        self._phase: str | None = None
        self._drawn: _Drawn | None = None

    def _draw(self, progress: Progress) -> _Drawn:
        raise NotImplementedError

    def __call__(self, progress: Progress) -> None:
        """Draw how far it is."""
        if self._drawn is None or progress.phase != self._phase:
            self.close()
            self._phase = progress.phase
            self._drawn = self._draw(progress)
        self._drawn.show(progress)
        is_last = progress.phase in ("download", "batch") and progress.done == progress.total
        if is_last:
            self.close()

    def close(self) -> None:
        """Take away what is drawn.

        >>> bar = recto.progress.tqdm()
        >>> report = client.optimize("report.pdf", on_progress=bar).result()
        >>> bar.close()
        """
        drawn, self._drawn = self._drawn, None
        if drawn is not None:
            drawn.close()

    def __enter__(self) -> Self:
        """Return the callback itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take away what is drawn."""
        self.close()

    def __del__(self) -> None:
        """Take away what is drawn, lest a terminal be left without its cursor."""
        self.close()


def tqdm(**options: Any) -> Bar:
    """Draw a tqdm bar for each phase; `options` go to `tqdm.tqdm`.

    >>> for item in client.batch("optimize", ["report.pdf"], to="out", on_progress=recto.progress.tqdm(ncols=80)):
    ...     item.path.name
    'report.pdf'
    """
    from tqdm.auto import tqdm as bar_of_tqdm  # type: ignore[import-untyped, unused-ignore]

    class Drawn:
        def __init__(self, progress: Progress) -> None:
            unit: dict[str, Any] = {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
            if progress.phase == "batch":
                unit = {"unit": " documents"}
            settings: dict[str, Any] = {"desc": str(progress.phase), **unit, "leave": False, **options}
            self.bar: Any = bar_of_tqdm(total=progress.total, **settings)

        def show(self, progress: Progress) -> None:
            self.bar.total = progress.total
            self.bar.update(progress.done - self.bar.n)

        def close(self) -> None:
            self.bar.close()

    class Tqdm(Bar):
        def _draw(self, progress: Progress) -> _Drawn:
            return Drawn(progress)

    return Tqdm()


def rich(display: Any = None) -> Bar:
    """Draw a task for each phase in a `rich.progress.Progress`: the one given, else one of its own.

    >>> client.optimize("report.pdf", on_progress=recto.progress.rich()).save("small.pdf")
    PosixPath('small.pdf')
    """
    from rich import progress as rich_progress  # type: ignore[import-not-found, unused-ignore]

    class Drawn:
        def __init__(self, progress: Progress) -> None:
            self.own = None if display is not None else rich_progress.Progress(transient=True)
            self.display: Any = self.own or display
            self.task = self.display.add_task(str(progress.phase), total=progress.total)
            if self.own is not None:
                self.own.start()

        def show(self, progress: Progress) -> None:
            self.display.update(self.task, completed=progress.done, total=progress.total)

        def close(self) -> None:
            self.display.remove_task(self.task)
            if self.own is not None:
                self.own.stop()

    class Rich(Bar):
        def _draw(self, progress: Progress) -> _Drawn:
            return Drawn(progress)

    return Rich()
