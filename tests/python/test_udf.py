"""`Udf`: columns of documents, failures as values, names of results, threads, pickles and worker processes."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import recto
from python.conftest import EXAMPLES
from python.loopback import KEY, PDF, Loopback
from recto import _udf

NULLS: list[object] = [None, math.nan]


@pytest.fixture(autouse=True)
def no_client_is_left() -> Iterator[None]:
    """Closes the clients of this process, so that the next test can have an embedded service with other settings."""
    yield
    for _, client in [_udf._clients.popitem() for _ in list(_udf._clients)]:
        client.close()


@pytest.fixture
def settings(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The settings of a function that uses the loopback service; the key is in the environment."""
    monkeypatch.setenv("RECTO_API_KEY", KEY)
    return {"base_url": loopback.base_url, "retries": 0}


@pytest.fixture
def compress(settings: Any) -> recto.Udf:
    return recto.Udf("optimize", settings=settings)


# --- Columns


def test_a_list_gives_lists(compress: recto.Udf) -> None:
    columns = compress([PDF, *NULLS, bytearray(PDF), memoryview(PDF)])
    assert columns["result"] == [PDF, None, None, PDF, PDF]
    assert columns["status"] == ["finished", "null", "null", "finished", "finished"]
    assert columns["size_before"] == columns["size_after"] == [len(PDF), None, None, len(PDF), len(PDF)]
    assert columns["error"] == columns["message"] == columns["retryable"] == [None] * 5
    assert list(columns) == list(compress.columns)
    assert compress((PDF,))["result"] == [PDF]
    assert compress([]) == {name: [] for name in compress.columns}


def test_arrow_arrays_give_struct_arrays(compress: recto.Udf) -> None:
    pa = pytest.importorskip("pyarrow")
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        made = compress(pa.array([PDF, None], kind))
        assert made.field("result").to_pylist() == [PDF, None]
        assert made.field("status").to_pylist() == ["finished", "null"]
    schema = made.type
    for empty in (pa.array([], pa.string()), pa.nulls(3), pa.chunked_array([], pa.binary())):
        made = compress(empty)
        assert (made.type, len(made)) == (schema, len(empty))
    assert [str(field.type) for field in schema] == [
        "binary", "string", "int64", "int64", "string", "string", "bool", "string", "double",
    ]  # fmt: skip


def test_pandas_keeps_its_index_and_has_nullable_numbers(compress: recto.Udf) -> None:
    pd = pytest.importorskip("pandas")
    frame = compress(pd.Series([PDF, None, pd.NA, math.nan, pd.NaT], index=[3, 1, 4, 1, 5]))
    assert list(frame.index) == [3, 1, 4, 1, 5]
    assert list(frame["status"]) == ["finished", *["null"] * 4]
    assert (str(frame["size_after"].dtype), frame["size_after"].iloc[0]) == ("Int64", len(PDF))
    empty = compress(pd.Series([], dtype=object))
    assert list(empty.dtypes) == list(frame.dtypes)


def test_a_batch_of_several_columns_keeps_the_others(settings: Any, pdf: Path) -> None:
    np = pytest.importorskip("numpy")
    compress = recto.Udf("optimize", column="path", settings=settings)
    paths = np.array([str(pdf), None], dtype=object)
    batch = compress({"path": paths, "id": np.array([1, 2])})
    assert batch["id"].tolist() == [1, 2]
    assert batch["path"] is paths
    assert batch["result"].tolist() == [PDF, None], "zeros at the end of bytes must not be lost"
    assert (batch["result"].dtype, batch["seconds"].dtype) == (object, float)
    assert compress({"path": [str(pdf)]})["result"] == [PDF]


def test_arrow_tables_and_frames_are_returned_as_such(settings: Any, pdf: Path) -> None:
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    compress = recto.Udf("optimize", column="path", prefix="recto_", settings=settings)
    columns = {"path": [str(pdf), None], "status": ["mine", "mine"]}
    for table in (pa.table(columns), pa.RecordBatch.from_pydict(columns)):
        made = compress(table)
        assert type(made) is type(table)
        assert made["recto_status"].to_pylist() == ["finished", "null"]
        assert made["status"].to_pylist() == ["mine", "mine"]
    frame = compress(pd.DataFrame(columns, index=[7, 7]))
    assert list(frame["recto_status"]) == ["finished", "null"]
    assert list(frame.columns) == ["path", "status", *compress.columns]


