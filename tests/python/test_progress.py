"""Progress: on the caller's thread, each phase from beginning to end; a callback that raises ends the call."""

from __future__ import annotations

import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import PDF, Loopback

LARGE = PDF + bytes(8 << 20)


def test_progress_covers_upload_wait_and_download(
    tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result_bytes = LARGE
    seen: list[recto.Progress] = []
    threads = set()

    def note(progress: recto.Progress) -> None:
        seen.append(progress)
        threads.add(threading.current_thread())

    remote.optimize(LARGE, on_progress=note).save(tmp_path / "out.pdf")
    assert threads == {threading.current_thread()}
    phases = list(dict.fromkeys(progress.phase for progress in seen))
    assert phases == [recto.Phase.UPLOAD, recto.Phase.WAIT, recto.Phase.DOWNLOAD]
    for phase in (recto.Phase.UPLOAD, recto.Phase.DOWNLOAD):
        done = [progress.done for progress in seen if progress.phase is phase]
        assert done == sorted(done)
        assert (done[0], done[-1]) == (0, len(LARGE))
    assert all(isinstance(progress.phase, recto.Phase) and progress.elapsed >= 0 for progress in seen)


def test_each_call_may_have_a_callback_of_its_own(remote: recto.Client) -> None:
    first: list[recto.Progress] = []
    second: list[recto.Progress] = []
    operation = remote.optimize(PDF, on_progress=first.append)
    operation.read(on_progress=second.append)
    assert {progress.phase for progress in first} == {"upload"}
    assert {progress.phase for progress in second} == {"wait", "download"}


@pytest.mark.parametrize("phase", ["upload", "wait", "download"])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_what_a_callback_raises_ends_the_call_and_is_raised_itself(
    phase: str, kind: type[BaseException], tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result_bytes = LARGE
    error = kind("from the callback")

    def stop(progress: recto.Progress) -> None:
        if progress.phase == phase:
            raise error

    with pytest.raises(kind) as caught:
        remote.optimize(LARGE, on_progress=stop).save(tmp_path / "out.pdf")
    assert caught.value is error
    assert list(tmp_path.iterdir()) == []
    assert remote.files.get("1").id == "1", "the client goes on working"


def test_a_callback_may_use_the_client(remote: recto.Client) -> None:
    names = []

    def look(_: recto.Progress) -> None:
        names.append(remote.files.get("1").name)

    remote.optimize(PDF, on_progress=look).read()
    assert set(names) == {"a.pdf"}


def test_a_callback_that_is_none_is_refused_clearly(remote: recto.Client) -> None:
    with pytest.raises(TypeError, match="not callable"):
        remote.optimize(PDF, on_progress="bar")  # type: ignore[arg-type]


class Bar:
    """Stands in for tqdm, which need not be installed."""

    made: list[Bar] = []  # noqa: RUF012

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.total = settings["total"]
        self.n = 0
        self.closed = False
        Bar.made.append(self)

    def update(self, count: int) -> None:
        assert not self.closed
        self.n += count

    def close(self) -> None:
        self.closed = True


def test_the_tqdm_callback_draws_a_bar_for_each_phase(
    tmp_path: Path, loopback: Loopback, remote: recto.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    loopback.result_bytes = LARGE
    remote.optimize(LARGE, on_progress=recto.progress.tqdm(ncols=80)).save(tmp_path / "out.pdf")
    assert [bar.settings["desc"] for bar in Bar.made] == ["upload", "wait", "download"]
    assert all(bar.closed and bar.settings["ncols"] == 80 for bar in Bar.made)
    assert (Bar.made[0].n, Bar.made[2].n) == (len(LARGE), len(LARGE))


def test_the_helpers_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ImportError, match="tqdm"):
        recto.progress.tqdm()
    with pytest.raises(ImportError, match="rich"):
        recto.progress.rich()
