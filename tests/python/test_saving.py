"""Names of results: what a result in a folder is called, and what it may replace; addresses as sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

import recto
from python.loopback import PDF, Loopback

SIGNED = "https://user:signature-0@documents.test/x/annual%20report.pdf?sig=signature-1"


@pytest.fixture
def form(tmp_path: Path) -> Path:
    path = tmp_path / "form.pdf"
    path.write_bytes(PDF + b"the source")
    path.chmod(0o600)
    return path


def test_a_result_in_a_folder_is_named_after_its_source(
    tmp_path: Path, form: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result_name = "../setup.exe"
    (tmp_path / "out").mkdir()
    for _ in range(2):
        assert remote.optimize(form).save(tmp_path / "out") == tmp_path / "out" / "form.pdf"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["form.pdf"]


def test_a_result_in_a_folder_never_replaces_its_source(
    tmp_path: Path, form: Path, remote: recto.Client
) -> None:
    (tmp_path / "linked").symlink_to(tmp_path)
    for folder in [tmp_path, tmp_path / "linked"]:
        with form.open("rb") as file:
            sources: list[Path | str | BinaryIO] = [form, str(form), file]
            for source in sources:
                with pytest.raises(recto.InvalidRequest, match="would replace its source"):
                    remote.optimize(source).save(folder)
    assert form.read_bytes().endswith(b"the source")
    assert remote.optimize(form).save(form) == form
    assert form.read_bytes() == PDF
    assert form.stat().st_mode & 0o777 == 0o600


def test_a_result_does_not_replace_that_of_another_source(
    tmp_path: Path, form: Path, remote: recto.Client
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "form.pdf"
    other.write_bytes(PDF)
    remote.optimize(form).save(tmp_path / "out")
    with pytest.raises(recto.InvalidRequest, match="another document"):
        remote.optimize(other).save(tmp_path / "out")


def test_without_overwriting_an_existing_file_is_an_error(
    tmp_path: Path, form: Path, remote: recto.Client
) -> None:
    before = form.read_bytes()
    with pytest.raises(FileExistsError, match="exists already"):
        remote.optimize(PDF).save(form, overwrite=False)
    assert form.read_bytes() == before
    new = tmp_path / "new.pdf"
    assert remote.optimize(PDF).save(new, overwrite=False) == new
    with pytest.raises(FileExistsError):
        remote.optimize(recto.FileId(remote.files.upload(PDF))).save(new, overwrite=False)


def test_an_address_is_imported_and_never_shown_with_its_query(tmp_path: Path, remote: recto.Client) -> None:
    (tmp_path / "out").mkdir()
    operation = remote.optimize(SIGNED)
    assert operation.save(tmp_path / "out") == tmp_path / "out" / "annual report.pdf"
    texts = [repr(operation)]
    for item in remote.batch("optimize", [SIGNED], to=tmp_path / "batch", journal=tmp_path / "journal"):
        assert item.error is None
        texts += [repr(item), str(item.source)]
    texts.append((tmp_path / "journal").read_text())
    calls: list[Callable[[], object]] = [
        lambda: remote.optimize(Path(SIGNED)),
        lambda: remote.batch("optimize", SIGNED),
        lambda: remote.optimize(PDF).save(SIGNED),
    ]
    for call in calls:
        with pytest.raises((recto.Error, TypeError, OSError)) as caught:
            call()
        texts += [str(caught.value), repr(caught.value), repr(vars(caught.value))]
        assert getattr(caught.value, "filename", None) is None
    assert not [text for text in texts if "signature" in text], texts
