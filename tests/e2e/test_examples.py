"""The committed samples are the output of `examples/make_examples.py`, small, valid and with the documented content."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from e2e.support import EXAMPLES, Oracle

PAGES = {"report.pdf": 7, "scan.pdf": 3, "form.pdf": 2}
IMAGES = {"scan.png": 1, "scan.jpg": 1, "scan.tiff": 2}


def test_the_samples_stay_small() -> None:
    total = sum((EXAMPLES / name).stat().st_size for name in (*PAGES, *IMAGES))
    assert total < 3_000_000


@pytest.mark.parametrize(("name", "pages"), PAGES.items())
def test_a_sample_document_is_valid(name: str, pages: int, oracle: Oracle) -> None:
    verdict = oracle("qpdf", "--check", EXAMPLES / name)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    with pikepdf.open(EXAMPLES / name) as document:
        assert len(document.pages) == pages


@pytest.mark.parametrize(("name", "frames"), IMAGES.items())
def test_a_sample_image_has_its_pages_and_resolution(name: str, frames: int) -> None:
    with Image.open(EXAMPLES / name) as image:
        assert getattr(image, "n_frames", 1) == frames
        assert image.info["dpi"][0] == pytest.approx(image.width / 8.27, rel=0.01)


def test_the_report_has_whole_fonts_bookmarks_links_and_metadata() -> None:
    with pikepdf.open(EXAMPLES / "report.pdf") as document:
        descriptors = [entry for entry in document.objects if _is_type(entry, "/FontDescriptor")]
        whole = [font for font in descriptors if "+" not in str(font.FontName)]
        assert len(whole) >= 4
        assert all(int(font.FontFile2.Length1) > 100_000 for font in whole)
        with document.open_outline() as outline:
            assert len(outline.root) >= 5
        links = [
            note.A.URI
            for page in document.pages
            for note in page.get("/Annots", [])
            if "/URI" in note.get("/A", {})
        ]
        assert links
        assert str(document.docinfo["/Title"]).startswith("Highland Waters")


def test_the_form_has_fields_with_appearances() -> None:
    with pikepdf.open(EXAMPLES / "form.pdf") as document:
        kinds = {str(field.FT) for field in document.Root.AcroForm.Fields if "/FT" in field}
        assert kinds >= {"/Tx", "/Btn", "/Ch"}
        widgets = [note for page in document.pages for note in page.Annots]
        assert all("/AP" in widget for widget in widgets)


def test_the_script_makes_equivalent_samples(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, EXAMPLES / "make_examples.py", tmp_path],
        check=True,
        capture_output=True,
        timeout=120,
    )
    for name, pages in PAGES.items():
        with pikepdf.open(tmp_path / name) as document:
            assert len(document.pages) == pages
    for name in (*PAGES, *IMAGES):
        # Other versions of the libraries compress slightly differently, so the size may differ by 10 %.
        assert (tmp_path / name).stat().st_size == pytest.approx((EXAMPLES / name).stat().st_size, rel=0.1), (
            name
        )


def _is_type(entry: pikepdf.Object, name: str) -> bool:
    return isinstance(entry, pikepdf.Dictionary) and entry.get("/Type") == name
