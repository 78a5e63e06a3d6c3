"""Watched folders: from Python, and as `recto watch`."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import recto
from python.loopback import PDF, Loopback

RECTO = Path(sys.executable).parent / "recto"


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def wait_until(what: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_files_are_processed_as_they_arrive_until_the_batch_is_stopped(
    inbox: Path, tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    (inbox / "first.pdf").write_bytes(PDF)
    watch = recto.Watch(inbox, settle=0.05, move_originals=tmp_path / "done")
    items = []
    with remote.batch("optimize", watch, to=tmp_path / "out", profile="web") as batch:
        for item in batch:
            items.append(item)
            if len(items) == 1:
                (inbox / "second.pdf").write_bytes(PDF)
            else:
                batch.stop()
    assert [item.source.name for item in items] == ["first.pdf", "second.pdf"]
    for item in items:
        assert item.error is None
        assert item.moved_to == tmp_path / "done" / item.source.name
        assert pickle.loads(pickle.dumps(item)) == item
    assert visible(inbox) == []
    assert visible(tmp_path / "out") == visible(tmp_path / "done") == ["first.pdf", "second.pdf"]
    assert {start.json["options"]["profile"] for start in loopback.of("start")} == {"web"}
    with pytest.raises(TypeError):
        len(batch)


def test_a_failed_document_is_set_aside(
    inbox: Path, tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result = {"operationType": "optimize", "operationStatus": "failed", "detail": "it is not a PDF"}
    (inbox / "bad.pdf").write_bytes(PDF)
    watch = recto.Watch(inbox, settle=0.05, failed=tmp_path / "failed")
    batch = remote.batch("optimize", watch, to=tmp_path / "out")
    item = next(batch)
    batch.close()
    assert isinstance(item.error, recto.OperationFailed)
    assert item.moved_to == tmp_path / "failed/bad.pdf"
    assert "it is not a PDF" in (tmp_path / "failed/bad.pdf.reason.txt").read_text(encoding="utf-8")
    assert loopback.settings()["api_key"] not in (tmp_path / "failed/bad.pdf.reason.txt").read_text(
        encoding="utf-8"
    )


def test_another_thread_stops_a_watch_that_waits(inbox: Path, tmp_path: Path, remote: recto.Client) -> None:
    batch = remote.batch("optimize", recto.Watch(inbox), to=tmp_path / "out")
    threading.Timer(0.2, batch.stop).start()
    assert list(batch) == []


def test_asyncio_iterates_over_a_watch(inbox: Path, tmp_path: Path, loopback: Loopback) -> None:
    async def watch() -> list[str]:
        names = []
        async with recto.AsyncClient(**loopback.settings()) as client:
            batch = client.batch("optimize", recto.Watch(inbox, settle=0.05), to=tmp_path / "out")
            async with batch:
                async for item in batch:
                    names.append(item.source.name)
                    batch.stop()
        return names

    (inbox / "a.pdf").write_bytes(PDF)
    assert asyncio.run(watch()) == ["a.pdf"]
    assert visible(inbox) == ["a.pdf"]


def test_settings_are_checked_and_a_watch_is_a_value(
    inbox: Path, tmp_path: Path, remote: recto.Client
) -> None:
    watch = recto.Watch(str(inbox), settle=1, delete_originals=True)
    assert watch == pickle.loads(pickle.dumps(watch)) == recto.Watch(inbox, False, 1.0, None, True)
    assert repr(watch).startswith("Watch(folder=")
    for wrong in [
        recto.Watch(inbox, settle=-1),
        recto.Watch(inbox, move_originals=tmp_path / "done", delete_originals=True),
        recto.Watch(inbox, move_originals=inbox),
        recto.Watch(tmp_path / "missing"),
    ]:
        with pytest.raises((ValueError, recto.ConfigError, FileNotFoundError)):
            remote.batch("optimize", wrong, to=tmp_path / "out")


@contextmanager
def watching(loopback: Loopback, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """`recto watch` with these arguments, after it has reported that it watches."""
    settings = loopback.settings()
    environment = os.environ | {"RECTO_BASE_URL": settings["base_url"], "RECTO_API_KEY": settings["api_key"]}
    with subprocess.Popen(
        [RECTO, "watch", *arguments],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().startswith("watching ")
            yield process
        finally:
            process.kill()


def test_sigterm_finishes_what_is_in_progress_and_takes_nothing_more(
    inbox: Path, tmp_path: Path, loopback: Loopback
) -> None:
    arguments: list[str | Path] = [
        inbox,
        "--to",
        tmp_path / "out",
        "--move-originals",
        tmp_path / "done",
        "--settle",
        "50ms",
    ]
    hold = loopback.hold("result")
    with watching(loopback, *arguments, "optimize") as process:
        (inbox / "a.pdf").write_bytes(PDF)
        assert hold.reached.wait(60)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert "no further documents" in process.stderr.readline()
        (inbox / "b.pdf").write_bytes(PDF)
        hold.released.set()
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "a.pdf" in output
    assert "1 done" in errors
    assert visible(inbox) == ["b.pdf"]
    assert visible(tmp_path / "out") == visible(tmp_path / "done") == ["a.pdf"]


def test_a_second_signal_cancels(inbox: Path, tmp_path: Path, loopback: Loopback) -> None:
    hold = loopback.hold("result")
    with watching(loopback, inbox, "--to", tmp_path / "out", "--settle", "50ms", "optimize") as process:
        (inbox / "a.pdf").write_bytes(PDF)
        assert hold.reached.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "no further documents" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert visible(inbox) == ["a.pdf"]


def test_the_command_needs_a_folder_for_results(inbox: Path) -> None:
    run = subprocess.run(
        [RECTO, "watch", inbox, "optimize"], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 2
    assert "--to is missing" in run.stderr
