"""Optimization by Recto, at the levels of OCRmyPDF: lossless at 1, with images reduced at 2 and 3.

A document that declares PDF/A is validated after each attempt. An attempt that no longer conforms is discarded, and
the next one, which changes less, is made.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pikepdf
from ocrmypdf.pdfa import get_pdf_save_settings

import recto
from recto.ocrmypdf._client import client

Profile = Literal["archive", "web", "minimalFileSize"]

# The profiles of each level, and the ones that are used instead if the first loses the conformance or saves nothing.
# Only `archive` is lossless.
_PROFILES: dict[int, tuple[Profile, ...]] = {
    1: ("archive",),
    2: ("web", "archive"),
    3: ("minimalFileSize", "web", "archive"),
}

# The entries of the catalog that the profile `minimalFileSize` removes. They describe the document, and OCRmyPDF
# promises to keep them.
_KEPT = ("/Metadata", "/OutputIntents")


@dataclass(frozen=True)
class Job:
    """A document to optimize, and how the result is saved."""

    source: Path
    target: Path
    output_type: str
    linearize: bool


def optimize(job: Job, level: int) -> tuple[Path, Sequence[str]]:
    """Write the smallest acceptable version; return its path, or the source's if none is smaller, and comments.

    OCRmyPDF reads the size of the target in any case, so the target then is a copy of the source.
    """
    declared = declared_conformance(job.source)
    size = job.source.stat().st_size
    comments: list[str] = []
    for profile in _PROFILES[level]:
        attempt = job.target.with_name(f"{job.target.stem}-{profile}.pdf")
        try:
            client().optimize(job.source, profile=profile).save(attempt)
        except recto.Error as error:
            comments.append(f"Recto could not optimize the document: {error}")
            break
        rewrite(job, attempt)
        if job.target.stat().st_size >= size:
            continue
        if declared is None or conforms(job.target, declared):
            return job.target, comments
        comments.append(f"The profile {profile} was not used: the result would not be valid PDF/A.")
    if job.linearize:
        rewrite(job, job.source)
        return job.target, comments
    shutil.copyfile(job.source, job.target)
    return job.source, comments


def rewrite(job: Job, attempt: Path) -> None:
    """Write the attempt to the target: with the metadata of the source, linearized if requested.

    PDF/A-1 permits no object streams, which Recto writes.
    """
    with pikepdf.open(attempt) as pdf, pikepdf.open(job.source) as before:
        lost = [key for key in _KEPT if key in before.Root and key not in pdf.Root]
        described = "/Info" not in before.trailer or "/Info" in pdf.trailer
        finished = not lost and described and (pdf.is_linearized or not job.linearize)
        if finished and job.output_type != "pdfa-1":
            attempt.replace(job.target)
            return
        for key in lost:
            pdf.Root[key] = pdf.copy_foreign(before.make_indirect(before.Root[key]))
        if not described:
            pdf.trailer["/Info"] = pdf.copy_foreign(before.trailer["/Info"])
        settings: dict[str, Any] = {**get_pdf_save_settings(job.output_type), "linearize": job.linearize}
        pdf.save(job.target, **settings)


def declared_conformance(document: Path) -> str | None:
    """The PDF/A level that a document declares, such as `pdf_a2_b`."""
    with pikepdf.open(document) as pdf, pdf.open_metadata() as metadata:
        status = metadata.pdfa_status
    return f"pdf_a{status[0]}_{status[1:].lower()}" if len(status) > 1 else None


def conforms(document: Path, conformance: str) -> bool:
    """Whether Recto's validator accepts the document at this level."""
    try:
        report = client().validate(document, conformance=conformance).result().validation
    except recto.Error:
        return False
    return report is not None and report.is_conforming is True