def test_a_call_that_cannot_be_meant_is_refused(compress: recto.Udf) -> None:
    for single in (PDF, "in.pdf", Path("in.pdf")):
        with pytest.raises(TypeError, match=r"one\(\)"):
            compress(single)
    with pytest.raises(TypeError, match="a list, an Arrow array"):
        compress(3)
    with pytest.raises(ValueError, match="several columns"):
        compress({"a": [PDF], "b": [PDF]})
    with pytest.raises(ValueError, match="already; give prefix"):
        compress({"status": [PDF]})
    with pytest.raises(ValueError, match="no column 'path'; it has 'a'"):
        recto.Udf("optimize", column="path")({"a": [PDF]})
    with pytest.raises(TypeError, match="several columns"):
        recto.Udf("optimize", column="path")([PDF])


# --- Failures


def test_documents_that_fail_do_not_stop_the_others(tmp_path: Path, report: Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pdf")
    documents = [
        b"%PDF-1.7 damaged",
        "",
        b"",
        "missing.pdf",
        tmp_path,
        3,
        object(),
        (1, 2, 3),
        "a\0b",
        odd,
        report,
    ]
    columns = recto.Udf("optimize", threads=2)(documents)
    assert columns["status"] == ["failed"] * (len(documents) - 1) + ["finished"]
    assert columns["error"][0] == "OperationFailed"
    assert columns["error"][3] == columns["error"][9] == "FileNotFoundError"
    assert "missing.pdf" in columns["message"][3]
    assert all(columns["message"][:-1])
    assert columns["retryable"] == [False] * (len(documents) - 1) + [None]
    "".join(columns["message"][:-1]).encode()  # valid UTF-8, as Arrow needs it
    assert columns["size_after"][-1] < columns["size_before"][-1] == report.stat().st_size


def test_errors_are_raised_on_request(report: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.pdf"):
        recto.Udf("optimize", raise_on_error=True)(["missing.pdf", report])


def test_a_raised_error_cancels_the_other_documents(loopback: Loopback, settings: Any) -> None:
    hold = loopback.hold("result")
    compress = recto.Udf("optimize", threads=2, raise_on_error=True, settings=settings)

    class Late:
        """A path that does not exist. It is read when the other document waits for its result."""

        def __fspath__(self) -> str:
            assert hold.reached.wait(20)
            return "missing.pdf"

    with pytest.raises(FileNotFoundError):
        compress([Late(), PDF])
    assert hold.dropped.wait(20)


def test_an_error_of_every_document_is_raised(loopback: Loopback, compress: recto.Udf) -> None:
    loopback.answer("ticket", 401, {})
    with pytest.raises(recto.AuthError):
        compress([PDF])
    with pytest.raises(recto.ConfigError):
        recto.Udf("optimize", settings={"base_url": "nonsense"})
    with pytest.raises(recto.InvalidRequest, match="wbe"):
        recto.Udf("optimize", profile="wbe")  # type: ignore[arg-type]
    with pytest.raises((recto.Error, TypeError), match="proflie"):
        recto.Udf("optimize", proflie="web")  # type: ignore[call-arg]
    with pytest.raises(recto.Error, match="optimise"):
        recto.Udf("optimise")
    wrong: list[dict[str, Any]] = [{"threads": 0}, {"relative_to": "."}, {"name_by_content": True}]
    for keywords in wrong:
        with pytest.raises(recto.ConfigError):
            recto.Udf("optimize", **keywords)
    with pytest.raises(recto.ConfigError, match="no result file"):
        recto.Udf("validate", to="out")


def test_a_service_that_refuses_is_reported_as_retryable(loopback: Loopback, compress: recto.Udf) -> None:
    loopback.answer("ticket", 503, {})
    row = compress.one(PDF)
    assert (row["status"], row["error"], row["retryable"]) == ("failed", "ServerError", True)


# --- Documents


def test_ten_megabytes_pass_unchanged(loopback: Loopback, compress: recto.Udf) -> None:
    large = b"%PDF-1.7\n" + bytes(10 << 20)
    loopback.result_bytes = large
    assert compress([large])["result"] == [large]
    assert list(loopback.files.values()) == [large]


def test_names_say_what_content_is(loopback: Loopback, settings: Any) -> None:
    unnamed = recto.Udf("image-to-pdf", settings=settings)
    assert unnamed.one(b"II*\0")["error"] == "InvalidRequest"
    assert unnamed.one(b"II*\0", name="a.tif")["status"] == "finished"
    assert unnamed.one(("b.tif", b"II*\0"))["status"] == "finished"
    assert recto.Udf("image-to-pdf", name="c.tif", settings=settings).one(b"II*\0")["status"] == "finished"
    named = recto.Udf("image-to-pdf", column="data", name_column="name", settings=settings)
    assert named({"data": [b"II*\0", b"II*\0"], "name": ["d.tif", None]})["status"] == ["finished", "failed"]
    assert list(loopback.names.values()) == ["a.tif", "b.tif", "c.tif", "d.tif"]


def test_addresses_and_stored_files_are_documents(loopback: Loopback, compress: recto.Udf) -> None:
    columns = compress(["https://example.org/a.pdf", recto.FileId("file-1")])
    assert columns["status"] == ["finished", "finished"]
    assert columns["size_before"] == [None, None]
    assert len(loopback.of("from_url")) == 1


def test_a_validation_is_reported_in_columns(report: Path) -> None:
    row = recto.Udf("validate", conformance="pdfA2b").one(report)
    assert (row["is_conforming"], row["status"], row["size_after"]) == (False, "finished", None)
    assert row["notes"], "the violations"
    assert "result" not in row


def test_files_are_deleted_from_the_service_on_request(
    loopback: Loopback, settings: Any, tmp_path: Path
) -> None:
    for to in (None, tmp_path / "out"):
        assert (
            recto.Udf("optimize", to=to, delete_after=True, settings=settings).one(PDF)["status"]
            == "finished"
        )
    assert len(loopback.of("delete")) == 4


# --- Results in a folder


def targets(columns: dict[str, list[Any]]) -> list[str]:
    assert set(columns["status"]) <= {"finished", "skipped"}, columns
    return columns["target"]


def test_every_source_has_its_own_result_and_the_same_at_every_attempt(
    loopback: Loopback, settings: Any, tmp_path: Path
) -> None:
    sources: list[Any] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "report.pdf").write_bytes(PDF)
        sources.append(str(tmp_path / folder / "report.pdf"))
    long = tmp_path / f"{'ü' * 120}.pdf"
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n.pdf"))
    for path in (long, odd):
        path.write_bytes(PDF)
    sources += [
        long,
        odd,
        PDF,
        PDF + b"\0",
        "https://example.org/report.pdf",
        ("../../up.pdf", PDF),
        ("../..pdf", PDF + b" "),
    ]
    compress = recto.Udf("optimize", to=tmp_path / "out", settings=settings)
    made = targets(compress(sources))
    assert len(set(made)) == len(sources)
    assert {Path(path).parent for path in made} == {tmp_path / "out"}
    assert sorted(made) == sorted(map(str, (tmp_path / "out").iterdir()))
    "".join(made).encode()
    starts = len(loopback.of("start"))
    again = pickle.loads(pickle.dumps(compress))(sources)
    assert again["status"] == ["skipped"] * len(sources)
    assert (again["target"], again["size_after"]) == (made, [len(PDF)] * len(sources))
    assert len(loopback.of("start")) == starts
    assert (
        targets(recto.Udf("optimize", to=tmp_path / "out", profile="print", settings=settings)(sources[:1]))
        != made[:1]
    )


def test_tasks_for_one_document_at_the_same_time_write_one_result(
    settings: Any, tmp_path: Path, pdf: Path
) -> None:
    for name_by_content in (False, True):
        out = tmp_path / f"out-{name_by_content}"
        compress = recto.Udf(
            "optimize", to=out, name_by_content=name_by_content, threads=4, settings=settings
        )
        assert len(set(targets(compress([pdf] * 12)))) == 1
        assert [path.read_bytes() for path in out.iterdir()] == [PDF]


def test_a_newer_source_and_an_empty_or_unwanted_result_are_processed_again(
    settings: Any, tmp_path: Path, pdf: Path
) -> None:
    compress = recto.Udf("optimize", to=tmp_path / "out", settings=settings)
    target = Path(compress.one(pdf)["target"])
    after = target.stat().st_mtime_ns + 1_000_000_000
    os.utime(pdf, ns=(after, after))
    assert compress.one(pdf)["status"] == "finished"
    os.utime(pdf, ns=(0, 0))
    assert compress.one(pdf)["status"] == "skipped"
    target.write_bytes(b"")
    assert compress.one(pdf)["status"] == "finished"
    assert (
        recto.Udf("optimize", to=tmp_path / "out", overwrite=True, settings=settings).one(pdf)["status"]
        == "finished"
    )
    assert list((tmp_path / "out").iterdir()) == [target]


def test_results_can_keep_the_names_and_folders_of_their_sources(settings: Any, tmp_path: Path) -> None:
    names = ["a/report.pdf", "a/report.v2.pdf", "b/report.PDF", "b/report.pdf"]
    for name in names:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(PDF)
    keywords: dict[str, Any] = {"to": tmp_path / "out", "relative_to": tmp_path / "in", "settings": settings}
    made = targets(recto.Udf("optimize", **keywords)([tmp_path / "in" / name for name in names]))
    below = [str(Path(path).relative_to(tmp_path / "out")) for path in made]
    assert [below[0], below[1], below[3]] == [names[0], names[1], names[3]]
    assert below[2].startswith("b/report.PDF-"), "two sources never have one result"
    images = [tmp_path / "in" / name for name in ("scan.png", "scan.tif")]
    for image in images:
        image.write_bytes(b"an image")
    assert [Path(path).name for path in targets(recto.Udf("image-to-pdf", **keywords)(images))] == [
        "scan.png.pdf", "scan.tif.pdf",
    ]  # fmt: skip
    outside = recto.Udf("optimize", **keywords).one(tmp_path / "in/../report.pdf")
    assert outside["error"] == "FileNotFoundError"
    (tmp_path / "report.pdf").write_bytes(PDF)
    outside = recto.Udf("optimize", **keywords).one(tmp_path / "in/../report.pdf")
    assert (outside["error"], "is not below" in outside["message"]) == ("InvalidRequest", True)


def test_a_result_never_replaces_its_source(settings: Any, tmp_path: Path, pdf: Path) -> None:
    compress = recto.Udf("optimize", to=tmp_path, relative_to=tmp_path, overwrite=True, settings=settings)
    row = compress.one(pdf)
    assert (row["error"], "replace its source" in row["message"]) == ("InvalidRequest", True)
    assert pdf.read_bytes() == PDF


def test_results_can_be_named_after_content_and_options(settings: Any, tmp_path: Path, pdf: Path) -> None:
    keywords: dict[str, Any] = {"to": tmp_path / "out", "name_by_content": True, "settings": settings}
    compress = recto.Udf("optimize", profile="web", **keywords)
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    shutil.copy(pdf, copy / "in.pdf")
    first, second = compress([pdf, copy / "in.pdf"])["target"]
    assert first == second
    pdf.write_bytes(PDF + b"\n")
    other = [compress.one(pdf), recto.Udf("optimize", profile="print", **keywords).one(copy / "in.pdf")]
    assert len({first, *(row["target"] for row in other)}) == 3
    assert compress.one("https://example.org/a.pdf")["error"] == "InvalidRequest"
    secret = recto.Udf("encrypt", password="one", **keywords)
    guessed = recto.Udf("encrypt", password="two", **keywords)
    assert secret.one(pdf)["target"] == guessed.one(pdf)["target"], "a hash of a password could be guessed"


def test_a_result_that_becomes_several_pages_replaces_the_one_page(
    loopback: Loopback, settings: Any, tmp_path: Path, pdf: Path
) -> None:
    render = recto.Udf("pdf-to-png", to=tmp_path / "out", overwrite=True, settings=settings)
    for name, content in (
        ("p.png", b"\x89PNG\r\n\x1a\n"),
        ("p.zip", b"PK\x03\x04"),
        ("p.png", b"\x89PNG\r\n\x1a\n"),
    ):
        loopback.result_name, loopback.result_bytes = name, content
        row = render.one(pdf)
        assert list((tmp_path / "out").iterdir()) == [Path(row["target"])], row
        assert row["target"].endswith(name[-4:])


# --- Threads


@pytest.mark.parametrize("threads", [1, 3])
def test_as_many_documents_run_at_the_same_time_as_were_claimed(settings: Any, threads: int) -> None:
    lock, barrier = threading.Lock(), threading.Barrier(threads)
    running: list[int] = [0]
    most: list[int] = []

    class Source:
        """A document that is read only when `threads` documents are read."""

        def __init__(self) -> None:
            self.rest = PDF

        def read(self, size: int) -> bytes:
            if self.rest:
                with lock:
                    running[0] += 1
                    most.append(running[0])
                barrier.wait(20)
                with lock:
                    running[0] -= 1
                barrier.wait(20)
            chunk, self.rest = self.rest[:size], self.rest[size:]
            return chunk

    compress = recto.Udf("optimize", threads=threads, settings=settings)
    columns = compress([("a.pdf", Source()) for _ in range(4 * threads)])
    assert columns["status"] == ["finished"] * (4 * threads), columns["message"]
    assert max(most) == threads
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("recto-udf")] == []


