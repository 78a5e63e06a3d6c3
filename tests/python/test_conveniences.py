"""Convenience features: results as sources, streams, headers, copies of a client, options of newer services."""

from __future__ import annotations

import io
import json
import logging
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import KEY, PDF, Loopback

LARGE = PDF + bytes(3 << 20)


# Sources.


def test_an_operation_is_the_source_of_the_next_one(loopback: Loopback, remote: recto.Client) -> None:
    first = remote.optimize(PDF)
    result = first.result()
    assert result.output is not None
    record = recto.FileRecord("from-the-list", None, None, "a.pdf", "pdf", {})
    for source in (first, result, result.output, recto.FileId("result-1")):
        remote.stamp_text(source, text="DRAFT")
        assert loopback.requests[-1].json["input"] == {"fileId": "result-1"}
    remote.stamp_text(record, text="DRAFT")
    assert loopback.requests[-1].json["input"] == {"fileId": "from-the-list"}
    assert len(loopback.of("put")) == 1, "no result was uploaded again"
    assert loopback.of("download") == []


def test_an_operation_of_another_service_is_downloaded_and_sent(
    loopback: Loopback, remote: recto.Client
) -> None:
    other = Loopback()
    other.result_bytes = LARGE
    try:
        with recto.Client(**other.settings()) as client:
            previous = client.optimize(PDF)
            remote.stamp_text(previous, text="DRAFT")
    finally:
        other.close()
    assert list(loopback.files.values()) == [LARGE]
    assert loopback.of("ticket")[0].json == {"fileName": "result.pdf"}


def test_a_report_is_not_a_source(loopback: Loopback, remote: recto.Client) -> None:
    report = {"isConforming": True, "errors": [], "conformance": "pdf17"}
    loopback.result = {"operationType": "validate", "operationStatus": "finished", "validation": report}
    operation = remote.validate(PDF, conformance="pdf17")
    for source in (operation, operation.result()):
        with pytest.raises(recto.InvalidRequest, match=r"no .*file"):
            remote.optimize(source)


def test_a_chain_runs_on_the_embedded_service(local: recto.Client, report: Path) -> None:
    stamped = local.stamp_text(local.optimize(report), text="DRAFT", margin=recto.Margin(top="2cm"))
    assert stamped.read().startswith(b"%PDF-")


def test_an_address_is_a_source(loopback: Loopback, remote: recto.Client) -> None:
    remote.optimize("https://www.example.org/report.pdf?sig=secret-signature")
    assert loopback.of("from_url")[0].json == {
        "fileUrl": "https://www.example.org/report.pdf?sig=secret-signature"
    }
    assert loopback.of("put") == []


class UploadFile:
    """Like the class of Starlette: its methods are coroutine functions, its `file` is an ordinary file."""

    def __init__(self, content: bytes, filename: str) -> None:
        self.file = io.BytesIO(content)
        self.filename = filename

    async def read(self, size: int = -1) -> bytes:
        raise AssertionError(size)


class FileStorage:
    """Like the class of Werkzeug: `name` is the name of the form's field."""

    name = "attachment"
    filename = "form.pdf"

    def __init__(self, content: bytes) -> None:
        self.stream = io.BytesIO(content)

    def read(self, size: int = -1) -> bytes:
        return self.stream.read(size)


def pieces(*sizes: int) -> Iterator[bytes]:
    rest = LARGE
    for size in sizes:
        yield rest[:size]
        rest = rest[size:]
    yield rest


@pytest.mark.parametrize(
    ("source", "name", "content"),
    [
        (("in a tuple.pdf", PDF), "in a tuple.pdf", PDF),
        (("of a file.pdf", io.BytesIO(PDF)), "of a file.pdf", PDF),
        (("of chunks.pdf", pieces(1, 0, 70_000)), "of chunks.pdf", LARGE),
        (pieces(300_000), "document.pdf", LARGE),
        ([PDF[:3], bytearray(PDF[3:9]), memoryview(PDF)[9:].tobytes()], "document.pdf", PDF),
        (UploadFile(PDF, "upload.pdf"), "upload.pdf", PDF),
        (FileStorage(PDF), "form.pdf", PDF),
    ],
    ids=["tuple", "tuple of a file", "tuple of chunks", "generator", "list", "UploadFile", "FileStorage"],
)
def test_a_source_of_a_web_program(
    source: Any, name: str, content: bytes, loopback: Loopback, remote: recto.Client
) -> None:
    remote.optimize(source)
    assert loopback.of("ticket")[0].json == {"fileName": name}
    assert list(loopback.files.values()) == [content]


