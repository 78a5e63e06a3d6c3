"""The OCRmyPDF plugin: Recto makes PDF/A, optimizes and rasterizes in place of Ghostscript, pngquant and jbig2enc.

OCRmyPDF finds it by its entry point when Recto is installed in the same environment: `pip install recto[ocrmypdf]`.
Where entry points are not read, `ocrmypdf --plugin recto.ocrmypdf` loads it.

Recto works wherever OCRmyPDF would call Ghostscript, so the choices `--pdfa-backend ghostscript` and
`--rasterizer ghostscript` select Recto too. `--rasterizer pypdfium` and `--pdfa-backend internal` avoid it.
"""

from __future__ import annotations

import logging
import shutil
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pluggy
from ocrmypdf import OcrOptions, PdfContext, hookimpl
from ocrmypdf.builtin_plugins import ghostscript as builtin_ghostscript
from ocrmypdf.builtin_plugins import optimize as builtin_optimize
from ocrmypdf.exceptions import BadArgsError
from ocrmypdf.helpers import Resolution
from pydantic import BaseModel

from recto.ocrmypdf import _optimize, _pdfa, _raster

__all__ = ["entry"]

log: logging.Logger = logging.getLogger(__name__)

# The name of the entry point in pyproject.toml.
_ENTRY_NAME = "recto"

# The plugins of OCRmyPDF that call Ghostscript, pngquant and jbig2enc, and refuse to run without them.
_REPLACED = (builtin_ghostscript, builtin_optimize)


@hookimpl
def initialize(plugin_manager: pluggy.PluginManager) -> None:
    """Replace the plugins of OCRmyPDF that need Ghostscript and its helpers."""
    for module in _REPLACED:
        plugin_manager.set_blocked(module.__name__)
    # With `--plugin recto.ocrmypdf`, the plugin is loaded a second time. Options may be added only once.
    if plugin_manager.has_plugin(__name__) and plugin_manager.has_plugin(_ENTRY_NAME):
        plugin_manager.unregister(name=_ENTRY_NAME)


@hookimpl
def register_options() -> dict[str, type[BaseModel]]:
    """Keep the options of the replaced plugins: OCRmyPDF itself reads them."""
    return {
        "ghostscript": builtin_ghostscript.GhostscriptOptions,
        "optimize": builtin_optimize.OptimizeOptions,
    }


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    """Keep the command line of the replaced plugins."""
    for module in _REPLACED:
        module.add_options(parser)


@hookimpl
def check_options(options: OcrOptions) -> None:
    """Refuse the options that only Ghostscript implements, and name those that have no effect."""
    if options.output_type == "pdfa":
        options.output_type = "pdfa-2"
    if options.output_type == "auto" or options.output_type.startswith("pdfa"):
        refused = _pdfa.refused(options)
        if refused:
            raise BadArgsError(
                f"{', '.join(refused)} needs Ghostscript, which the plugin recto.ocrmypdf replaces. Leave the option "
                "out, or uninstall recto."
            )
    if options.pdfa_backend == "ghostscript" and options.output_type == "pdfa-1":
        raise BadArgsError(_pdfa.NOT_OUR_PART.format(part="1"))
    ignored = [
        name
        for name, value in (("--jpeg-quality", options.jpeg_quality), ("--png-quality", options.png_quality))
        if value
    ]
    if ignored and options.optimize:
        log.warning("%s has no effect: Recto's profiles define the quality of images", ", ".join(ignored))


@hookimpl
def rasterize_pdf_page(
    input_file: Path,
    output_file: Path,
    raster_device: str,
    raster_dpi: Resolution[float],
    pageno: int,
    page_dpi: Resolution[float] | None,
    rotation: int | None,
    filter_vector: bool,
    stop_on_soft_error: bool,
    options: OcrOptions | None,
    use_cropbox: bool,
) -> Path | None:
    """Rasterize a page, unless the user chose pypdfium."""
    if options is not None and options.rasterizer == "pypdfium":
        return None
    page = _raster.Page(Path(input_file), pageno, use_cropbox=use_cropbox, filter_vector=filter_vector)
    image = _raster.Image(str(raster_device), raster_dpi, page_dpi or raster_dpi, rotation or 0)
    _raster.rasterize(page, image, Path(output_file), stop_on_soft_error=stop_on_soft_error)
    return output_file


@hookimpl
def generate_pdfa(
    pdf_pages: Sequence[Path],
    output_file: Path,
    pdfa_part: str,
    progressbar_class: Any,
) -> Path:
    """Merge the documents, and convert them to PDF/A."""
    conformance = _pdfa.conformance(pdfa_part)
    if progressbar_class is None:
        _pdfa.convert(list(pdf_pages), Path(output_file), conformance)
        return output_file
    with progressbar_class(total=1, desc="PDF/A conversion", unit="file") as progress:
        _pdfa.convert(list(pdf_pages), Path(output_file), conformance)
        progress.update()
    return output_file


@hookimpl
def optimize_pdf(
    input_pdf: Path, output_pdf: Path, context: PdfContext, linearize: bool
) -> tuple[Path, Sequence[str]]:
    """Optimize the document at the level of `--optimize`."""
    options = context.options
    output_type = options.output_type
    if output_type == "auto":
        # OCRmyPDF records here which type it achieved. Without Ghostscript on this machine it does not call
        # `generate_pdfa` for `auto`, so a document that its own conversion refused is converted here.
        output_type = options.extra_attrs.get("_actual_output_type", "pdf")
        if output_type == "pdf" and options.pdfa_backend != "internal":
            archived = context.get_path("recto-pdfa.pdf")
            if _pdfa.try_convert(Path(input_pdf), archived):
                options.extra_attrs["_actual_output_type"] = output_type = "pdfa-2"
                input_pdf = archived
    job = _optimize.Job(Path(input_pdf), Path(output_pdf), str(output_type), linearize=linearize)
    if options.optimize == 0:
        if linearize and job.source.name == "recto-pdfa.pdf":
            _optimize.rewrite(job, job.source)
            return output_pdf, ["Optimization was disabled."]
        shutil.copyfile(job.source, job.target)
        return output_pdf, ["Optimization was disabled."]
    return _optimize.optimize(job, options.optimize)


@hookimpl
def is_optimization_enabled(context: PdfContext) -> bool:
    """Whether the level of `--optimize` is above 0."""
    return context.options.optimize != 0


# What the entry point registers. It is not this module, because OCRmyPDF refuses to register one object twice.
entry: SimpleNamespace = SimpleNamespace(
    initialize=initialize,
    register_options=register_options,
    add_options=add_options,
    check_options=check_options,
    rasterize_pdf_page=rasterize_pdf_page,
    generate_pdfa=generate_pdfa,
    optimize_pdf=optimize_pdf,
    is_optimization_enabled=is_optimization_enabled,
)
