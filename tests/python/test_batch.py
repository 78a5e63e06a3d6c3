"""Batches: items in the order of completion, sources pulled as needed, and a journal that resumes."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recto
from python.conftest import EXAMPLES
from python.loopback import PDF, Loopback


@pytest.fixture
def pdfs(tmp_path: Path) -> list[Path]:
    """Twelve documents, for services that do not parse them."""
    paths = [tmp_path / f"{number:02}.pdf" for number in range(12)]
    for path in paths:
        path.write_bytes(PDF)
    return paths


def uploaded(loopback: Loopback) -> list[str]:
    return [request.json["fileName"] for request in loopback.of("ticket")]


def test_every_document_becomes_an_item(
    pdfs: list[Path], tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    items = list(remote.batch("optimize", pdfs, to=tmp_path / "out", profile="web", concurrency=4))
    assert sorted(item.index for item in items) == list(range(12))
    for item in items:
        assert item.source == pdfs[item.index]
        assert item.path == tmp_path / "out" / item.source.name
        assert (tmp_path / "out" / item.source.name).read_bytes() == PDF
        assert item.error is None
        assert item.result is not None
        assert item.operation_id
        assert pickle.loads(pickle.dumps(item)) == item
    assert {start.json["options"]["profile"] for start in loopback.of("start")} == {"web"}
    assert sorted(uploaded(loopback)) == [path.name for path in pdfs]


def test_a_document_that_fails_is_an_item_with_an_error(
    pdfs: list[Path], tmp_path: Path, remote: recto.Client
) -> None:
    missing, image = tmp_path / "missing.pdf", tmp_path / "image.png"
    image.write_bytes(b"\x89PNG")
    batch = remote.batch("optimize", [pdfs[0], missing, image], to=tmp_path / "out")
    items = {item.source: item for item in batch}
    assert items[pdfs[0]].error is None
    error = items[missing].error
    assert isinstance(error, FileNotFoundError)
    assert error.filename == str(missing)
    refused = items[image].error
    assert isinstance(refused, recto.InvalidRequest)
    assert refused.document == str(image)
    assert pickle.loads(pickle.dumps(items[image])).source == image
    for item in remote.batch("optimize", [image], to=tmp_path / "out", force=True):
        assert item.error is None


def test_the_error_of_an_operation_names_its_document(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result = {"operationType": "optimize", "operationStatus": "failed", "detail": "it is not a PDF"}
    for item in remote.batch("optimize", pdfs[:3]):
        assert isinstance(item.error, recto.OperationFailed)
        assert item.error.document == str(item.source)
        assert str(item.source) in str(item.error)
        assert item.operation_id == item.error.operation_id


def test_a_batch_of_validations_needs_no_folder(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result = {
        "operationType": "validate",
        "operationStatus": "finished",
        "validation": {"errors": ["no title"], "isConforming": False, "conformance": "pdf15"},
    }
    (item,) = remote.batch("validate", pdfs[:1], conformance="pdf17")
    assert item.path is None
    assert item.validation == recto.ValidationReport(False, ("no title",), "pdf15")


def test_equal_names_get_numbers_and_folders_are_kept_if_wanted(tmp_path: Path, remote: recto.Client) -> None:
    sources = [tmp_path / "in" / folder / "a.pdf" for folder in ("one", "two")]
    for source in sources:
        source.parent.mkdir(parents=True)
        source.write_bytes(PDF)
    flat = {item.path for item in remote.batch("optimize", sources, to=tmp_path / "flat")}
    assert flat == {tmp_path / "flat/a.pdf", tmp_path / "flat/a-2.pdf"}
    batch = remote.batch("optimize", sources, to=tmp_path / "deep", relative_to=tmp_path / "in")
    assert {item.path for item in batch} == {tmp_path / "deep/one/a.pdf", tmp_path / "deep/two/a.pdf"}


def test_sources_are_pulled_as_needed_on_the_thread_that_iterates(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    taken: list[Path] = []
    threads: set[threading.Thread] = set()

    def sources() -> Iterator[Path]:
        for path in pdfs:
            taken.append(path)
            threads.add(threading.current_thread())
            yield path

    batch = remote.batch("optimize", sources(), concurrency=3)
    assert taken == [], "nothing happens before the first item is requested"
    assert loopback.requests == []
    next(batch)
    assert len(taken) <= 4
    time.sleep(0.2)
    assert len(taken) <= 4, "the batch pulls no sources while nothing iterates over it"
    assert len(list(batch)) == 11
    assert threads == {threading.current_thread()}


def test_at_most_concurrency_documents_are_in_progress(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    hold = loopback.hold("result")
    batch = remote.batch("optimize", pdfs, concurrency=5)
    waiting = threading.Thread(target=lambda: next(batch))
    waiting.start()
    time.sleep(0.5)
    assert len(loopback.of("start")) == 5
    hold.released.set()
    waiting.join()
    assert len(list(batch)) == 11


class SourceError(Exception):
    """Raised by generators of these tests."""


def test_an_exception_of_the_sources_is_raised_after_the_items_before_it(
    pdfs: list[Path], remote: recto.Client
) -> None:
    def sources() -> Iterator[Path]:
        yield from pdfs[:3]
        raise SourceError("the folder went away")

    batch = remote.batch("optimize", sources(), concurrency=2)
    done = [next(batch) for _ in range(3)]
    assert sorted(item.source for item in done) == pdfs[:3]
    assert {item.error for item in done} == {None}
    with pytest.raises(SourceError, match="went away"):
        next(batch)
    assert list(batch) == []


def test_a_source_that_is_not_a_path_is_refused(pdfs: list[Path], remote: recto.Client) -> None:
    sources: Any = [pdfs[0], 3]
    batch = remote.batch("optimize", sources)
    assert next(batch).source == pdfs[0]
    with pytest.raises(TypeError, match="expected a path, an address, bytes"):
        next(batch)


@pytest.mark.parametrize("sources", ["in.pdf", b"in.pdf", Path("in.pdf"), 3], ids=repr)
def test_a_single_path_is_refused(sources: Any, remote: recto.Client) -> None:
    with pytest.raises(TypeError, match=r"several paths or other sources|not iterable"):
        remote.batch("optimize", sources)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"profile": "wbe"}, "profile"),
        ({"folder": "out"}, "folder"),
        ({"concurrency": 0}, "1 to 256"),
        ({"delete_after": True}, "delete_after would delete"),
    ],
    ids=repr,
)
def test_an_invalid_setting_is_refused_at_once(
    settings: dict[str, Any], message: str, loopback: Loopback, remote: recto.Client
) -> None:
    with pytest.raises(ValueError, match=message):
        remote.batch("optimize", ["in.pdf"], **settings)
    with pytest.raises(recto.InvalidRequest, match="optimise"):
        remote.batch("optimise", [])
    assert loopback.requests == []


def test_a_pair_is_the_size_of_an_image(pdfs: list[Path], loopback: Loopback, remote: recto.Client) -> None:
    list(remote.batch("pdf-to-jpeg", pdfs[:1], max_size_in_pixels=(200, 300)))
    remote.start("pdf-to-jpeg", PDF, {"max_size_in_pixels": (200, 300)})
    for start in loopback.of("start"):
        assert start.json["options"]["maxSizeInPixels"] == {"width": 200, "height": 300}


def test_progress_counts_documents_on_the_thread_that_iterates(
    pdfs: list[Path], remote: recto.Client
) -> None:
    seen: list[recto.Progress] = []
    threads: set[threading.Thread] = set()

    def note(progress: recto.Progress) -> None:
        seen.append(progress)
        threads.add(threading.current_thread())

    list(remote.batch("optimize", pdfs, on_progress=note))
    assert [progress.done for progress in seen] == list(range(13))
    assert {(progress.phase, progress.total) for progress in seen} == {(recto.Phase.BATCH, 12)}
    assert threads == {threading.current_thread()}
    seen.clear()
    list(remote.batch("optimize", iter(pdfs), on_progress=note))
    assert {progress.total for progress in seen} == {None}


def test_an_exception_of_the_callback_ends_the_batch(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    def stop(progress: recto.Progress) -> None:
        if progress.done == 3:
            raise RuntimeError("enough")

    batch = remote.batch("optimize", pdfs, concurrency=2, on_progress=stop)
    with pytest.raises(RuntimeError, match="enough"):
        list(batch)
    assert list(batch) == []
    assert len(loopback.of("ticket")) <= 5


def test_stop_on_error_ends_the_batch_after_a_failure(pdfs: list[Path], remote: recto.Client) -> None:
    sources = [pdfs[0].with_name("missing.pdf"), *pdfs]
    items = list(remote.batch("optimize", sources, concurrency=1, stop_on_error=True))
    assert [item.source for item in items] == sources[:1]


def test_delete_after_deletes_documents_and_results(
    pdfs: list[Path], tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    items = list(remote.batch("optimize", pdfs, to=tmp_path / "out", delete_after=True))
    assert {item.left_behind for item in items} == {None}
    assert loopback.files == {}
    loopback.answer("delete", 403)
    (item,) = remote.batch("optimize", pdfs[:1], to=tmp_path / "out", delete_after=True)
    assert item.error is None
    assert isinstance(item.left_behind, recto.PermissionDenied)


@pytest.mark.parametrize("step", ["put", "result", "download"])
def test_ctrl_c_ends_a_batch_within_100_ms(
    step: str, pdfs: list[Path], tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    hold = loopback.hold(step)
    sent: list[float] = []

    def interrupt() -> None:
        assert hold.reached.wait(10)
        time.sleep(0.12)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    batch = remote.batch("optimize", pdfs, to=tmp_path / "out", concurrency=4)
    with pytest.raises(KeyboardInterrupt):
        next(batch)
    took = time.monotonic() - sent[0]
    thread.join()
    assert took < 0.1, f"{took * 1000:.0f} ms"
    assert hold.dropped.wait(1)
    assert list(batch) == []
    assert list((tmp_path / "out").iterdir()) == [], "a partial download was left behind"


def test_an_interrupt_in_the_sources_ends_the_batch_at_once(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    loopback.hold("result")

    def sources() -> Iterator[Path]:
        yield pdfs[0]
        raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        next(remote.batch("optimize", sources(), concurrency=4))
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("how", ["close", "with", "del", "client"])
def test_ending_a_batch_cancels_the_documents_in_progress(
    how: str, pdfs: list[Path], loopback: Loopback
) -> None:
    with recto.Client(**loopback.settings()) as client:
        batch = client.batch("optimize", pdfs, concurrency=4)
        next(batch)
        hold = loopback.hold("result")
        outcome: list[Any] = []

        def wait() -> None:
            with contextlib.suppress(recto.Cancelled):
                outcome.append([item.source for item in batch])
            outcome.append("ended")

        if how in ("close", "client"):
            waiting = threading.Thread(target=wait)
            waiting.start()
            assert hold.reached.wait(10)
            (batch if how == "close" else client).close()
            waiting.join(5)
            assert outcome[-1] == "ended"
            if how == "close":
                assert list(batch) == []
            return

        def release() -> None:
            hold.reached.wait(10)
            hold.released.set()

        holding = threading.Thread(target=release)
        holding.start()
        next(batch)
        holding.join()
        began = time.monotonic()
        if how == "with":
            with batch:
                pass
            assert list(batch) == []
        else:
            gone = weakref.ref(batch)
            del batch
            gc.collect()
            assert gone() is None
        assert time.monotonic() - began < 0.3


def test_a_batch_is_iterated_by_one_thread_at_a_time(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    hold = loopback.hold("result")
    batch = remote.batch("optimize", pdfs, on_progress=lambda _: None)
    waiting = threading.Thread(target=lambda: list(batch))
    waiting.start()
    assert hold.reached.wait(10)
    with pytest.raises(ValueError, match="waiting for the next item"):
        next(batch)
    hold.released.set()
    waiting.join()


def test_callbacks_may_use_the_client_and_close_the_batch(pdfs: list[Path], remote: recto.Client) -> None:
    batch: recto.Batch

    def note(progress: recto.Progress) -> None:
        remote.files.get("1")
        if progress.done == 2:
            batch.close()

    batch = remote.batch("optimize", pdfs, concurrency=2, on_progress=note)
    assert len(list(batch)) == 2


def test_other_threads_run_while_a_batch_waits(
    pdfs: list[Path], loopback: Loopback, remote: recto.Client
) -> None:
    hold = loopback.hold("result")
    batch = remote.batch("optimize", pdfs)
    waiting = threading.Thread(target=lambda: list(batch))
    waiting.start()
    assert hold.reached.wait(10)
    gaps = []
    last = time.monotonic()
    for _ in range(200):
        time.sleep(0.001)
        now = time.monotonic()
        gaps.append(now - last)
        last = now
    assert sorted(gaps)[-20] < 0.05, "the GIL was held"
    hold.released.set()
    waiting.join()


def test_a_batch_cannot_be_pickled_and_its_repr_has_the_progress(
    pdfs: list[Path], remote: recto.Client
) -> None:
    batch = remote.batch("optimize", pdfs)
    next(batch)
    assert repr(batch) == "<recto.Batch optimize: 1 of 12 done>"
    with pytest.raises(TypeError, match="same journal"):
        pickle.dumps(batch)
    batch.close()
    assert repr(remote.batch("optimize", iter(pdfs))) == "<recto.Batch optimize: 0 done>"


def test_a_forked_child_can_make_its_own_batch(pdfs: list[Path], remote: recto.Client) -> None:
    batch = remote.batch("optimize", pdfs, concurrency=2)
    next(batch)
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            signal.alarm(20)
            with pytest.raises(recto.ConfigError, match="forked"):
                next(batch)
            code = 0 if len(list(remote.batch("optimize", pdfs[:2]))) == 2 else 2
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert len(list(batch)) == 11


# A program that runs a batch and kills its own process after a number of items, to simulate a crash.
RUN = """
import os, signal, sys
import recto

