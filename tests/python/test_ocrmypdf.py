"""The OCRmyPDF plugin: OCRmyPDF runs with it, without Ghostscript, pngquant and jbig2enc on the PATH.

Tesseract recognizes one page; the other runs have no OCR engine, because the plugin does not change OCR.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ocrmypdf
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest
from ocrmypdf._plugin_manager import get_plugin_manager
from ocrmypdf.api import setup_plugin_infrastructure
from ocrmypdf.exceptions import BadArgsError, ExitCode, InputFileError
from ocrmypdf.helpers import Resolution
from ocrmypdf.pluginspec import GhostscriptRasterDevice

import recto
from python.conftest import EXAMPLES
from recto.ocrmypdf import _client, _optimize, _pdfa, _raster

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module", autouse=True)
def ended_client() -> Iterator[None]:
    """Ends the client that the plugin keeps until the process ends.

    Otherwise, the tests of other modules would share its embedded service and find the files in it: exceptions that
    `pytest.raises` caught keep operations, and so their files, until the garbage collector runs.
    """
    yield
    _client.client().close()
    _client.client.cache_clear()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PATH with Tesseract alone."""
    folder = tmp_path_factory.mktemp("programs")
    found = shutil.which("tesseract")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("tesseract is not installed")
        pytest.skip("tesseract is not installed")
    (folder / "tesseract").symlink_to(found)
    return folder


