"""Documents of other programs, converted by LibreOffice: with all pages, words and pictures, several at the same time;
links are not followed."""

# The type hints of the libraries that write Office documents are not precise enough for these checks of pyright.
# pyright: reportOptionalMemberAccess=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import docx
import docx.enum.text
import docx.shared
import openpyxl
import pptx
import pytest
from odf.draw import Frame, Image, Page, TextBox
from odf.opendocument import OpenDocumentPresentation, OpenDocumentSpreadsheet, OpenDocumentText
from odf.style import MasterPage, PageLayout, PageLayoutProperties, Style
from odf.table import Table, TableCell, TableRow
from odf.text import H, P
from pptx.util import Inches

from e2e.support import EXAMPLES, Oracle

pytestmark = pytest.mark.usefixtures("scratch")


def _docx(path: Path) -> None:
    document = docx.Document()
    document.add_heading("Annual Report", 0)
    document.add_paragraph("Grüße, κόσμε, привет.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    table.cell(1, 1).text = "A cell"
    document.add_paragraph().add_run().add_break(docx.enum.text.WD_BREAK.PAGE)
    document.add_picture(str(EXAMPLES / "scan.png"), width=docx.shared.Inches(3))
    document.sections[0].footer.paragraphs[0].text = "The footer"
    document.save(str(path))


def _pptx(path: Path) -> None:
    deck = pptx.Presentation()
    for number in range(1, 4):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide number {number}"
        slide.placeholders[1].text = "First point\nSecond point"
    deck.slides[2].shapes.add_picture(str(EXAMPLES / "scan.png"), Inches(1), Inches(4), height=Inches(2))
    deck.save(str(path))


def _xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Sums"
    for row in range(1, 6):
        book.active.append([f"Row {row}", row * 1.5])
    book.active["B7"] = "=SUM(B1:B5)"
    book.create_sheet("More").append(["On the second sheet"])
    book.save(path)


def _odt(path: Path) -> None:
    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text="Annual Report"))
    document.text.addElement(P(text="Grüße, κόσμε, привет."))
    document.save(str(path))


def _odp(path: Path) -> None:
    deck = OpenDocumentPresentation()
    layout = PageLayout(name="layout")
    layout.addElement(PageLayoutProperties(pagewidth="28cm", pageheight="21cm", printorientation="landscape"))
    deck.automaticstyles.addElement(layout)
    master = MasterPage(name="master", pagelayoutname=layout)
    deck.masterstyles.addElement(master)
    deck.styles.addElement(Style(name="plain", family="presentation"))
    for number in range(1, 3):
        page = Page(masterpagename=master)
        frame = Frame(width="20cm", height="3cm", x="2cm", y="2cm")
        box = TextBox()
        box.addElement(P(text=f"Slide number {number}"))
        frame.addElement(box)
        page.addElement(frame)
        deck.presentation.addElement(page)
    deck.save(str(path))


def _ods(path: Path) -> None:
    book = OpenDocumentSpreadsheet()
    table = Table(name="Sums")
    for number in range(1, 6):
        row = TableRow()
        for text in (f"Row {number}", str(number * 1.5)):
            cell = TableCell()
            cell.addElement(P(text=text))
            row.addElement(cell)
        table.addElement(row)
    book.spreadsheet.addElement(table)
    book.save(str(path))


Case = tuple[str, str, Callable[[Path], None], int, list[str]]
CASES: list[Case] = [
    ("doc-to-pdf", "docx", _docx, 2, ["Annual Report", "Grüße, κόσμε, привет.", "A cell", "The footer"]),
    ("presentation-to-pdf", "pptx", _pptx, 3, ["Slide number 1", "Second point", "Slide number 3"]),
    ("spreadsheet-to-pdf", "xlsx", _xlsx, 2, ["Row 5", "22.5", "On the second sheet"]),
    ("doc-to-pdf", "odt", _odt, 1, ["Annual Report", "Grüße, κόσμε, привет."]),
    ("presentation-to-pdf", "odp", _odp, 2, ["Slide number 1", "Slide number 2"]),
    ("spreadsheet-to-pdf", "ods", _ods, 1, ["Row 5", "7.5"]),
]


def test_documents_of_other_programs_are_converted_two_at_a_time(
    command: str, tmp_path: Path, oracle: Oracle
) -> None:
    def convert(case: Case) -> Path:
        operation, extension, make, _, _ = case
        source, target = tmp_path / f"it.{extension}", tmp_path / f"{extension}.pdf"
        make(source)
        line = [command, operation, str(source), "--quiet", "-o", str(target)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{extension}: {done.stderr}"
        return target

    oracle("soffice", "--version")
    with ThreadPoolExecutor(2) as two:
        made = list(two.map(convert, CASES))
    for pdf, (_, extension, _, pages, words) in zip(made, CASES, strict=True):
        assert f"Pages:           {pages}\n" in oracle("pdfinfo", pdf).stdout, extension
        text = oracle("pdftotext", "-layout", pdf, "-").stdout
        assert [word for word in words if word not in text] == [], f"{extension}: {text}"
        if extension in ("docx", "pptx"):
            assert len(oracle("pdfimages", "-list", pdf).stdout.splitlines()) > 2, extension


def test_a_link_in_a_document_is_not_followed(command: str, tmp_path: Path, oracle: Oracle) -> None:
    source, requested = tmp_path / "it.odt", threading.Event()

    class Picture(BaseHTTPRequestHandler):
        def handle(self) -> None:
            requested.set()

    with ThreadingHTTPServer(("127.0.0.1", 0), Picture) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        document, paragraph = OpenDocumentText(), P(text="A picture: ")
        frame = Frame(width="3cm", height="3cm", anchortype="as-char")
        frame.addElement(Image(href=f"http://127.0.0.1:{server.server_port}/it.png", type="simple"))
        paragraph.addElement(frame)
        document.text.addElement(paragraph)
        document.save(str(source))
        line = [command, "doc-to-pdf", str(source), "--quiet", "-o", str(tmp_path / "it.pdf")]
        subprocess.run(line, check=True, timeout=300)
        assert not requested.is_set()
        # Check the test itself: LibreOffice without Recto does request the linked picture.
        profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
        oracle(
            "soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path / "alone", source
        )
        assert requested.wait(10)
        server.shutdown()
    assert "A picture" in oracle("pdftotext", tmp_path / "it.pdf", "-").stdout
