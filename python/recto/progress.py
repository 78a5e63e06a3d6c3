"""Ready callbacks for `on_progress`, for those who have tqdm or rich installed.

>>> client.optimize("report.pdf", on_progress=recto.progress.tqdm()).save("small.pdf")
PosixPath('small.pdf')
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recto._types import OnProgress
    from recto.records import Progress

__all__ = ["rich", "tqdm"]


def tqdm(**options: Any) -> OnProgress:
    """Draw a tqdm bar for each phase; `options` go to `tqdm.tqdm`.

    >>> for item in client.batch("optimize", ["report.pdf"], to="out", on_progress=recto.progress.tqdm(ncols=80)):
    ...     item.path.name
    'report.pdf'
    """
    from tqdm.auto import tqdm as bar_of_tqdm  # type: ignore[import-untyped, unused-ignore]

    bar: Any = None
    phase: str | None = None

    def draw(progress: Progress) -> None:
        nonlocal bar, phase
        if progress.phase != phase:
            if bar is not None:
                bar.close()
            phase = progress.phase
            settings: dict[str, Any] = {
                "unit": "B",
                "unit_scale": True,
                "unit_divisor": 1024,
                "leave": False,
                **options,
            }
            bar = bar_of_tqdm(desc=str(phase), total=progress.total, **settings)
        bar.total = progress.total
        bar.update(progress.done - bar.n)
        if _is_last(progress):
            bar.close()
            bar, phase = None, None

    return draw


def rich(display: Any = None) -> OnProgress:
    """Draw a task for each phase in a `rich.progress.Progress`: the one given, else one of its own.

    >>> client.optimize("report.pdf", on_progress=recto.progress.rich()).save("small.pdf")
    PosixPath('small.pdf')
    """
    from rich import progress as rich_progress  # type: ignore[import-not-found, unused-ignore]

    own = display is None
    shown: Any = rich_progress.Progress(transient=True) if own else display
    task: Any = None
    phase: str | None = None

    def draw(progress: Progress) -> None:
        nonlocal task, phase
        if progress.phase != phase:
            if task is not None:
                shown.remove_task(task)
            elif own:
                shown.start()
            phase = progress.phase
            task = shown.add_task(str(phase), total=progress.total)
        shown.update(task, completed=progress.done, total=progress.total)
        if _is_last(progress):
            shown.remove_task(task)
            task, phase = None, None
            if own:
                shown.stop()

    return draw


def _is_last(progress: Progress) -> bool:
    return progress.phase == "download" and progress.total is not None and progress.done >= progress.total