def ocr(programs: Path, source: Path, target: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "ocrmypdf",
        "--output-type",
        "pdfa-2",
        *arguments,
        str(source),
        str(target),
    ]
    environment = {**os.environ, "PATH": str(programs)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


def text(document: Path) -> str:
    with pypdfium2.PdfDocument(document) as pdf:
        return " ".join(page.get_textpage().get_text_bounded() for page in pdf)


def pixels(document: Path) -> list[bytes]:
    with pypdfium2.PdfDocument(document) as pdf:
        return [page.render(scale=1).to_pil().convert("L").tobytes() for page in pdf]


def conforms(document: Path, conformance: str) -> bool:
    with recto.Client() as client:
        report = client.validate(document, conformance=conformance).result().validation
    return report is not None and report.is_conforming is True


@pytest.fixture(scope="module")
def archived(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that Tesseract recognized, as PDF/A by Recto."""
    folder = tmp_path_factory.mktemp("ocr")
    picture = PIL.Image.new("L", (900, 300), 255)
    PIL.ImageDraw.Draw(picture).text((60, 80), "Highland Waters", 0, PIL.ImageFont.load_default(96))
    picture.save(folder / "scan.png", dpi=(200, 200))
    arguments = ["--pdfa-backend", "ghostscript", "--title", "Läden", "--optimize", "0"]
    run = ocr(programs, folder / "scan.png", folder / "archived.pdf", *arguments)
    assert run.returncode == 0, run.stderr
    return folder / "archived.pdf"


def test_a_scan_becomes_a_searchable_archive_without_ghostscript(archived: Path) -> None:
    assert conforms(archived, "pdf_a2_b")
    assert text(archived).split() == ["Highland", "Waters"]
    with pikepdf.open(archived) as pdf, pdf.open_metadata() as metadata:
        assert metadata["dc:title"] == "Läden"
        assert metadata.pdfa_status == "2B"
        assert str(pdf.docinfo["/Title"]) == "Läden"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_optimizing_keeps_the_text_the_metadata_and_the_conformance(
    level: int, archived: Path, tmp_path: Path
) -> None:
    job = _optimize.Job(archived, tmp_path / "out.pdf", "pdfa-2", linearize=True)
    made, comments = _optimize.optimize(job, level)
    assert made == job.target
    assert conforms(made, "pdf_a2_b"), comments
    assert text(made) == text(archived)
    with pikepdf.open(made) as pdf, pdf.open_metadata() as metadata:
        assert pdf.is_linearized
        assert metadata["dc:title"] == "Läden"
        assert str(pdf.docinfo["/Title"]) == "Läden"


def test_level_1_is_lossless_and_level_3_smaller(tmp_path: Path) -> None:
    source = EXAMPLES / "report.pdf"
    sizes = {}
    for level in (1, 3):
        job = _optimize.Job(source, tmp_path / f"{level}.pdf", "pdf", linearize=False)
        made, _ = _optimize.optimize(job, level)
        sizes[level] = made.stat().st_size
    assert pixels(tmp_path / "1.pdf") == pixels(source)
    assert sizes[3] < sizes[1] < source.stat().st_size


def test_a_profile_that_loses_the_conformance_is_not_used(
    archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Path] = []

    def refuse_all(document: Path, _: str) -> bool:
        checked.append(document)
        return False

    monkeypatch.setattr(_optimize, "conforms", refuse_all)
    job = _optimize.Job(archived, tmp_path / "out.pdf", "pdfa-2", linearize=False)
    made, comments = _optimize.optimize(job, 3)
    assert made == archived
    assert job.target.read_bytes() == archived.read_bytes()
    assert checked
    assert len(comments) == len(checked)


def test_what_cannot_be_made_smaller_is_returned_unchanged(tmp_path: Path) -> None:
    first = _optimize.Job(EXAMPLES / "report.pdf", tmp_path / "1.pdf", "pdf", linearize=False)
    small, _ = _optimize.optimize(first, 1)
    again, _ = _optimize.optimize(_optimize.Job(small, tmp_path / "2.pdf", "pdf", linearize=False), 1)
    assert again == small
    assert (tmp_path / "2.pdf").read_bytes() == small.read_bytes()


@pytest.mark.parametrize("part", ["2", "2b", "3", "3B"])
def test_several_documents_become_one_archive(part: str, tmp_path: Path) -> None:
    documents = [EXAMPLES / "form.pdf", EXAMPLES / "report.pdf"]
    _pdfa.convert(documents, tmp_path / "out.pdf", _pdfa.conformance(part))
    assert conforms(tmp_path / "out.pdf", f"pdf_a{part[0]}_b")
    with pikepdf.open(tmp_path / "out.pdf") as merged:
        assert len(merged.pages) == 9


def test_pdfa_1_is_refused_with_what_to_do(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(_pdfa.NotConvertedError, match="--output-type pdfa-2"):
        _pdfa.conformance("1")
    arguments = ["--pdfa-backend", "ghostscript", "--output-type", "pdfa-1"]
    run = ocr(programs, EXAMPLES / "scan.pdf", tmp_path / "out.pdf", *arguments)
    assert run.returncode == ExitCode.bad_args
    assert "not to PDF/A-1. Use --output-type pdfa-2" in " ".join(run.stderr.split())
    assert not (tmp_path / "out.pdf").exists()


def test_a_document_that_cannot_be_converted_has_the_exit_code_for_it(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
    with pytest.raises(_pdfa.NotConvertedError, match="--output-type pdf") as failure:
        _pdfa.convert([tmp_path / "broken.pdf"], tmp_path / "out.pdf", "pdf_a2_b")
    assert failure.value.exit_code == ExitCode.pdfa_conversion_failed
    assert not (tmp_path / "out.pdf").exists()


def test_auto_makes_an_archive_where_ocrmypdf_alone_makes_none(programs: Path, tmp_path: Path) -> None:
    # OCRmyPDF's own conversion does not embed fonts, and this font is not embedded.
    with pikepdf.open(EXAMPLES / "scan.pdf") as pdf:
        del pdf.pages[1:]
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
        name = pdf.pages[0].add_resource(pdf.make_indirect(font), pikepdf.Name.Font)
        pdf.pages[0].contents_add(b"BT %s 12 Tf 20 20 Td (remark) Tj ET" % bytes(name))
        pdf.save(tmp_path / "in.pdf")
    arguments = ["--output-type", "auto", "--ocr-engine", "none", "--mode", "skip", "-v1"]
    run = ocr(programs, tmp_path / "in.pdf", tmp_path / "out.pdf", *arguments)
    assert run.returncode == 0, run.stderr
    assert conforms(tmp_path / "out.pdf", "pdf_a2_b")
    assert "remark" in text(tmp_path / "out.pdf")


def rasterized(tmp_path: Path, source: Path, device: str = "png16m", **changes: Any) -> PIL.Image.Image:
    """A page through the hook of OCRmyPDF's plugin manager."""
    settings: dict[str, Any] = {
        "raster_dpi": Resolution(100.0, 100.0), "pageno": 1, "page_dpi": None, "rotation": 0, "options": None,
        "filter_vector": False, "stop_on_soft_error": True, "use_cropbox": False,
    }  # fmt: skip
    target = tmp_path / f"page.{device}"
    plugins = setup_plugin_infrastructure(plugins=[])
    made = plugins.rasterize_pdf_page(
        input_file=source, output_file=target, raster_device=device, **(settings | changes)
    )
    assert made == target
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".page.pdf")] == []
    with PIL.Image.open(target) as image:
        image.load()
        return image


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of 2 x 1 inches, turned by 90 degrees, in a smaller crop box, with a black quarter and a user unit."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(144, 72))
    pdf.pages[0].Contents = pdf.make_stream(b"0 g 0 0 72 36 re f")
    pdf.pages[0].CropBox = pikepdf.Array([0, 0, 72, 36])
    pdf.pages[0].Rotate = 90
    pdf.pages[0].UserUnit = 3
    pdf.save(tmp_path / "page.pdf")
    return tmp_path / "page.pdf"