client = recto.Client()
left = int(sys.argv[3])
for item in client.batch("optimize", sys.argv[4:], to=sys.argv[1], journal=sys.argv[2], concurrency=2, profile="web"):
    print(item.source.name, item.resumed, item.error, flush=True)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_program_can_end_during_a_batch(tmp_path: Path, report: Path) -> None:
    sources = [shutil.copy(report, tmp_path / f"{number}.pdf") for number in range(8)]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = (
        "import sys, recto\n"
        "batch = recto.Client().batch('optimize', sys.argv[2:], to=sys.argv[1], concurrency=4)\n"
        "print(next(batch).error)\n"
    )
    began = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "out"), *map(str, sources)],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "None\n", "")
    assert time.monotonic() - began < 30
    assert list(scratch.iterdir()) == [], "the embedded service left its files"
    assert not [path for path in (tmp_path / "out").iterdir() if path.suffix != ".pdf"]


@pytest.mark.parametrize("service", ["embedded", "standing"])
def test_a_batch_that_was_killed_resumes(service: str, tmp_path: Path) -> None:
    sources = [tmp_path / f"{number}.pdf" for number in range(6)]
    for source in sources:
        shutil.copy(EXAMPLES / "form.pdf", source)
    environment = {**os.environ}
    out, journal = tmp_path / "out", tmp_path / "run.jsonl"

    def steps(step: str) -> list[str]:
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        return [line["item"] for line in lines if line.get("step") == step]

    def run(items: int) -> tuple[int, list[list[str]]]:
        command = [sys.executable, "-c", RUN, *map(str, [out, journal, items, *sources])]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.stderr == ""
        return done.returncode, [line.split(maxsplit=2) for line in done.stdout.splitlines()]

    with contextlib.ExitStack() as stack:
        standing = None
        if service == "standing":
            standing = stack.enter_context(recto.LocalService())
            environment |= {"RECTO_BASE_URL": standing.base_url, "RECTO_API_KEY": standing.api_key}
        code, first = run(2)
        assert code == -signal.SIGKILL
        assert len(first) == 2
        started = steps("started")
        code, second = run(0)
        assert code == 0
        assert sorted(name for name, _, _ in second) == [source.name for source in sources]
        assert {error for _, _, error in second} == {"None"}
        resumed = {name for name, again, _ in second if again == "True"}
        assert {name for name, _, _ in first} <= resumed
        assert {path.name for path in out.iterdir()} == {source.name for source in sources}
        assert all(path.read_bytes().startswith(b"%PDF-") for path in out.iterdir())
        assert sorted(steps("finished")) == [str(source) for source in sources], "each was done once"
        if standing is not None:
            with recto.Client(base_url=standing.base_url, api_key=standing.api_key) as client:
                results = Counter(file.name for file in client.files.list(only_result_files=True))
            assert set(results) == {source.name for source in sources}
            # A start of the two documents in progress may not have been recorded when the signal came.
            assert {Path(item).name for item in started} <= {
                name for name, count in results.items() if count == 1
            }
            assert results.total() <= len(sources) + 2


def test_a_journal_of_another_batch_is_refused(
    pdfs: list[Path], tmp_path: Path, remote: recto.Client
) -> None:
    journal = tmp_path / "run.jsonl"
    list(remote.batch("optimize", pdfs[:1], to=tmp_path / "out", journal=journal))
    with pytest.raises(recto.ConfigError, match="options"):
        remote.batch("optimize", pdfs, to=tmp_path / "out", journal=journal, profile="web")
    running = remote.batch("optimize", pdfs, to=tmp_path / "out", journal=journal)
    with pytest.raises(recto.ConfigError, match="in use"):
        remote.batch("optimize", pdfs, to=tmp_path / "out", journal=journal)
    running.close()
    assert len(list(remote.batch("optimize", pdfs, to=tmp_path / "out", journal=os.fsencode(journal)))) == 12
    assert "key-that" not in journal.read_text()
