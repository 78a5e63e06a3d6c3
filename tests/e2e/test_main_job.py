"""The main job, end to end: every sample in every profile, checked by other programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pikepdf
import pytest

import recto
from e2e.rendering import differences
from e2e.support import EXAMPLES, Oracle

DOCUMENTS = ["report.pdf", "scan.pdf", "form.pdf"]
# The largest allowed difference between a page and its original, rendered at 72 dpi: the mean of all pixels, and the
# mean of the worst tile (of 255). Lossy images differ a little everywhere. The profile print converts colours to CMYK,
# and poppler converts CMYK back with another formula.
TOLERANCE = {"web": (1.5, 12.0), "minimalFileSize": (2.5, 20.0), "archive": (0.5, 4.0), "print": (8.0, 60.0)}

EVERY = pytest.mark.parametrize(
    ("name", "profile"), [(name, profile) for name in DOCUMENTS for profile in TOLERANCE], ids="-".join
)


@pytest.fixture(scope="module")
def optimized(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The result of each sample in each profile, by one client."""
    folder = tmp_path_factory.mktemp("optimized")
    made = {}
    with recto.Client() as client:
        for name in DOCUMENTS:
            for profile in TOLERANCE:
                target = folder / f"{profile}-{name}"
                assert client.optimize(EXAMPLES / name, profile=recto.Profile(profile)).save(target) == target
                made[name, profile] = target
    return made


@EVERY
def test_the_result_is_valid(
    name: str, profile: str, optimized: dict[tuple[str, str], Path], oracle: Oracle
) -> None:
    verdict = oracle("qpdf", "--check", optimized[name, profile])
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert "WARNING" not in verdict.stdout + verdict.stderr


@EVERY
def test_the_result_looks_like_its_original(
    name: str, profile: str, optimized: dict[tuple[str, str], Path], tmp_path: Path, oracle: Oracle
) -> None:
    oracle("pdftoppm", "-v")
    mean, tile = TOLERANCE[profile]
    found = differences(EXAMPLES / name, optimized[name, profile], tmp_path, dpi=72)
    assert [page for page in found if page.mean > mean or page.worst_tile > tile] == []


@EVERY
def test_the_result_is_never_larger(name: str, profile: str, optimized: dict[tuple[str, str], Path]) -> None:
    assert optimized[name, profile].stat().st_size <= (EXAMPLES / name).stat().st_size


def test_the_report_for_the_web_is_at_least_two_fifths_smaller(
    optimized: dict[tuple[str, str], Path],
) -> None:
    before = (EXAMPLES / "report.pdf").stat().st_size
    assert optimized["report.pdf", "web"].stat().st_size <= 0.6 * before


def test_the_web_profile_is_linearized(optimized: dict[tuple[str, str], Path], oracle: Oracle) -> None:
    verdict = oracle("qpdf", "--check-linearization", optimized["report.pdf", "web"])
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert "no linearization errors" in verdict.stdout


@pytest.mark.parametrize("profile", TOLERANCE)
def test_the_text_is_kept(profile: str, optimized: dict[tuple[str, str], Path], oracle: Oracle) -> None:
    before, after = (
        oracle("pdftotext", path, "-").stdout
        for path in (EXAMPLES / "report.pdf", optimized["report.pdf", profile])
    )
    assert "Thirty-six lakes" in before
    assert after == before


@pytest.mark.parametrize("profile", TOLERANCE)
def test_bookmarks_links_and_fields_are_kept(profile: str, optimized: dict[tuple[str, str], Path]) -> None:
    for name in ("report.pdf", "form.pdf"):
        assert _furniture(optimized[name, profile]) == _furniture(EXAMPLES / name)


def _furniture(path: Path) -> tuple[list[str], list[int], dict[str, str]]:
    """Titles of the bookmarks, annotations of each page, values of the fields."""
    with pikepdf.open(path) as document:
        with document.open_outline() as outline:
            titles = [item.title for item in outline.root]
        notes = [len(page.get("/Annots", [])) for page in document.pages]
        form = document.Root.get("/AcroForm")
        fields = {str(field.get("/T")): str(field.get("/V")) for field in form.Fields} if form else {}
        return titles, notes, fields


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_command_line_gives_the_same_result(
    name: str, optimized: dict[tuple[str, str], Path], tmp_path: Path, command: str
) -> None:
    target = tmp_path / "small.pdf"
    subprocess.run(
        [command, "optimize", EXAMPLES / name, "--profile", "web", "-o", target], check=True, timeout=60
    )
    assert target.stat().st_size == pytest.approx(optimized[name, "web"].stat().st_size, rel=0.01)
    with pikepdf.open(target) as document, pikepdf.open(EXAMPLES / name) as original:
        assert len(document.pages) == len(original.pages)


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(("name", "pages"), [("scan.png", 1), ("scan.jpg", 1), ("scan.tiff", 2)])
def test_a_scanned_image_becomes_a_document(name: str, pages: int, tmp_path: Path, oracle: Oracle) -> None:
    with recto.Client() as client:
        made = client.image_to_pdf(EXAMPLES / name).save(tmp_path / "scan.pdf")
    assert oracle("qpdf", "--check", made).returncode == 0
    with pikepdf.open(made) as document:
        assert len(document.pages) == pages
