"""Progress: on the caller's thread, each phase from beginning to end; a callback that raises ends the call."""

from __future__ import annotations

import asyncio
import io
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

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


def test_each_call_can_have_its_own_callback(remote: recto.Client) -> None:
    first: list[recto.Progress] = []
    second: list[recto.Progress] = []
    operation = remote.optimize(PDF, on_progress=first.append)
    operation.read(on_progress=second.append)
    assert {progress.phase for progress in first} == {"upload"}
    assert {progress.phase for progress in second} == {"wait", "download"}


@pytest.mark.parametrize("phase", ["upload", "wait", "download"])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_exception_of_a_callback_ends_the_call_and_is_raised(
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
    assert remote.files.get("1").id == "1", "the client still works"


def test_a_callback_may_use_the_client(remote: recto.Client) -> None:
    names = []

    def look(_: recto.Progress) -> None:
        names.append(remote.files.get("1").name)

    remote.optimize(PDF, on_progress=look).read()
    assert set(names) == {"a.pdf"}


def test_a_callback_that_is_not_callable_is_refused(remote: recto.Client) -> None:
    with pytest.raises(TypeError, match="takes a function of one argument, not str"):
        remote.optimize(PDF, on_progress="bar")  # type: ignore[arg-type]


# Returns a progress bar of tqdm that draws on `screen`.
def of_tqdm(screen: io.StringIO) -> recto.progress.Bar:
    pytest.importorskip("tqdm", reason="it is in the dependency group test")
    return recto.progress.tqdm(file=screen, mininterval=0, ncols=80)


def of_rich(screen: io.StringIO) -> recto.progress.Bar:
    pytest.importorskip("rich", reason="it is in the dependency group test")
    import rich.console
    import rich.progress

    console = rich.console.Console(file=screen, force_terminal=True, width=80)
    display = rich.progress.Progress(console=console, transient=True, refresh_per_second=100)
    display.start()
    return recto.progress.rich(display)


DRAWERS = [of_tqdm, of_rich]
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


@pytest.mark.parametrize("drawer", DRAWERS)
def test_each_phase_is_drawn(
    drawer: Callable[[io.StringIO], recto.progress.Bar],
    tmp_path: Path,
    loopback: Loopback,
    remote: recto.Client,
) -> None:
    loopback.result_bytes = LARGE
    screen = io.StringIO()
    bar = drawer(screen)
    remote.optimize(LARGE, on_progress=bar).save(tmp_path / "out.pdf")
    for phase in ("upload", "wait", "download"):
        assert phase in screen.getvalue()
    if drawer is of_tqdm:
        assert "8.00M/8.00M" in screen.getvalue()
        assert screen.getvalue().rstrip(" ").endswith("\r"), "the bar was taken away"
    remote.optimize(LARGE, on_progress=bar).save(tmp_path / "again.pdf")


@pytest.mark.parametrize("drawer", DRAWERS)
def test_each_phase_is_drawn_under_asyncio(
    drawer: Callable[[io.StringIO], recto.progress.Bar], tmp_path: Path, loopback: Loopback
) -> None:
    loopback.result_bytes = LARGE
    screen = io.StringIO()
    bar = drawer(screen)

    async def main() -> None:
        async with recto.AsyncClient(**loopback.settings()) as client:
            await (await client.optimize(LARGE, on_progress=bar)).save(tmp_path / "out.pdf")

    asyncio.run(main())
    for phase in ("upload", "wait", "download"):
        assert phase in screen.getvalue()


@pytest.mark.parametrize("drawer", DRAWERS)
def test_a_batch_is_drawn_as_a_count_of_documents(
    drawer: Callable[[io.StringIO], recto.progress.Bar], pdf: Path, remote: recto.Client
) -> None:
    screen = io.StringIO()
    copies = [pdf.with_name(f"{number}.pdf") for number in range(5)]
    for copy in copies:
        shutil.copy(pdf, copy)
    for item in remote.batch("optimize", copies, on_progress=drawer(screen)):
        assert item.error is None
    assert "batch" in screen.getvalue()
    if drawer is of_tqdm:
        assert "5/5" in screen.getvalue()
        assert "documents" in screen.getvalue()


RICH = """
import sys
import rich.console, rich.progress
import recto

# A terminal, for rich.
rich._console = rich.console.Console(force_terminal=True, width=80)
client = recto.Client(base_url=sys.argv[1], api_key="key")
if sys.argv[2] == "with":
    with recto.progress.rich() as bar:
        client.optimize(b"%PDF-1.7", on_progress=bar).result()
elif sys.argv[2] == "dropped":
    client.optimize(b"%PDF-1.7", on_progress=recto.progress.rich()).result()
else:
    try:
        client.optimize(b"%PDF-1.7", on_progress=recto.progress.rich()).save("/no/such/folder")
    except FileNotFoundError:
        pass
"""


@pytest.mark.parametrize("how", ["with", "dropped", "failed"])
def test_the_cursor_of_the_terminal_is_restored(how: str, loopback: Loopback) -> None:
    pytest.importorskip("rich", reason="it is in the dependency group test")
    run = subprocess.run(
        [sys.executable, "-c", RICH, loopback.base_url, how], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert HIDE in run.stdout
    assert run.stdout.rindex(SHOW) > run.stdout.rindex(HIDE)


def test_a_helper_names_the_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tqdm", "tqdm.auto", "rich", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="tqdm"):
        recto.progress.tqdm()
    with pytest.raises(ImportError, match="rich"):
        recto.progress.rich()