@pytest.mark.parametrize(
    ("device", "mode", "kind"),
    [
        ("pngmono", "1", "PNG"), ("pngmonod", "1", "PNG"), ("pnggray", "L", "PNG"), ("png256", "P", "PNG"),
        ("png16m", "RGB", "PNG"), ("jpeg", "RGB", "JPEG"), ("jpeggray", "L", "JPEG"),
    ],
)  # fmt: skip
def test_each_device_has_its_kind_of_image(
    device: str, mode: str, kind: str, tmp_path: Path, page: Path
) -> None:
    image = rasterized(tmp_path, page, device)
    assert (image.mode, image.format, image.size) == (mode, kind, (100, 200))
    assert image.info["dpi"] == pytest.approx((100, 100), abs=0.1)


def test_a_page_has_the_requested_resolutions_turn_and_box(tmp_path: Path, page: Path) -> None:
    uneven = rasterized(tmp_path, page, raster_dpi=Resolution(600.0, 300.0), page_dpi=Resolution(60.0, 30.0))
    assert uneven.size == (600, 600)
    assert uneven.info["dpi"] == pytest.approx((60, 30), abs=0.1)
    # The black quarter is at the lower left of the page, which is turned clockwise: it is at the upper left.
    assert [uneven.getpixel(at) for at in ((10, 10), (590, 10), (10, 590))] == [
        (0, 0, 0), (255, 255, 255), (255, 255, 255),
    ]  # fmt: skip
    turned = rasterized(tmp_path, page, rotation=90, page_dpi=Resolution(60.0, 30.0))
    assert turned.size == (200, 100)
    assert turned.info["dpi"] == pytest.approx((30, 60), abs=0.1)
    assert turned.getpixel((10, 90)) == (0, 0, 0)
    cropped = rasterized(tmp_path, page, use_cropbox=True)
    assert cropped.size == (50, 100)
    assert cropped.convert("L").getextrema() == (0, 0)