def test_a_retry_does_not_iterate_again(loopback: Loopback) -> None:
    loopback.answer("put", 503, times=1, retry_after="0")
    with recto.Client(**loopback.settings()) as client:
        client.optimize(pieces(100_000))
    assert list(loopback.files.values()) == [LARGE]


async def asynchronous() -> Any:
    yield PDF


class AsyncFile:
    async def read(self, size: int = -1) -> bytes:
        raise AssertionError(size)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["a.pdf", "b.pdf"], "the iterable of the source gave str; it must give bytes"),
        ({"a": 1}, "the iterable of the source gave str"),
        (("a.pdf",), "a tuple as a source has two parts"),
        (("a.pdf", PDF, "application/pdf"), "a tuple as a source has two parts"),
        ((1, PDF), "a tuple as a source has two parts"),
        (asynchronous(), "asynchronous iterable; use recto.AsyncClient"),
        (AsyncFile(), r"read\(\) is a coroutine function; use recto.AsyncClient"),
        (3, "expected a path, an address, bytes"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(source: Any, message: str, remote: recto.Client) -> None:
    with pytest.raises(TypeError, match=message):
        remote.optimize(source)


def test_an_exception_of_an_iterable_is_raised(remote: recto.Client) -> None:
    def broken() -> Iterator[bytes]:
        yield PDF
        raise RuntimeError("from the generator")

    with pytest.raises(RuntimeError, match="from the generator"):
        remote.optimize(broken())


# Streams.


@pytest.mark.parametrize("size", [None, 1000, 1 << 20, 16 << 20])
def test_a_result_is_iterated_in_chunks(size: int | None, loopback: Loopback, remote: recto.Client) -> None:
    loopback.result_bytes = LARGE
    chunks = list(remote.optimize(PDF).iter_bytes(size))
    assert b"".join(chunks) == LARGE
    wanted = size or 64 * 1024
    assert {len(chunk) for chunk in chunks[:-1]} <= {wanted}


def test_a_stream_does_not_run_ahead(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result_bytes = PDF + bytes(64 << 20)
    with remote.optimize(PDF).iter_bytes() as chunks:
        assert next(chunks).startswith(b"%PDF-")
        assert len(next(chunks)) == 64 * 1024
    assert list(chunks) == []
    assert "ByteStream" in repr(chunks)


@pytest.mark.parametrize("size", [0, (16 << 20) + 1])
def test_an_invalid_chunk_size_is_refused(size: int, remote: recto.Client) -> None:
    with pytest.raises(recto.ConfigError, match="chunk size"):
        remote.optimize(PDF).iter_bytes(size)


def test_a_stream_that_breaks_off_raises_an_error(loopback: Loopback) -> None:
    loopback.result_bytes = LARGE
    hold = loopback.hold("download")
    with recto.Client(**loopback.settings(), retries=0) as client:
        chunks = client.optimize(PDF).iter_bytes()
        next(chunks)
        hold.released.set()
        with pytest.raises(recto.TransportError):
            list(chunks)
        assert list(chunks) == []


def test_closing_the_client_ends_a_stream(loopback: Loopback) -> None:
    loopback.result_bytes = LARGE
    loopback.hold("download")
    client = recto.Client(**loopback.settings())
    chunks = client.optimize(PDF).iter_bytes()
    next(chunks)
    timer = threading.Timer(0.1, client.close)
    timer.start()
    with pytest.raises(recto.Cancelled):
        list(chunks)
    timer.join()


# Deleting.


def test_an_operation_deletes_its_files(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(PDF)
    uploaded = next(iter(loopback.files))
    operation.delete()
    assert [request.path.split("/")[-1] for request in loopback.of("delete")] == [uploaded, "result-1"]


def test_a_file_that_was_in_the_service_stays(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(recto.FileId("mine"))
    assert operation.read(delete_after=True) == PDF
    assert [request.path for request in loopback.of("delete")] == ["/v1/files/result-1"]


@pytest.mark.parametrize("how", ["save", "read", "write_to", "iter_bytes"])
def test_files_are_deleted_after_the_result_is_there(
    how: str, loopback: Loopback, remote: recto.Client, tmp_path: Path
) -> None:
    operation = remote.optimize(PDF)
    if how == "save":
        assert operation.save(tmp_path / "out.pdf", delete_after=True).read_bytes() == PDF
    elif how == "read":
        assert operation.read(delete_after=True) == PDF
    elif how == "write_to":
        assert operation.write_to(io.BytesIO(), delete_after=True) == len(PDF)
    else:
        assert b"".join(operation.iter_bytes(delete_after=True)) == PDF
    assert len(loopback.of("delete")) == 2
    steps = [request.method for request in loopback.requests]
    assert steps[-3:] == ["GET", "DELETE", "DELETE"]


def test_files_that_cannot_be_deleted_are_reported(
    loopback: Loopback, remote: recto.Client, tmp_path: Path
) -> None:
    loopback.answer("delete", 403)
    operation = remote.optimize(PDF)
    with pytest.raises(
        recto.PermissionDenied, match=r"was saved to .*out\.pdf, but the files .* not be deleted"
    ):
        operation.save(tmp_path / "out.pdf", delete_after=True)
    assert (tmp_path / "out.pdf").read_bytes() == PDF
    loopback.answer("delete", 404)
    operation.delete()


def test_a_running_operation_cannot_be_deleted(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(PDF)
    loopback.result = {"operationType": "optimize", "operationStatus": "inProgress"}
    with pytest.raises(recto.InvalidRequest, match="has not ended"):
        operation.delete()
    assert loopback.of("delete") == []


# Headers and settings.

TRACE = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}


def test_headers_go_to_the_service_only(loopback: Loopback, tmp_path: Path) -> None:
    settings = loopback.settings()
    with recto.Client(**settings, headers={"X-Gateway": "blue", "X-Both": "client"}) as client:
        operation = client.optimize(PDF, headers={**TRACE, "X-Both": "call"})
        operation.save(tmp_path / "out.pdf", headers=TRACE)
        client.files.list(headers=TRACE)
        client.files.list()
    # A download from the origin of the service has the key, so it has these headers too.
    storage = loopback.of("put")
    for request in loopback.requests:
        headers = {name.lower() for name in request.headers}
        assert ("x-gateway" in headers) == (request not in storage), request.path
        assert not (request in storage and {"traceparent", "x-both"} & headers)
    start = loopback.of("start")[0].headers
    assert (start["traceparent"], start["x-both"]) == (TRACE["traceparent"], "call")
    first, second = loopback.of("list")
    assert "traceparent" in first.headers
    assert "traceparent" not in second.headers
    assert second.headers["x-both"] == "client"


@pytest.mark.parametrize(
    "name", ["X-Api-Key", "x-api-key", "Host", "Content-Length", "User-Agent", "a b", ""]
)
def test_headers_of_the_client_itself_are_refused(
    name: str, loopback: Loopback, remote: recto.Client
) -> None:
    with pytest.raises(recto.ConfigError, match="header"):
        recto.Client(**loopback.settings(), headers={name: "x"})
    with pytest.raises(recto.ConfigError, match="header"):
        remote.files.list(headers={name: "x"})
    with pytest.raises(recto.ConfigError, match="header"):
        remote.with_options(headers={name: "x"})
    assert loopback.requests == []


@pytest.mark.parametrize("headers", [3, "a: b", {"a": 1}, {1: "a"}, [("a", "b")]])
def test_headers_are_a_mapping_of_texts(headers: Any, remote: recto.Client) -> None:
    with pytest.raises(TypeError, match="headers are a mapping"):
        remote.files.list(headers=headers)


def test_a_secret_header_is_not_shown(loopback: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    loopback.answer("list", 400, {"detail": "the token sesame-open-4711 has expired"})
    with (
        caplog.at_level(1, logger="recto"),
        recto.Client(**loopback.settings(), headers={"Authorization": "Bearer sesame-open-4711"}) as client,
        pytest.raises(recto.InvalidRequest) as caught,
    ):
        client.files.list()
    assert "sesame" not in str(caught.value) + str(vars(caught.value)) + caplog.text


def test_a_copy_has_other_settings_and_the_same_connections(loopback: Loopback, remote: recto.Client) -> None:
    loopback.answer("get", 503, retry_after="0")
    copy = remote.with_options(retries=1, headers=TRACE)
    assert type(copy) is recto.Client
    with pytest.raises(recto.ServerError):
        copy.files.get("1")
    assert len(loopback.of("get")) == 2
    assert all("traceparent" in request.headers for request in loopback.of("get"))
    hold = loopback.hold("result")
    with pytest.raises(recto.WaitTimeout):
        copy.with_options(wait_timeout=0.2).optimize(PDF).result()
    hold.released.set()
    copy.close()
    with pytest.raises(recto.ConfigError, match="closed"):
        remote.files.list()


def test_a_copy_of_a_client_of_the_embedded_service(report: Path) -> None:
    with recto.Client() as client:
        file_id = client.files.upload(report)
        copy = client.with_options(wait_timeout=60)
        assert copy.files.get(file_id).name == "report.pdf"
        assert "embedded" in repr(copy)


# Newer options and operations.


def test_options_that_are_newer_than_the_client_are_sent(loopback: Loopback, remote: recto.Client) -> None:
    remote.optimize(PDF, profile="web", extra_options={"newOption": {"deep": [1, None]}, "profile": "newest"})
    sent = loopback.of("start")[0].json["options"]
    assert sent == {"profile": "newest", "newOption": {"deep": [1, None]}}
    list(remote.batch("optimize", [PDF], extra_options={"new_option": 1}))
    assert loopback.of("start")[1].json["options"] == {"new_option": 1}
    with pytest.raises(TypeError, match="options are a mapping"):
        remote.optimize(PDF, extra_options=[1])  # type: ignore[arg-type]


def test_an_operation_that_is_newer_than_the_client_runs(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.run("convert/pdf-to-webp", PDF, {"quality": 80}, name="in.xyz")
    assert loopback.of("start")[0].path == "/v1/operations/convert/pdf-to-webp"
    assert loopback.of("start")[0].json["options"] == {"quality": 80}
    assert operation.kind == "convert/pdf-to-webp"
    assert operation.read() == PDF
    assert remote.operation(operation.token).read() == PDF
    remote.run("stamp_qr", operation, {"value": "x"})
    assert loopback.of("start")[1].path == "/v1/operations/stamp/qr"
    assert loopback.of("start")[1].json["input"] == {"fileId": "result-1"}


@pytest.mark.parametrize("name", ["", "../files", "a//b", "a?b", "https://example.org/x", "a b"])
def test_a_name_that_cannot_be_an_endpoint_is_refused(
    name: str, loopback: Loopback, remote: recto.Client
) -> None:
    with pytest.raises(recto.InvalidRequest, match="cannot be the name"):
        remote.run(name, PDF)
    assert loopback.requests == []


def test_a_password_among_unknown_options_is_not_shown(loopback: Loopback, remote: recto.Client) -> None:
    loopback.answer("start", 400, {"detail": "the password sesame-open-4711 is too short"})
    with pytest.raises(recto.InvalidRequest) as caught:
        remote.run("seal", PDF, {"ownerPassword": "sesame-open-4711"})
    assert "sesame" not in str(caught.value) + str(vars(caught.value))


# Lengths.


@pytest.mark.parametrize(
    ("margin", "sent"),
    [
        ("1.5cm", {"margin": 1.5, "unit": "cm"}),
        ("15 mm", {"margin": 1.5, "unit": "cm"}),
        ({"margin": "0.5in"}, {"margin": 0.5, "unit": "in"}),
        (recto.PageMargin("2cm", "cm"), {"margin": 2.0, "unit": "cm"}),
    ],
)
def test_a_length_may_have_its_unit(margin: Any, sent: Any, loopback: Loopback, remote: recto.Client) -> None:
    remote.image_to_pdf(b"", name="a.png", page_margin=margin)
    assert loopback.of("start")[0].json["options"] == {"pageMargin": sent}


def test_lengths_of_stamps_may_have_units(loopback: Loopback, remote: recto.Client) -> None:
    remote.stamp_qr(PDF, value="x", margin=recto.Margin(left="1cm", bottom="20mm"), stamp_size="3cm")
    remote.stamp_barcode(PDF, type="code128", value="x", stamp_size="6x2cm")
    list(remote.batch("stamp-qr", [PDF], value="x", stamp_size="1in"))
    first, second, third = [request.json["options"] for request in loopback.of("start")]
    assert first["margin"] == {"left": 1.0, "bottom": 2.0, "unit": "cm"}
    assert first["stampSize"] == {"side": 3.0, "unit": "cm"}
    assert second["stampSize"] == {"width": 6.0, "height": 2.0, "unit": "cm"}
    assert third["stampSize"] == {"side": 1.0, "unit": "in"}
    with pytest.raises(recto.InvalidRequest, match=r"option margin\.bottom: .*one unit for all"):
        remote.stamp_qr(PDF, value="x", margin=recto.Margin(left="1cm", bottom="1in"))


# Values.


def test_a_value_becomes_a_dict_for_json(remote: recto.Client) -> None:
    result = remote.optimize(PDF).result()
    shown = json.loads(json.dumps(result.to_dict()))
    assert shown["operation_type"] == "optimize"
    assert shown["output"] == {"file_id": "result-1", "name": "result.pdf"}
    assert "signature" not in str(shown)
    record = remote.files.get("1").to_dict()
    assert record["created_at"].startswith("2026-01-02T03:04:05")
    (item,) = remote.batch("optimize", [Path("missing.pdf")])
    shown = json.loads(json.dumps(item.to_dict()))
    assert shown["source"] == "missing.pdf"
    assert shown["error"]["type"] == "FileNotFoundError"


def test_values_are_matched_by_position(remote: recto.Client) -> None:
    match remote.optimize(PDF).result().output:
        case recto.OutputFile(file_id, name):
            assert (file_id, name) == ("result-1", "result.pdf")
        case _:
            pytest.fail("no match")
    match recto.Margin(1, unit="cm"):
        case recto.Margin(top, None, None, None, "cm"):
            assert top == 1
        case _:
            pytest.fail("no match")


def test_the_request_ids_of_successes_are_kept(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(PDF)
    assert operation.request_id is None
    handle = {"operationId": "1", "operationType": "optimize", "operationStatus": "inProgress"}
    loopback.answer("start", 200, handle, x_request_id="r-start")
    output = {"fileId": "f", "url": f"{loopback.base_url}/download/1"}
    loopback.answer(
        "result", 200, {"operationStatus": "finished", "outputFile": output}, x_request_id="r-result"
    )
    operation = remote.optimize(PDF)
    assert (operation.request_id, operation.result().request_id) == ("r-start", "r-result")


# Batches take what single calls take.


def test_a_batch_takes_what_a_single_call_takes(loopback: Loopback, pdf: Path, tmp_path: Path) -> None:
    upload = UploadFile(PDF, "upload.pdf")
    file_id = recto.FileId("mine")
    pair = ("named.pdf", PDF)
    sources: list[Any] = [pdf, str(pdf), PDF, file_id, pair, upload, pieces(1000)]
    with recto.Client(**loopback.settings()) as client:
        batch = client.batch("optimize", sources, to=tmp_path / "out", delete_after=True)
        assert len(batch) == 7
        items = sorted(batch, key=lambda item: item.index)
    assert [item.error for item in items] == [None] * 7
    assert [item.left_behind for item in items] == [None] * 7
    assert [item.source for item in items] == [pdf, pdf, *sources[2:]]
    names = [item.path.stem for item in items if item.path]
    assert sorted(names) == sorted(["in", "in-2", "document", "mine", "named", "upload", "document-2"])
    tickets = sorted(request.json["fileName"] for request in loopback.of("ticket"))
    assert tickets == ["document.pdf", "document.pdf", "in.pdf", "in.pdf", "named.pdf", "upload.pdf"]
    deleted = [request.path for request in loopback.of("delete")]
    assert "/v1/files/mine" not in deleted, "a file that was in the service stays"
    assert len(deleted) == 13


def test_a_batch_resumes_each_occurrence_of_a_document(
    loopback: Loopback, remote: recto.Client, pdf: Path, tmp_path: Path
) -> None:
    sources: list[Any] = [pdf, pdf, recto.FileId("mine")]
    settings: dict[str, Any] = {"to": tmp_path / "out", "journal": tmp_path / "journal"}
    first = list(remote.batch("optimize", sources, **settings))
    assert {item.error for item in first} == {None}
    assert len(loopback.of("start")) == 3
    again = list(remote.batch("optimize", sources, **settings))
    assert all(item.resumed for item in again)
    assert {item.path for item in again} == {item.path for item in first}
    assert len(loopback.of("start")) == 3
    (item,) = remote.batch("optimize", [PDF], **settings)
    assert isinstance(item.error, recto.InvalidRequest)
    assert "journal" in str(item.error)


def test_an_exception_of_a_source_is_that_of_its_item(remote: recto.Client) -> None:
    def broken() -> Iterator[bytes]:
        yield PDF
        raise RuntimeError("from the generator")

    items = sorted(remote.batch("optimize", [broken(), PDF]), key=lambda item: item.index)
    assert [type(item.error) for item in items] == [RuntimeError, type(None)]


def test_results_of_operations_are_sources_of_a_batch(
    loopback: Loopback, remote: recto.Client, pdf: Path, tmp_path: Path
) -> None:
    first = remote.optimize(pdf)
    second = remote.optimize(recto.FileId("mine"))
    sources: list[Any] = [first, second, first.result(), first.result().output]
    batch = remote.batch("stamp-text", sources, to=tmp_path / "out", text="DRAFT", delete_after=True)
    items = sorted(batch, key=lambda item: item.index)
    assert [item.error for item in items] == [None] * 4
    assert [item.source for item in items] == sources
    assert [item.path and item.path.stem for item in items] == ["in", second.id, "result-1", "result-1-2"]
    inputs = [request.json["input"]["fileId"] for request in loopback.of("start")[2:]]
    assert inputs == ["result-1"] * 4
    assert len(loopback.of("ticket")) == 1, "no result was uploaded again"


def test_a_batch_resumes_the_results_of_operations(
    loopback: Loopback, remote: recto.Client, tmp_path: Path
) -> None:
    operation = remote.optimize(recto.FileId("mine"))
    settings: dict[str, Any] = {"to": tmp_path / "out", "journal": tmp_path / "journal"}
    (first,) = remote.batch("optimize", [operation], **settings)
    (again,) = remote.batch("optimize", [operation], **settings)
    assert (first.error, again.error, again.resumed, again.path) == (None, None, True, first.path)
    assert len(loopback.of("start")) == 2


def test_the_length_of_a_batch(remote: recto.Client, pdf: Path) -> None:
    batch = remote.batch("optimize", [])
    assert len(batch) == 0
    assert batch
    with pytest.raises(TypeError, match="not known"):
        len(remote.batch("optimize", iter([pdf])))


# Callbacks, logging, interpreters.


def test_a_coroutine_function_is_not_a_progress_callback(remote: recto.Client, pdf: Path) -> None:
    async def note(_: recto.Progress) -> None:
        raise AssertionError

    class Callable:
        async def __call__(self, _: recto.Progress) -> None:
            raise AssertionError

    for callback in (note, Callable(), Callable().__call__, lambda progress: note(progress)):
        with pytest.raises(TypeError, match="coroutine function"):
            remote.optimize(PDF, on_progress=callback)
        with pytest.raises(TypeError, match="coroutine function"):
            list(remote.batch("optimize", [pdf], on_progress=callback))


def test_each_operation_is_one_line_at_the_level_info(
    loopback: Loopback, remote: recto.Client, pdf: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="recto"):
        operation = remote.optimize(pdf)
        operation.result()
        operation.save(tmp_path / "out.pdf")
        operation.read()
        with pytest.raises(FileNotFoundError):
            remote.stamp_qr("missing.pdf", value="x")
        loopback.result = {"operationType": "encryptPdf", "operationStatus": "failed", "title": "no good"}
        with pytest.raises(recto.OperationFailed):
            remote.encrypt(PDF, password="sesame-open").read()
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3, lines
    assert re.fullmatch(rf"optimize {re.escape(str(pdf))}: finished in [\d.]+ s \(operation \S+\)", lines[0])
    assert lines[1].startswith("stamp-qr missing.pdf: IoError: cannot read missing.pdf")
    assert lines[2].startswith("encrypt document.pdf: OperationFailed: ")
    assert KEY not in caplog.text
    assert "sesame" not in caplog.text


SUBINTERPRETER = """
import {module} as interpreters
program = '''
try:
    import recto
except ImportError as error:
    assert "subinterpreter" in str(error), error
else:
    raise AssertionError("recto was imported")
'''
made = interpreters.create()
interpreters.{run}(made, program)
import recto
with recto.Client(base_url={base_url!r}, api_key="k") as client:
    client.files.list()
"""


def test_a_subinterpreter_is_refused_and_python_exits(loopback: Loopback) -> None:
    module, run = (
        ("_interpreters", "exec") if sys.version_info >= (3, 13) else ("_xxsubinterpreters", "run_string")
    )
    program = SUBINTERPRETER.format(module=module, run=run, base_url=loopback.base_url)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
