"""The methods of the operations: they match the table of operations and send what the specification says."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any

import pytest

import recto
from python.loopback import PDF, Loopback
from recto import _native, enums, options
from recto._async_operations import AsyncOperations
from recto._operations import Operations

TABLE = _native.operations()
CALL = ["name", "force", "timeout", "on_progress", "extra_options", "headers"]


def method_of(row: dict[str, Any]) -> str:
    return str(row["name"]).replace("-", "_")


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def test_each_operation_has_a_method_and_there_is_no_other() -> None:
    methods = {method_of(row) for row in TABLE}
    assert {name for name in vars(Operations) if not name.startswith("_")} == methods
    assert {name for name in vars(AsyncOperations) if not name.startswith("_")} == {*methods, "start"}
    assert len(TABLE) == 19


@pytest.mark.parametrize("row", TABLE, ids=method_of)
def test_a_method_takes_the_options_of_its_operation_by_name(row: dict[str, Any]) -> None:
    parameters = inspect.signature(getattr(recto.Client, method_of(row))).parameters
    awaitable = getattr(recto.AsyncClient, method_of(row))
    same = [(name, parameter.default) for name, parameter in parameters.items()]
    others = inspect.signature(awaitable).parameters.items()
    assert [(name, parameter.default) for name, parameter in others] == same
    assert inspect.iscoroutinefunction(awaitable)
    tops = list(dict.fromkeys(snake(option["path"].split(".")[0]) for option in row["options"]))
    assert list(parameters)[:2] == ["self", "source"]
    named = list(parameters)[2:]
    assert sorted(named) == sorted(tops + CALL)
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in named)
    required = {snake(option["path"]) for option in row["options"] if option["required"]}
    assert {name for name in named if parameters[name].default is inspect.Parameter.empty} == required


def test_the_type_of_all_options_has_the_options_of_the_table() -> None:
    from recto import _types

    tops = {snake(option["path"].split(".")[0]) for row in TABLE for option in row["options"]}
    assert set(_types.Options.__annotations__) == tops


@pytest.mark.parametrize("row", TABLE, ids=method_of)
def test_a_method_documents_its_options_and_has_an_example(row: dict[str, Any]) -> None:
    doc = inspect.getdoc(getattr(recto.Client, method_of(row)))
    assert doc is not None
    assert f"client.{method_of(row)}(" in doc
    for option in row["options"]:
        assert f"\n    {snake(option['path'].split('.')[0])} " in doc


def test_the_value_types_have_the_fields_of_the_table() -> None:
    wanted: dict[str, set[str]] = {}
    for row in TABLE:
        for option in row["options"]:
            top, _, part = option["path"].partition(".")
            if part:
                wanted.setdefault(f"{row['name']}:{top}", set()).add(snake(part))
    types = {
        "pageMargin": options.PageMargin,
        "maxSizeInPixels": options.PixelSize,
        "margin": options.Margin,
        "textStyle": options.TextStyle,
    }
    for place, fields in wanted.items():
        operation, top = place.split(":")
        if top == "stampSize":
            kind: type = options.StampSize if operation == "stamp-barcode" else options.SquareSize
        else:
            kind = types[top]
        slots = set(kind.__slots__)  # type: ignore[attr-defined]
        assert fields == slots or (top == "margin" and fields <= slots), place


def test_the_enums_are_the_closed_sets_of_the_table() -> None:
    sets = {tuple(option["choices"]) for row in TABLE for option in row["options"] if option["choices"]}
    closed = [
        enums.Profile,
        enums.PageSize,
        enums.Strategy,
        enums.ColorSpace,
        enums.Conformance,
        enums.Unit,
        enums.FontFamily,
    ]
    ours = {tuple(map(str, kind)) for kind in closed}
    assert sets - {("rgb", "gray")} == ours
    assert {str(kind) for kind in enums.OperationType} == {row["operation_type"] for row in TABLE}
    for row in TABLE:
        assert enums.OperationType[row["name"].replace("-", "_").upper()] == row["operation_type"]


SENT: list[tuple[str, dict[str, Any], str, Any]] = [
    ("optimize", {}, "/v1/operations/optimize", None),
    ("optimize", {"profile": "web"}, "/v1/operations/optimize", {"profile": "web"}),
    ("optimize", {"profile": enums.Profile.PRINT}, "/v1/operations/optimize", {"profile": "print"}),
    (
        "image_to_pdf",
        {"page_size": "a4", "page_margin": options.PageMargin(1.5, "cm"), "strategy": "Auto"},
        "/v1/operations/convert/image-to-pdf",
        {"pageSize": "a4", "pageMargin": {"margin": 1.5, "unit": "cm"}, "strategy": "Auto"},
    ),
    (
        "archive_pdfa",
        {"conformance": "pdf_a2_b"},
        "/v1/operations/archive/pdfa",
        {"conformance": "pdf_a2_b"},
    ),
    (
        "pdf_to_jpeg",
        {"max_size_in_pixels": (1200, 800)},
        "/v1/operations/convert/pdf-to-jpeg",
        {"colorSpace": "rgb", "jpegQuality": 85, "maxSizeInPixels": {"width": 1200, "height": 800}},
    ),
    (
        "pdf_to_png",
        {
            "color_space": "gray",
            "transparent_background": True,
            "max_size_in_pixels": options.PixelSize(9, 9),
        },
        "/v1/operations/convert/pdf-to-png",
        {"colorSpace": "gray", "transparentBackground": True, "maxSizeInPixels": {"width": 9, "height": 9}},
    ),
    ("pdf_to_tiff", {}, "/v1/operations/convert/pdf-to-tiff", None),
    ("pdf_to_tiff_fax", {}, "/v1/operations/convert/pdf-to-tiff-fax", None),
    ("doc_to_pdf", {}, "/v1/operations/convert/doc-to-pdf", None),
    ("presentation_to_pdf", {}, "/v1/operations/convert/presentation-to-pdf", None),
    ("spreadsheet_to_pdf", {}, "/v1/operations/convert/spreadsheet-to-pdf", None),
    ("encrypt", {"password": "open sesame"}, "/v1/operations/encrypt", {"password": "open sesame"}),
    ("decrypt", {"password": "open sesame"}, "/v1/operations/decrypt", {"password": "open sesame"}),
    (
        "stamp_text",
        {
            "text": "DRAFT",
            "margin": options.Margin(top=2, right=2, unit="cm"),
            "text_style": options.TextStyle("#c00000", "sans", True, False, 24),
        },
        "/v1/operations/stamp/text",
        {
            "text": "DRAFT",
            "margin": {"top": 2.0, "right": 2.0, "unit": "cm"},
            "textStyle": {
                "textColor": "#c00000",
                "fontFamily": "sans",
                "isBold": True,
                "isItalic": False,
                "fontSize": 24.0,
            },
        },
    ),
    ("stamp_watermark", {"text": "DRAFT"}, "/v1/operations/stamp/watermark", {"text": "DRAFT"}),
    (
        "stamp_barcode",
        {
            "type": "code128",
            "value": "A-123",
            "margin": options.Margin(left=1, bottom=1, unit="in"),
            "stamp_size": options.StampSize(6, 2, "cm"),
        },
        "/v1/operations/stamp/barcode",
        {
            "type": "code128",
            "value": "A-123",
            "margin": {"left": 1.0, "bottom": 1.0, "unit": "in"},
            "stampSize": {"width": 6.0, "height": 2.0, "unit": "cm"},
        },
    ),
    (
        "stamp_data_matrix",
        {"value": "A", "stamp_size": options.SquareSize(3, "cm")},
        "/v1/operations/stamp/data-matrix",
        {"value": "A", "stampSize": {"side": 3.0, "unit": "cm"}},
    ),
    (
        "stamp_qr",
        {"value": "https://example.org"},
        "/v1/operations/stamp/qr",
        {"value": "https://example.org"},
    ),
    ("validate", {"conformance": "pdf13"}, "/v1/operations/validate", {"conformance": "pdf13"}),
    ("power_archive", {"conformance": "pdf_a2_b"}, "/v1/workflows/powerarchive", {"conformance": "pdf_a2_b"}),
]


def test_every_operation_is_among_those_sent() -> None:
    assert {method for method, *_ in SENT} == {method_of(row) for row in TABLE}


@pytest.mark.parametrize(
    ("method", "given", "path", "sent"), SENT, ids=[f"{row[0]}-{n}" for n, row in enumerate(SENT)]
)
def test_an_operation_sends_what_the_specification_says(
    method: str, given: dict[str, Any], path: str, sent: Any, loopback: Loopback, remote: recto.Client
) -> None:
    accepts = next(row["accepts"] for row in TABLE if method_of(row) == method)
    getattr(remote, method)(PDF, name=f"in.{accepts[0]}", **given)
    (start,) = loopback.of("start")
    (ticket,) = loopback.of("ticket")
    assert start.path == path
    assert ticket.json == {"fileName": f"in.{accepts[0]}"}
    body = start.json
    assert body.pop("input") == {"fileId": next(iter(loopback.files))}
    assert body == ({} if sent is None else {"options": sent})


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "optimize",
        {"profile": "wbe"},
        'option profile: "wbe" is not one of web, archive, print, minimalFileSize',
    ),
    ("optimize", {"profile": 3}, "option profile: .*give one of web, archive, print, minimalFileSize"),
    ("optimize", {"profile": True}, "option profile: True is not valid; give one of web"),
    ("optimize", {"profile": object()}, "option profile: a value of type object is not valid"),
    ("pdf_to_jpeg", {"jpeg_quality": 101}, "option jpeg_quality: 101 is out of range; give 0 to 100"),
    ("pdf_to_jpeg", {"jpeg_quality": "high"}, "option jpeg_quality: .*give a whole number from 0 to 100"),
    ("pdf_to_jpeg", {"jpeg_quality": True}, "option jpeg_quality: .*give a whole number from 0 to 100"),
    ("pdf_to_jpeg", {"jpeg_quality": 10**30}, "option jpeg_quality: "),
    ("pdf_to_jpeg", {"max_size_in_pixels": (0, 5)}, "option max_size_in_pixels.width: 0 is not a size"),
    ("pdf_to_png", {"color_space": "cmyk"}, 'option color_space: "cmyk" is not one of rgb, gray'),
    ("pdf_to_png", {"transparent_background": "yes"}, "option transparent_background: .*give True or False"),
    ("archive_pdfa", {"conformance": "pdf13"}, "option conformance: .* is not one of pdf_a2_b, pdf_a3_b"),
    ("stamp_text", {"text": "a\ud800"}, "option text: it contains characters that are not valid Unicode"),
    (
        "stamp_text",
        {"text": "a", "margin": options.Margin(top=math.nan)},
        "option margin.top: NaN is not a finite",
    ),
    ("stamp_text", {"text": "a", "text_style": {"bold": True}}, "option text_style.bold: .*`is_bold`"),
    ("stamp_qr", {"value": "a", "margin": options.Margin(top=1)}, "option margin.top: .*`left`"),
    (
        "stamp_qr",
        {"value": "a", "stamp_size": options.SquareSize(-1)},
        "option stamp_size.side: -1 is not a size",
    ),
]


@pytest.mark.parametrize(
    ("method", "given", "message"), REFUSED, ids=[f"{row[0]}-{n}" for n, row in enumerate(REFUSED)]
)
def test_an_invalid_option_is_refused_before_any_request(
    method: str, given: dict[str, Any], message: str, loopback: Loopback, remote: recto.Client
) -> None:
    with pytest.raises(recto.InvalidRequest, match=message):
        getattr(remote, method)(PDF, **given)
    assert loopback.requests == []


def test_no_message_has_the_words_of_a_library(remote: recto.Client) -> None:
    wrong: list[Any] = ["text", 3, 1.5, True, [], {"no_such_part": 1}, -1, [1, 2]]
    words = ("unknown variant", "unknown field", "missing field", "invalid type", "invalid value", "expected")
    said: list[str] = []
    for row in TABLE:
        full = {option["path"].split(".")[0] for option in row["options"]} | {"no_such_option"}
        for name in full:
            for value in wrong:
                try:
                    remote.start(row["name"], recto.FileId("1"), {name: value})
                except recto.InvalidRequest as error:
                    said.append(str(error))
    assert len(said) > 200
    assert [text for text in said if any(word in text for word in words)] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"proflie": "web"}, "option proflie: there is no such option; known options: `profile`"),
        ({"profile": ["web"]}, r'option profile: \["web"\] is not valid; give one of web, archive'),
    ],
)
def test_an_option_by_name_is_refused_with_what_there_is(
    options: Any, message: str, remote: recto.Client
) -> None:
    with pytest.raises(recto.InvalidRequest, match=message):
        remote.start("optimize", PDF, options)
    with pytest.raises(recto.InvalidRequest, match="the operation has no options"):
        remote.start("pdf-to-tiff", PDF, {"quality": 1})
    with pytest.raises(recto.InvalidRequest, match="there is no such part; known parts: `margin` and `unit`"):
        remote.start("image-to-pdf", PDF, {"page_margin": {"width": 1}}, name="a.png")


def test_an_error_about_a_password_does_not_show_it(remote: recto.Client) -> None:
    with pytest.raises(recto.InvalidRequest) as caught:
        remote.encrypt(PDF, password=["sesame"])  # type: ignore[arg-type]
    assert "sesame" not in str(caught.value)


def test_an_image_margin_needs_both_parts(remote: recto.Client) -> None:
    with pytest.raises(recto.InvalidRequest, match=r"unit: it is required"):
        remote.image_to_pdf(b"", name="a.png", page_margin={"margin": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("margin", [(1.5, "cm"), 1.5, True, ["1cm"]])
def test_an_option_with_parts_says_how_they_are_given(margin: Any, remote: recto.Client) -> None:
    with pytest.raises(recto.InvalidRequest, match=r"option page_margin: .*; give .*margin.*unit.*by name"):
        remote.image_to_pdf(b"", name="a.png", page_margin=margin)


def test_options_may_be_plain_dicts_in_either_case(loopback: Loopback, remote: recto.Client) -> None:
    remote.start("stamp-qr", PDF, {"value": "a", "stamp_size": {"side": 3, "unit": "cm"}})
    remote.start("stamp_qr", PDF, {"value": "a", "stampSize": {"side": 3, "unit": "cm"}})
    first, second = loopback.of("start")
    assert json.loads(first.body)["options"] == json.loads(second.body)["options"]


def test_an_error_names_an_option_as_the_caller_did(remote: recto.Client) -> None:
    with pytest.raises(recto.InvalidRequest, match=r"option text_style\.font_family:"):
        remote.start("stamp-text", PDF, {"text": "a", "text_style": {"font_family": "mono"}})
    with pytest.raises(recto.InvalidRequest, match=r"option textStyle\.fontFamily:") as caught:
        remote.start("stamp-text", PDF, {"text": "a", "textStyle": {"fontFamily": "mono"}})
    assert caught.value.phase == "start"


def test_an_unknown_operation_is_refused_with_the_list_of_operations(remote: recto.Client) -> None:
    with pytest.raises(recto.InvalidRequest, match=r"optimise.*optimize, image-to-pdf"):
        remote.start("optimise", PDF)


def test_an_unknown_option_is_a_type_error_as_for_any_function(remote: recto.Client) -> None:
    with pytest.raises(TypeError, match="proflie"):
        remote.optimize(PDF, proflie="web")  # type: ignore[call-arg]


def test_the_handle_has_the_type_and_the_identifier_of_the_operation(remote: recto.Client) -> None:
    operation = remote.stamp_qr(PDF, value="a")
    assert operation.type is recto.OperationType.STAMP_QR
    assert operation.id in repr(operation)
    assert "stampQR" in repr(operation)


def test_an_unknown_operation_type_is_returned_as_text(loopback: Loopback, remote: recto.Client) -> None:
    loopback.answer(
        "start", 200, {"operationId": "1", "operationType": "foldPdf", "operationStatus": "inProgress"}
    )
    assert remote.optimize(PDF).type == "foldPdf"


def test_an_extension_the_operation_does_not_take_is_refused_unless_forced(
    loopback: Loopback, remote: recto.Client
) -> None:
    with pytest.raises(recto.InvalidRequest, match="pdf"):
        remote.optimize(PDF, name="in.docx")
    assert loopback.requests == []
    remote.optimize(PDF, name="in.docx", force=True)
    assert loopback.of("ticket")[0].json == {"fileName": "in.docx"}


def test_a_token_resumes_the_operation_with_another_client(loopback: Loopback, remote: recto.Client) -> None:
    operation = remote.optimize(PDF)
    with recto.Client(**loopback.settings()) as other:
        resumed = other.operation(operation.token)
        assert (resumed.id, resumed.read()) == (operation.id, PDF)
    with pytest.raises(recto.Error):
        remote.operation("no token at all")