def test_only_the_page_that_is_requested_is_rendered(tmp_path: Path) -> None:
    first = rasterized(tmp_path, EXAMPLES / "report.pdf", pageno=1)
    third = rasterized(tmp_path, EXAMPLES / "report.pdf", pageno=3)
    with pypdfium2.PdfDocument(EXAMPLES / "report.pdf") as pdf:
        expected = pdf[2].render(scale=2).to_pil().convert("L").resize((83, 117))
    difference = [
        abs(a - b)
        for a, b in zip(third.convert("L").resize((83, 117)).tobytes(), expected.tobytes(), strict=True)
    ]
    assert sum(difference) / len(difference) < 4
    assert first.tobytes() != third.tobytes()


def test_vector_graphics_are_removed_if_requested_and_images_and_text_stay(
    tmp_path: Path, page: Path
) -> None:
    assert rasterized(tmp_path, page, "pnggray", filter_vector=True).getextrema() == (255, 255)
    scan = rasterized(tmp_path, EXAMPLES / "scan.pdf", "pnggray", filter_vector=True)
    assert scan.tobytes() == rasterized(tmp_path, EXAMPLES / "scan.pdf", "pnggray").tobytes()


def test_a_page_that_is_too_large_is_a_soft_error(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(100, 100))
    pdf.save(tmp_path / "blank.pdf")
    huge = Resolution(72_000.0, 72_000.0)
    with pytest.raises(InputFileError, match="--continue-on-soft-render-error"):
        rasterized(tmp_path, tmp_path / "blank.pdf", "pngmono", raster_dpi=huge)


def test_an_unknown_device_is_refused(page: Path, tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="tiffg4"):
        rasterized(tmp_path, page, "tiffg4")
    assert {device.value for device in GhostscriptRasterDevice} == set(_raster._MODES)


@pytest.mark.parametrize("plugins", [[], ["recto.ocrmypdf"]], ids=["entry point", "--plugin"])
def test_the_plugin_is_loaded_once_and_replaces_what_needs_other_programs(plugins: list[str]) -> None:
    manager = setup_plugin_infrastructure(plugins=plugins).pluggy_manager
    names = {name for name, plugin in manager.list_name_plugin() if plugin is not None}
    assert names & {"recto", "recto.ocrmypdf"} == ({"recto.ocrmypdf"} if plugins else {"recto"})
    assert not {name for name in names if name.endswith(("ghostscript", "builtin_plugins.optimize"))}


def test_a_worker_process_uses_the_plugin_too() -> None:
    copy = pickle.loads(pickle.dumps(get_plugin_manager([])))
    first = copy.pluggy_manager.hook.rasterize_pdf_page.get_hookimpls()[-1]
    assert first.plugin_name == "recto"


def test_pypdfium_is_used_if_it_was_chosen(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        pytest.fail("Recto was called")

    monkeypatch.setattr(_raster, "rasterize", fail)
    manager = setup_plugin_infrastructure(plugins=[])
    options = ocrmypdf.OcrOptions(input_file=page, output_file=tmp_path / "out.pdf", rasterizer="pypdfium")
    assert rasterized(tmp_path, page, options=options).size[0] > 0
    assert manager.pluggy_manager is not None


def parsed(*arguments: str) -> tuple[Any, Any]:
    from ocrmypdf.cli import get_options_and_plugins

    return get_options_and_plugins([*arguments, "in.pdf", "out.pdf"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--color-conversion-strategy", "CMYK"],
        ["--pdfa-image-compression", "jpeg"],
        ["--ghostscript-jpeg-quality", "50"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_options_that_only_ghostscript_implements_are_refused(arguments: list[str]) -> None:
    options, plugins = parsed("--output-type", "pdfa", *arguments)
    with pytest.raises(BadArgsError, match=arguments[0]):
        plugins.check_options(options=options)


def test_levels_2_and_3_need_no_other_programs(monkeypatch: pytest.MonkeyPatch, programs: Path) -> None:
    monkeypatch.setenv("PATH", str(programs))
    options, plugins = parsed("--output-type", "pdfa", "--optimize", "3")
    plugins.check_options(options=options)
    assert options.output_type == "pdfa-2"