# --- Pickles and processes


@pytest.mark.parametrize("library", ["pickle", "cloudpickle"])
def test_a_pickle_contains_no_key(library: str, loopback: Loopback, compress: recto.Udf) -> None:
    dumps = pytest.importorskip(library).dumps
    assert compress.one(PDF)["status"] == "finished"
    assert loopback.requests[0].headers["x-api-key"] == KEY
    made = [dumps(compress, protocol) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    made += [dumps(compress.one), dumps({"function": compress})]
    for data in made:
        assert KEY.encode() not in data
        assert len(data) < 2000
    assert pickle.loads(made[0]) == compress
    assert pickle.loads(made[-2])(PDF)["status"] == "finished"


def test_what_may_be_secret_is_neither_taken_nor_shown() -> None:
    for secret in ("api_key", "headers", "proxy"):
        with pytest.raises(recto.ConfigError, match=secret):
            recto.Udf("optimize", settings={secret: KEY})  # type: ignore[arg-type]
    assert "open sesame" not in repr(recto.Udf("encrypt", password="open sesame"))
    assert (
        repr(recto.Udf("optimize", profile="web", threads=2)) == "Udf('optimize', profile='web', threads=2)"
    )


def test_relative_folders_are_those_of_the_program_that_makes_the_function(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pdf: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    compress = recto.Udf("optimize", to="out", settings=settings)
    monkeypatch.chdir("/")
    assert Path(compress.one(pdf)["target"]).parent == tmp_path / "out"


WORKERS = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
import recto
from recto import _udf

def work(compress):
    status = compress([b"%PDF-1.7"] * 3)["status"]
    mine = [client for (process, _), client in _udf._clients.items() if process == os.getpid()]
    return status == ["finished"] * 3, os.getpid(), len(mine), id(mine[0])

if __name__ == "__main__":
    compress = recto.Udf("optimize", settings={"base_url": sys.argv[2]})
    assert work(compress)[0]  # this process has a client already
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        done = list(pool.map(work, [compress] * 6))
    assert all(fine and count == 1 for fine, _, count, _ in done), done
    assert len({(process, client) for _, process, _, client in done}) == len({process for _, process, _, _ in done})
    assert os.getpid() not in {process for _, process, _, _ in done}
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_worker_process_makes_one_client(method: str, tmp_path: Path, loopback: Loopback) -> None:
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), method, loopback.base_url],
        env={**os.environ, "RECTO_API_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert len(loopback.of("download")) == 21
    assert {request.headers.get("x-api-key") for request in loopback.of("start")} == {KEY}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_killed_workers_leave_whole_results_and_a_second_run_completes_them(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number in range(12):
        shutil.copy(EXAMPLES / "form.pdf", folder / f"{number}.pdf")
    compress = recto.Udf("optimize", to=out, relative_to=folder)
    documents = sorted(map(str, folder.iterdir()))
    context = multiprocessing.get_context("spawn")
    kills = 0
    while True:
        try:
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                running = [pool.submit(compress.one, document) for document in documents]
                for done in running:
                    status = done.result()["status"]
                    if status == "finished" and kills < 3:
                        kills += 1
                        for worker in list(pool._processes.values()):
                            worker.kill()
                break
        except BrokenExecutor:
            continue
    assert kills == 3
    statuses = [done.result()["status"] for done in running]
    assert set(statuses) <= {"finished", "skipped"}
    assert "skipped" in statuses
    assert sorted(path.name for path in out.glob("*.pdf")) == sorted(Path(name).name for name in documents)
    expected = recto.Udf("optimize").one(documents[0])["result"]
    assert {len(path.read_bytes()) for path in out.glob("*.pdf")} == {len(expected)}


# --- Imports


def test_importing_recto_imports_neither_this_module_nor_an_engine() -> None:
    engines = ["pandas", "pyarrow", "numpy", "ray", "dask", "distributed", "pyspark", "daft"]
    program = (
        "import sys, recto\n"
        "assert not [name for name in ('recto._udf', 'recto._columns', 'recto._documents') if name in sys.modules]\n"
        "compress = recto.Udf('optimize')\n"
        "compress([b'%PDF-', None])\n"
        f"assert not [name for name in {engines} if name in sys.modules]\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
