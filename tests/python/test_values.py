"""Options, records and results as values: frozen, comparable, picklable, with a readable repr without secrets."""

from __future__ import annotations

import copy
import datetime
import pickle
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import KEY, PDF, Loopback

VALUES: list[Any] = [
    recto.Margin(top=1, unit="cm"),
    recto.PageMargin(1.5, "in"),
    recto.TextStyle(text_color="red", is_bold=True),
    recto.StampSize(width=6, height=2, unit="cm"),
    recto.SquareSize(side=3, unit="cm"),
    recto.PixelSize(10, 20),
    recto.FileRecord(
        "1", datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "fromUrl", "a.pdf", "pdf", {"id": "1"}
    ),
    recto.OutputFile("1", "a.pdf", "https://example.org/a?sig=secret"),
    recto.ValidationReport(False, ("too old",), "pdf13"),
    recto.Result(
        recto.OperationType.OPTIMIZE, "finished", recto.OutputFile("1", "a.pdf", "u"), None, {"a": [1]}
    ),
    recto.Progress(recto.Phase.UPLOAD, 1, 2, 0.5),
    recto.ComparedPage(1, 0.5, True, False, True, True, b"png", None),
    recto.Comparison(True, 0.0, (), Path("pages")),
    recto.BatchItem(3, Path("a.pdf"), path=Path("out/a.pdf"), operation_id="1", resumed=True),
    recto.FileId("1"),
    recto.OperationType.STAMP_QR,
]
ids = [type(value).__name__ for value in VALUES]


@pytest.mark.parametrize("value", VALUES, ids=ids)
def test_a_value_survives_pickling_and_copying(value: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value
        assert type(again) is type(value)
        assert hash(again) == hash(value)
    assert copy.deepcopy(value) == value


@pytest.mark.parametrize("value", VALUES[:-2], ids=ids[:-2])
def test_a_value_cannot_be_changed(value: Any) -> None:
    name = type(value).__slots__[0]
    with pytest.raises(AttributeError, match="cannot be changed"):
        setattr(value, name, 1)
    with pytest.raises(AttributeError):
        delattr(value, name)
    with pytest.raises(AttributeError):
        value.something_else = 1


def test_values_differ_by_class_and_field() -> None:
    assert recto.PixelSize(1, 2) != recto.PixelSize(2, 1)
    assert recto.StampSize(1, 2) != recto.PixelSize(1, 2)
    assert recto.Margin() != ()


def test_a_value_prints_as_the_call_that_makes_it() -> None:
    margin = recto.Margin(top=2, unit="cm")
    assert repr(margin) == "Margin(top=2, unit='cm')"
    assert eval(repr(margin), {"Margin": recto.Margin}) == margin


def test_the_address_of_a_result_is_not_printed() -> None:
    output = recto.OutputFile("1", "a.pdf", "https://example.org/a?sig=secret")
    result = recto.Result("optimize", "finished", output, None, {"outputFile": {"url": output.url}})
    assert output.url == "https://example.org/a?sig=secret"
    assert "secret" not in repr(result)


def test_a_file_record_has_an_aware_time(remote: recto.Client) -> None:
    file_id = remote.files.upload(PDF)
    record = remote.files.get(file_id)
    assert record.created_at == datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC)
    assert (record.id, record.origin, record.name, record.extension) == (
        file_id,
        "fromLocal",
        "document.pdf",
        "pdf",
    )
    assert record.raw["createdAt"] == "2026-01-02T03:04:05.678901Z"


@pytest.mark.parametrize(
    ("sent", "time"),
    [
        (
            "2026-01-02T03:04:05.6789012345Z",
            datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC),
        ),
        ("2026-01-02T05:04:05+02:00", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
        ("2026-01-02T03:04:05", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
        ("yesterday", None),
        (None, None),
    ],
)
def test_a_time_is_parsed_in_every_format_or_is_none(
    sent: str | None, time: datetime.datetime | None, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.answer("get", 200, {"id": "1", "createdAt": sent, "color": {"new": [1, 2.5, None, True]}})
    record = remote.files.get("1")
    assert record.created_at == time
    assert record.raw["color"] == {"new": [1, 2.5, None, True]}
    assert record.name is None


def test_a_result_keeps_the_json_of_the_service(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result = {
        "operationType": "validate",
        "operationStatus": "finished",
        "validation": {"errors": ["no title"], "isConforming": False, "conformance": "pdf15"},
        "cost": 3,
    }
    result = remote.validate(PDF, conformance="pdf13").result()
    assert result.operation_type is recto.OperationType.VALIDATE
    assert result.validation == recto.ValidationReport(False, ("no title",), "pdf15")
    assert result.output is None
    assert result.raw["cost"] == 3
    assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.parametrize("what", ["client", "files", "operation", "service"])
def test_an_object_with_a_key_or_a_connection_cannot_be_pickled(what: str, remote: recto.Client) -> None:
    with recto.LocalService() as service:
        held: Any = {
            "client": remote,
            "files": remote.files,
            "operation": remote.optimize(PDF),
            "service": service,
        }[what]
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled"):
                attempt(held)


def test_no_repr_shows_a_key(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(PDF)
    for held in (remote, remote.files, operation, recto.AsyncClient(**loopback.settings())):
        assert KEY not in repr(held)
    assert loopback.base_url in repr(remote)
    with recto.LocalService() as service:
        assert service.api_key not in repr(service)
    with_password = recto.Client(base_url="http://user:password@127.0.0.1:1", api_key=KEY)
    assert "password" not in repr(with_password)
    assert repr(recto.Client()) == "<recto.Client of the embedded service>"
