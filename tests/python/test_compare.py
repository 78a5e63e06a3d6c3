"""`Client.compare`: the pages of two documents as pictures."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import recto
from python.loopback import PDF, Loopback

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_a_document_and_its_lossless_copy_are_the_same(local: recto.Client, report: Path) -> None:
    comparison = local.compare(report, local.optimize(report, profile="archive"), threshold=0.01)
    assert comparison.same
    # The edges of letters may be drawn differently, because the fonts were changed.
    assert comparison.share < 0.01
    assert local.compare(report, report).share == 0
    assert comparison.path is None
    assert [page.number for page in comparison.pages] == list(range(1, len(comparison.pages) + 1))
    assert all(page.in_first and page.in_second and not page.size_differs for page in comparison.pages)


def test_a_stamp_is_found_and_outlined(local: recto.Client, report: Path) -> None:
    stamped = local.stamp_text(report, text="DRAFT").read()
    comparison = local.compare(report, ("stamped.pdf", stamped))
    assert not comparison.same
    for page in comparison.pages:
        assert page.differs
        assert 0 < page.share < 0.1
        assert page.picture is not None
        picture = Image.open(io.BytesIO(page.picture))
        assert picture.mode == "RGB"
        colors = picture.getcolors(picture.width * picture.height)
        assert colors is not None
        assert (220, 0, 0) in {color for _, color in colors}
    assert local.compare(report, stamped, threshold=0.1).same
    assert local.compare(report, stamped, tolerance=100).same


def test_pictures_are_written_where_the_caller_wants(
    local: recto.Client, report: Path, tmp_path: Path
) -> None:
    form = EXAMPLES / "form.pdf"
    comparison = local.compare(report, form, to=tmp_path / "pages", only_differing=True)
    paths = [page.path for page in comparison.pages]
    assert comparison.path == tmp_path / "pages"
    assert sorted(filter(None, paths)) == sorted((tmp_path / "pages").iterdir())
    assert all(page.picture is None for page in comparison.pages)
    report_page = tmp_path / "report.html"
    assert local.compare(report, form, to=report_page).path == report_page
    html = report_page.read_text(encoding="utf-8")
    assert html.count("data:image/png;base64,") == len(comparison.pages)
    with pytest.raises(FileExistsError):
        local.compare(report, form, to=report_page, overwrite=False)


def test_an_encrypted_document_needs_its_password(local: recto.Client, report: Path) -> None:
    locked = local.encrypt(report, password="correct horse").read()
    with pytest.raises(recto.OperationFailed):
        local.compare(report, locked)
    assert local.compare(report, locked, password="correct horse").same


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"tolerance": -1}, recto.InvalidRequest),
        ({"threshold": 2}, recto.InvalidRequest),
        ({"max_pages": 0}, recto.InvalidRequest),
        ({"timeout": 1e-9}, recto.RequestTimeout),
    ],
)
def test_a_setting_that_cannot_work_is_refused(
    settings: dict[str, Any], error: type[Exception], local: recto.Client, report: Path
) -> None:
    with pytest.raises(error):
        local.compare(report, report, **settings)


def test_too_many_pages_and_missing_files_are_reported(
    local: recto.Client, report: Path, tmp_path: Path
) -> None:
    pages = len(local.compare(report, report).pages)
    assert pages > 1
    with pytest.raises(recto.InvalidRequest, match="pages"):
        local.compare(report, report, max_pages=pages - 1)
    with pytest.raises(FileNotFoundError):
        local.compare(report, tmp_path / "missing.pdf")
    with pytest.raises(recto.OperationFailed):
        local.compare(report, b"%PDF-1.4 broken")


def test_a_result_that_is_not_a_picture_is_an_error(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result_bytes, loopback.result_name = b"GIF89a", "page.png"
    with pytest.raises((recto.ProtocolError, recto.TransportError)):
        remote.compare(PDF, PDF)


def test_it_can_be_awaited(report: Path) -> None:
    async def main() -> recto.Comparison:
        async with recto.AsyncClient() as client:
            return await client.compare(
                report, await client.optimize(report, profile="archive"), threshold=0.01
            )

    assert asyncio.run(main()).same
