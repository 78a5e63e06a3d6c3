"""Jupyter: results as tables and pictures that are escaped and bounded, and that never raise."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import PIL.Image
import pytest

import recto
from python.conftest import EXAMPLES
from python.loopback import Loopback
from recto import notebook


class Cells(HTMLParser):
    """The rows of a table, as texts, and the pictures."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.pictures: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("table", "tr", "th", "td", "img", "p"), f"{tag} came from a document"
        if tag == "img":
            self.pictures.append(dict(attrs)["src"] or "")
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def size(picture: bytes | None) -> tuple[int, int]:
    assert picture is not None
    with PIL.Image.open(io.BytesIO(picture)) as image:
        return image.size


def test_an_operation_shows_its_first_page(local: recto.Client, report: Path) -> None:
    page = notebook.FirstPage(local.optimize(report, profile="web"))
    assert max(size(page._repr_png_())) == 800
    of_the_file = notebook.FirstPage(report)._repr_png_()
    assert size(of_the_file) == size(notebook.FirstPage(report.read_bytes())._repr_png_())


def test_a_page_is_shown_after_its_client_was_closed(report: Path) -> None:
    with recto.Client() as client:
        page = notebook.FirstPage(client.optimize(report))
    assert max(size(page.png)) == 800


def test_a_result_that_is_an_image_is_shown_as_it_is(local: recto.Client) -> None:
    scan = local.image_to_pdf(EXAMPLES / "scan.png")
    image = local.pdf_to_png(scan, max_size_in_pixels=recto.PixelSize(90, 90))
    assert max(size(notebook.FirstPage(image)._repr_png_())) == 90


@pytest.mark.parametrize("content", [b"", b"not a document", b"%PDF-1.7\nbroken"])
def test_what_cannot_be_rendered_is_shown_as_text(content: bytes, tmp_path: Path) -> None:
    assert notebook.FirstPage(content)._repr_png_() is None
    assert notebook.FirstPage(tmp_path / "missing.pdf")._repr_png_() is None
    assert "not a document" not in repr(notebook.FirstPage(content))


def test_a_large_document_is_not_rendered(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    monkeypatch.setattr(notebook, "_DOCUMENT_BYTES", report.stat().st_size - 1)
    assert notebook.FirstPage(report)._repr_png_() is None
    assert notebook.FirstPage(report.read_bytes())._repr_png_() is None


def test_a_picture_is_not_made_by_the_hosted_service(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch, report: Path
) -> None:
    monkeypatch.setenv("RECTO_BASE_URL", loopback.base_url)
    monkeypatch.setenv("RECTO_API_KEY", "k")
    assert max(size(notebook.FirstPage(report)._repr_png_())) == 800
    assert loopback.requests == []


def test_a_batch_shows_its_table(local: recto.Client, report: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "<script>alert(1)</script>.pdf".replace("/", "∕")
    hostile.write_bytes(b"not a document")
    table = notebook.Table(local.batch("optimize", [report, hostile], to=tmp_path / "out"))
    head, first, second = Cells(table._repr_html_()).rows
    assert head == ["Document", "Before", "After", "Saved", "Result"]
    assert first[0] == str(report)
    assert first[1] == f"{report.stat().st_size:,}"
    assert first[2] == f"{(tmp_path / 'out/report.pdf').stat().st_size:,}"
    assert second[0] == str(hostile)
    assert "<script>" in second[4], "the message names the file, as text"
    assert repr(table) == "<recto.notebook.Table of 2 documents, 1 failed>"
    assert [item.index for item in table] == [0, 1]


def test_a_long_table_and_a_long_text_are_cut() -> None:
    items = [recto.BatchItem(index, b"", error=ValueError("x" * 10_000)) for index in range(5000)]
    html = notebook.Table(items)._repr_html_()
    assert "and 4,900 more" in html
    assert len(html) < 100_000


def test_an_item_shows_its_page(local: recto.Client, report: Path, tmp_path: Path) -> None:
    (item,) = local.batch("optimize", [report], to=tmp_path / "out")
    cells = Cells(item._repr_html_())
    assert len(cells.rows) == 2
    assert [picture[:22] for picture in cells.pictures] == ["data:image/png;base64,"]
    shutil.rmtree(tmp_path / "out")
    assert Cells(item._repr_html_()).pictures == []


def test_a_report_and_a_result_are_tables(local: recto.Client, report: Path) -> None:
    result = local.validate(report, conformance="pdf_a2_b").result()
    assert result.validation is not None
    rows = Cells(result.validation._repr_html_()).rows
    assert ["verdict", "does not conform"] in rows
    assert [row[0] for row in rows].count("error") == min(len(result.validation.errors), 100)
    shown = Cells(local.optimize(report).result()._repr_html_())
    assert ["file", "report.pdf"] in shown.rows


def test_the_address_of_a_result_is_not_shown() -> None:
    output = recto.OutputFile("1", "a.pdf", "https://pdf.example.org/secret?signature=x")
    assert "secret" not in recto.Result("optimize", "finished", output, None, {})._repr_html_()


def test_notebooks_and_ocrmypdf_cost_nothing_when_they_are_not_used() -> None:
    program = "import sys, recto; recto.BatchItem; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [name for name in run.stdout.split() if "notebook" in name or "ocrmypdf" in name] == []
