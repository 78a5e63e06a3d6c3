"""Exceptions: the classes, their fields, and messages that say what to do."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import KEY, PDF, Loopback
from recto import errors

BASES: dict[str, type] = {
    "ConfigError": ValueError,
    "InvalidRequest": ValueError,
    "PermissionDenied": PermissionError,
    "NotFound": LookupError,
    "TransportError": ConnectionError,
    "RequestTimeout": TimeoutError,
    "WaitTimeout": TimeoutError,
}
CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.Error)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_error_pickles_with_its_fields(kind: type[recto.Error]) -> None:
    error = kind("what happened", status=429, retry_after=1.5, token="t")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (str(again), again.status, again.retry_after, again.token) == ("what happened", 429, 1.5, "t")
    assert again.code is None
    assert again.args == ("what happened",)
    assert issubclass(kind, BASES.get(kind.__name__, Exception))
    assert getattr(recto, kind.__name__) is kind


def test_an_error_refuses_unknown_fields() -> None:
    with pytest.raises(TypeError, match="stauts"):
        recto.NotFound("x", stauts=404)


STATUSES = [
    (400, recto.InvalidRequest),
    (401, recto.AuthError),
    (403, recto.PermissionDenied),
    (404, recto.NotFound),
    (410, recto.NotFound),
    (413, recto.PayloadTooLarge),
    (422, recto.InvalidRequest),
    (429, recto.RateLimited),
    (500, recto.ServerError),
]


@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_a_status_becomes_an_exception_with_its_fields(
    status: int, kind: type[recto.Error], loopback: Loopback
) -> None:
    problem = {"title": "No", "detail": f"Not today, {KEY}", "code": "not_today", "traceId": "trace-1"}
    loopback.answer("get", status, problem, content_type="application/problem+json")
    with (
        recto.Client(**loopback.settings(), retries=0) as client,
        pytest.raises(kind) as caught,
    ):
        client.files.get("1?2")
    error = caught.value
    assert (error.status, error.code, error.title, error.request_id) == (status, "not_today", "No", "trace-1")
    assert error.method == "GET"
    assert error.url is not None
    assert error.url.endswith("/v1/files/1%3F2")
    assert error.detail is not None
    assert error.body is not None
    assert error.attempts == 1
    for text in (str(error), error.detail, error.body, repr(error)):
        assert KEY not in text


def test_retry_after_is_in_seconds(loopback: Loopback) -> None:
    loopback.answer("list", 429, b"", retry_after="600")
    with recto.Client(**loopback.settings()) as client, pytest.raises(recto.RateLimited) as caught:
        client.files.list()
    assert caught.value.retry_after == 600.0


def test_an_unreachable_service_is_a_connection_error() -> None:
    with (
        recto.Client(base_url="http://127.0.0.1:1", api_key=KEY, retries=0) as client,
        pytest.raises(ConnectionError) as caught,
    ):
        client.files.list()
    assert isinstance(caught.value, recto.TransportError)
    assert "127.0.0.1:1" in str(caught.value)


def test_an_operation_can_be_resumed_after_a_wait_timeout(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result = {"operationType": "optimize", "operationStatus": "inProgress"}
    operation = remote.optimize(PDF)
    with pytest.raises(TimeoutError) as caught:
        operation.result(timeout=0.2)
    error = caught.value
    assert isinstance(error, recto.WaitTimeout)
    assert error.operation_id == operation.id
    loopback.result = None
    assert error.token is not None
    assert KEY not in error.token
    assert remote.operation(error.token).read() == PDF


def test_a_failed_operation_has_the_reason(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result = {
        "operationType": "optimize",
        "operationStatus": "failed",
        "detail": "the file is not a PDF",
    }
    operation = remote.optimize(PDF)
    with pytest.raises(recto.OperationFailed, match="the file is not a PDF") as caught:
        operation.result()
    assert caught.value.operation_id == operation.id


def test_a_failure_has_the_name_that_the_caller_gave_the_document(
    pdf: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result = {"operationType": "optimize", "operationStatus": "failed", "detail": "it is not a PDF"}
    of_file = remote.optimize(pdf)
    for operation, name in [
        (of_file, str(pdf)),
        (remote.optimize(PDF, name="scan.pdf"), "scan.pdf"),
        (remote.optimize(recto.FileId("file-7")), "file file-7"),
    ]:
        with pytest.raises(recto.OperationFailed) as caught:
            operation.read()
        assert caught.value.document == name
        assert f"[{name}, " in str(caught.value)
        assert f"operation {operation.id}" in str(caught.value)
        assert pickle.loads(pickle.dumps(caught.value)).document == name
    with pytest.raises(recto.OperationFailed) as caught:
        remote.operation(of_file.token).read()
    assert caught.value.document is None
    loopback.answer("ticket", 413)
    with pytest.raises(recto.PayloadTooLarge) as refused:
        remote.files.upload(pdf)
    assert refused.value.document == str(pdf)
    with pytest.raises(FileNotFoundError) as missing:
        remote.optimize(pdf.with_name("missing.pdf"))
    assert str(missing.value).count("missing.pdf") == 2, "both the message and OSError name it"


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda folder: folder / "missing.pdf", FileNotFoundError),
        (lambda folder: folder / "folder.pdf", IsADirectoryError),
        (lambda folder: folder / "in.pdf" / "below.pdf", NotADirectoryError),
    ],
)
def test_a_file_that_cannot_be_read_raises_what_open_raises(
    make: Any, kind: type[OSError], pdf: Path, loopback: Loopback, remote: recto.Client
) -> None:
    (pdf.parent / "folder.pdf").mkdir()
    path = make(pdf.parent)
    with pytest.raises(kind) as caught:
        remote.optimize(path)
    assert caught.value.filename == str(path)
    assert str(path) in str(caught.value)
    assert loopback.requests == []


def test_a_target_that_cannot_be_written_raises_what_open_raises(
    tmp_path: Path, remote: recto.Client
) -> None:
    operation = remote.optimize(PDF)
    with pytest.raises(FileNotFoundError) as caught:
        operation.save(tmp_path / "missing" / "out.pdf")
    assert "missing" in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_url": "no address"}, "base"),
        ({"base_url": "https://example.org?a=1"}, "query"),
        ({"base_url": "http://example.org"}, "https"),
        ({"timeout": -1}, "-1"),
        ({"wait_timeout": float("nan")}, "NaN"),
        ({"base_url": "https://example.org", "ca_bundle": "/no/such/file"}, "/no/such/file"),
    ],
)
def test_an_invalid_setting_is_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((recto.ConfigError, OSError), match=message):
        recto.Client(**settings)


def test_the_environment_configures_a_client(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_BASE_URL", loopback.base_url)
    monkeypatch.setenv("RECTO_API_KEY", KEY)
    with recto.Client.from_env() as client:
        client.files.list()
    assert loopback.requests[0].headers["x-api-key"] == KEY
    monkeypatch.setenv("RECTO_TIMEOUT", "soon")
    with pytest.raises(recto.ConfigError, match="RECTO_TIMEOUT"):
        recto.Client()


def test_a_closed_client_raises_an_error(loopback: Loopback) -> None:
    for settings in ({}, loopback.settings()):
        client = recto.Client(**settings)
        operation = client.optimize(PDF) if settings else None
        client.close()
        client.close()
        with pytest.raises(recto.ConfigError, match="closed"):
            client.files.list()
        if operation is not None:
            with pytest.raises(recto.ConfigError, match="closed"):
                operation.read()
