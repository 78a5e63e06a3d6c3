"""Every option of the conversions, the passwords and the stamps, on the command line: the result, its name, and the
effect of each option."""

from __future__ import annotations

import io
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pikepdf
import pytest
from numpy.typing import NDArray
from PIL import Image

from e2e.rendering import render
from e2e.support import EXAMPLES, Oracle

pytestmark = pytest.mark.usefixtures("scratch")

Run = Callable[..., Path]
Picture = NDArray[np.float64]


@pytest.fixture
def run(command: str, tmp_path: Path) -> Run:
    """Runs an operation with an empty folder as target, and returns the file in it."""

    def run(operation: str, source: Path, *flags: str) -> Path:
        folder = tmp_path / f"out-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        line = [command, operation, str(source), "--json", *flags, "-o", str(folder)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        (made,) = folder.iterdir()
        assert json.loads(done.stdout)["output"] == str(made)
        return made

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of 4 x 3 inches: red on the left half, nothing on the right."""
    path = tmp_path / "one page.pdf"
    with pikepdf.new() as document:
        document.add_blank_page(page_size=(288, 216))
        document.pages[0].Contents = document.make_stream(b"1 0 0 rg 0 0 144 216 re f")
        document.save(path)
    return path


@pytest.fixture
def two_pages(page: Path, tmp_path: Path) -> Path:
    path = tmp_path / "two.pages.pdf"
    with pikepdf.open(page) as document:
        document.pages.append(document.pages[0])
        document.pages[1].Rotate = 90
        document.save(path)
    return path


def _image(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes()))


def _images(archive: Path) -> dict[str, Image.Image]:
    with zipfile.ZipFile(archive) as files:
        assert files.testzip() is None
        return {name: Image.open(io.BytesIO(files.read(name))) for name in files.namelist()}


@pytest.mark.parametrize(("operation", "end"), [("pdf-to-jpeg", "jpg"), ("pdf-to-png", "png")])
def test_one_page_is_an_image_and_several_are_an_archive(
    operation: str, end: str, page: Path, two_pages: Path, run: Run
) -> None:
    single = run(operation, page)
    assert single.name == f"one page.{end}"
    assert _image(single).size == (600, 450)
    several = run(operation, two_pages)
    assert several.name == "two.pages.zip"
    sizes = {name: image.size for name, image in _images(several).items()}
    assert sizes == {f"two.pages-001.{end}": (600, 450), f"two.pages-002.{end}": (450, 600)}


def test_tiffs_are_always_an_archive_and_a_fax_is_one_file(page: Path, two_pages: Path, run: Run) -> None:
    assert list(_images(run("pdf-to-tiff", page))) == ["one page-001.tif"]
    tiffs = _images(run("pdf-to-tiff", two_pages))
    assert {name: image.mode for name, image in tiffs.items()} == {
        "two.pages-001.tif": "RGB",
        "two.pages-002.tif": "RGB",
    }
    fax = run("pdf-to-tiff-fax", two_pages)
    assert fax.name == "two.pages.tif"
    with Image.open(fax) as pages:
        assert (getattr(pages, "n_frames", 1), pages.mode, pages.size[0]) == (2, "1", 1728)


@pytest.mark.parametrize(("space", "mode"), [("rgb", "RGB"), ("gray", "L"), ("cmyk", "CMYK")])
def test_a_jpeg_has_its_colour_space(space: str, mode: str, page: Path, run: Run) -> None:
    with Image.open(run("pdf-to-jpeg", page, "--color-space", space)) as image:
        assert image.mode == mode
        left, right = (image.convert("RGB").getpixel((x, 200)) for x in (100, 500))
    expected = {"rgb": (254, 0, 0), "gray": (127, 127, 127), "cmyk": (237, 28, 36)}[space]
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    assert max(abs(a - b) for a, b in zip(left, expected, strict=True)) < 60
    assert min(right) > 250


def test_the_default_quality_of_a_jpeg_is_85(run: Run) -> None:
    sizes = {
        quality: run("pdf-to-jpeg", EXAMPLES / "form.pdf", *flags).stat().st_size
        for quality, flags in {
            0: ["--jpeg-quality", "0"],
            40: ["--jpeg-quality", "40"],
            85: ["--jpeg-quality", "85"],
            None: [],
            100: ["--jpeg-quality", "100"],
        }.items()
    }
    assert sizes[0] < sizes[40] < sizes[85] == sizes[None] < sizes[100]


@pytest.mark.parametrize(
    ("flags", "mode", "left", "right"),
    [
        ([], "RGB", (255, 0, 0), (255, 255, 255)),
        (["--color-space", "gray"], "L", 127, 255),
        (["--transparent-background"], "RGBA", (255, 0, 0, 255), (0, 0, 0, 0)),
        (["--transparent-background=false"], "RGB", (255, 0, 0), (255, 255, 255)),
        (["--color-space", "gray", "--transparent-background=true"], "LA", (127, 255), (0, 0)),
    ],
)
def test_a_png_has_its_colours_and_its_background(
    flags: list[str], mode: str, left: object, right: object, page: Path, run: Run
) -> None:
    with Image.open(run("pdf-to-png", page, *flags)) as image:
        assert (image.mode, image.getpixel((100, 200)), image.getpixel((500, 200))) == (mode, left, right)


@pytest.mark.parametrize("operation", ["pdf-to-jpeg", "pdf-to-png"])
@pytest.mark.parametrize(
    ("most", "size"), [((300, 300), (300, 225)), ((9999, 45), (60, 45)), ((9999, 9999), (600, 450))]
)
def test_images_are_limited_in_size_and_keep_their_aspect_ratio(
    operation: str, most: tuple[int, int], size: tuple[int, int], page: Path, run: Run
) -> None:
    width, height = map(str, most)
    assert _image(run(operation, page, "--max-width", width, "--max-height", height)).size == size


def _page_size(document: Path) -> tuple[float, float]:
    with pikepdf.open(document) as opened:
        left, bottom, right, top = (float(value) for value in opened.pages[0].mediabox)
    return round(right - left), round(top - bottom)


@pytest.mark.parametrize(
    ("flags", "size", "margin"),
    [
        ([], (842, 595), 0),
        (["--page-size", "a4"], (842, 595), 0),
        (["--page-size", "letter"], (792, 612), 0),
        (["--strategy", "Auto"], (842, 595), 0),
        (["--strategy", "auto"], (842, 595), 0),
        (["--strategy", "ShrinkToPage"], (842, 595), 0),
        (["--strategy", "ShrinkToPortrait"], (595, 842), 0),
        (["--page-margin", "1", "--page-margin-unit", "in"], (842, 595), 72),
        (["--page-margin", "5.08cm"], (842, 595), 144),
    ],
)
def test_an_image_is_placed_on_its_page(
    flags: list[str], size: tuple[int, int], margin: int, run: Run, tmp_path: Path
) -> None:
    image = tmp_path / "wide picture.png"
    Image.new("RGB", (3000, 1500), (0, 0, 255)).save(image, dpi=(72, 72))
    made = run("image-to-pdf", image, *flags)
    assert (made.name, _page_size(made)) == ("wide picture.pdf", size)
    (shown,) = render(made, tmp_path / "shown", 72)
    left, top, right, bottom = _painted(shown)
    expected = min((size[0] - 2 * margin) / 2, size[1] - 2 * margin)
    assert abs(bottom - top - expected) <= 2
    assert abs(left - (size[0] - right)) <= 2
    assert abs(top - (size[1] - bottom)) <= 2


def _painted(shown: Picture, before: Picture | float = 255.0) -> tuple[int, int, int, int]:
    """The box of the pixels that differ from `before`: left, top, right, bottom."""
    rows, columns = np.nonzero(np.abs(shown - before).max(axis=2) > 40)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


@pytest.mark.parametrize("where", ["--password", "--password-file"])
def test_a_password_encrypts_and_decrypts(
    where: str, page: Path, run: Run, tmp_path: Path, oracle: Oracle
) -> None:
    password = "öffne dich"
    (tmp_path / "secret").write_text(f"{password}\nsecond line\n")
    value = password if where == "--password" else str(tmp_path / "secret")
    locked = run("encrypt", page, where, value)
    assert locked.name == "one page.pdf"
    assert oracle("qpdf", "--requires-password", locked).returncode == 0
    opened = run("decrypt", locked, where, value)
    assert oracle("qpdf", "--is-encrypted", opened).returncode == 2
    with pikepdf.open(opened) as document:
        assert document.pages[0].Contents.read_bytes() == b"1 0 0 rg 0 0 144 216 re f"


TEXT = ["--text", "Seen"]
CODE = ["--value", "12345678"]
BARCODE = ["--type", "code128", *CODE]


@pytest.mark.parametrize(
    ("operation", "flags", "place"),
    [
        (
            "stamp-text",
            [*TEXT, "--margin-top", "1", "--margin-left", "1", "--margin-unit", "in"],
            {"left", "top"},
        ),
        ("stamp-text", [*TEXT, "--margin-bottom", "2.54cm", "--margin-right", "2.54cm"], {"right", "bottom"}),
        ("stamp-text", [*TEXT, "--margin-top", "1in"], {"top", "middle"}),
        ("stamp-text", [*TEXT, "--margin-left", "1in"], {"left", "centre"}),
        ("stamp-text", TEXT, {"middle", "centre"}),
        ("stamp-watermark", TEXT, {"middle", "centre"}),
        ("stamp-watermark", [*TEXT, "--margin-top", "1in", "--margin-right", "1in"], {"right", "top"}),
        ("stamp-barcode", [*BARCODE, "--margin-left", "1in", "--margin-bottom", "1in"], {"left", "bottom"}),
        ("stamp-data-matrix", [*CODE, "--margin-left", "1in", "--margin-bottom", "1in"], {"left", "bottom"}),
        (
            "stamp-qr",
            [*CODE, "--margin-left", "1", "--margin-bottom", "1", "--margin-unit", "in"],
            {"left", "bottom"},
        ),
    ],
)
def test_a_stamp_is_placed_by_its_margins(
    operation: str, flags: list[str], place: set[str], run: Run, tmp_path: Path, oracle: Oracle
) -> None:
    empty = tmp_path / "empty.pdf"
    with pikepdf.new() as document:
        document.add_blank_page(page_size=(595, 842))
        document.save(empty)
    made = run(operation, empty, *flags)
    assert made.name == "empty.pdf"
    assert oracle("qpdf", "--check", made).returncode == 0
    (shown,) = render(made, tmp_path / "shown", 72)
    left, top, right, bottom = _painted(shown)
    found = {
        "left": left - 72,
        "right": 595 - 72 - right,
        "top": top - 72,
        "bottom": 842 - 72 - bottom,
        "middle": (left + right - 595) / 2,
        "centre": (top + bottom - 842) / 2,
    }
    # A code includes its quiet zone, which is not visible on the page: its visible part may be further from the edge.
    slack = 1.5 if "text" in operation or "watermark" in operation else 12
    assert all(-1.5 <= found[name] <= slack for name in place), found


@pytest.mark.parametrize(
    ("flags", "fonts"),
    [
        ([], "Sans"),
        (["--font-family", "sans"], "Sans"),
        (["--font-family", "serif"], "Serif"),
        (["--font-family", "serif", "--bold", "--italic"], "Serif.*BoldItalic"),
        (["--bold=true", "--italic=false"], "Sans.*Bold$"),
        (["--italic"], "Sans.*(Oblique|Italic)$"),
    ],
)
def test_the_text_of_a_stamp_has_the_given_font(
    flags: list[str], fonts: str, page: Path, run: Run, oracle: Oracle
) -> None:
    listed = oracle("pdffonts", run("stamp-text", page, *TEXT, *flags)).stdout
    assert re.search(fonts, listed.splitlines()[2].split()[0]), listed


@pytest.mark.parametrize(
    ("colour", "rgb"),
    [
        ("#0f0", (0, 255, 0)),
        ("#0080ff", (0, 128, 255)),
        ("navy", (0, 0, 128)),
        ("rgb(10, 20, 30)", (10, 20, 30)),
    ],
)
def test_the_text_of_a_stamp_has_the_given_colour_and_size(
    colour: str, rgb: tuple[int, int, int], page: Path, run: Run, tmp_path: Path
) -> None:
    heights = []
    for size in ("20", "40"):
        flags = [
            "--text-color",
            colour,
            "--font-size",
            size,
            "--margin-right",
            "0.1in",
            "--margin-top",
            "0.1in",
        ]
        (shown,) = render(run("stamp-text", page, "--text", "HHH", *flags), tmp_path / size, 288)
        (before,) = render(page, tmp_path / f"before-{size}", 288)
        left, top, right, bottom = _painted(shown, before)
        heights.append(bottom - top)
        painted = shown[top:bottom, left:right].reshape(-1, 3)
        nearest = np.abs(painted - np.array(rgb)).max(axis=1).min()
        assert nearest <= 3
    assert 1.6 < heights[1] / heights[0] < 2.2


def test_codes_have_the_given_size(page: Path, run: Run, tmp_path: Path) -> None:
    for operation, flags, width in [
        (
            "stamp-barcode",
            [*BARCODE, "--stamp-width", "2", "--stamp-height", "0.5", "--stamp-unit", "in"],
            144,
        ),
        ("stamp-data-matrix", [*CODE, "--stamp-side", "2.54cm"], 72),
        ("stamp-qr", [*CODE, "--stamp-side", "1", "--stamp-unit", "in"], 72),
    ]:
        made = run(operation, page, *flags)
        (shown,), (before,) = (
            render(made, tmp_path / operation, 72),
            render(page, tmp_path / f"b{operation}", 72),
        )
        left, _, right, _ = _painted(shown, before)
        assert width * 0.7 <= right - left <= width + 2, operation


def test_office_documents_become_pdfs_with_their_names(run: Run, tmp_path: Path, oracle: Oracle) -> None:
    letter, table = tmp_path / "a letter.txt", tmp_path / "table.csv"
    letter.write_text("Dear Madam,\nthis is a letter.\n")
    table.write_text("Name;Sum\nÄpfel;12,5\n")
    for operation, source, word in [("doc-to-pdf", letter, "letter"), ("spreadsheet-to-pdf", table, "Äpfel")]:
        made = run(operation, source)
        assert made.name == f"{source.stem}.pdf"
        assert word in oracle("pdftotext", made, "-").stdout
