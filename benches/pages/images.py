"""Checks `image-to-pdf` and `pdf-to-tiff-fax` with tifffile, libtiff, qpdf and poppler as oracles.

    python benches/pages/images.py images FOLDER...   # TIFF, PNG and JPEG files: are all pixels unchanged?
    python benches/pages/images.py fax FOLDER...      # PDF files: is each fax valid, and decoded equally by all?

Images: the samples that qpdf extracts from the PDF are compared with those that tifffile reads from the file. A JPEG
file must be in the PDF byte for byte. Fax: tiffinfo must report no warning, and libtiff and poppler must decode the
same dots.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pikepdf
import tifffile
from common import made, operate, pdfs, table
from PIL import Image, ImageSequence

KINDS = (".tif", ".tiff", ".png", ".jpg", ".jpeg")


def main() -> None:
    """Checks images or fax pages."""
    match sys.argv[1:]:
        case ["images", *folders] if folders:
            every(images_of(folders), image)
        case ["fax", *folders] if folders:
            every(pdfs(folders), fax)
        case _:
            sys.exit(__doc__)


def images_of(folders: list[str]) -> list[Path]:
    """All images below some folders."""
    found = [path for folder in folders for path in sorted(Path(folder).rglob("*"))]
    return [path for path in found if path.suffix.lower() in KINDS]


def every(files: list[Path], check: Callable[[Path, Path], str]) -> None:
    """Checks each file in its own temporary folder, and prints the verdicts."""
    counts: Counter[str] = Counter()
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            verdict = check(file, Path(folder))
        counts[verdict.split(":")[0]] += 1
        if verdict != "equal":
            print(f"{file}: {verdict}", flush=True, file=sys.stderr)
    table(["verdict", "files"], counts.most_common())


def image(file: Path, folder: Path) -> str:
    """The verdict on an image."""
    outcome, message = operate([file], "image-to-pdf", keep=folder)[file]
    pdf = made(folder, file, "image-to-pdf")
    if not pdf:
        return f"not converted, {outcome}: {message}"
    if file.suffix.lower() in (".jpg", ".jpeg"):
        return (
            "equal" if file.read_bytes().rstrip(b"\0") in pdf.read_bytes() else "differs: not the same bytes"
        )
    try:
        wanted = list(samples_of_file(file))
    except Exception as error:
        return f"not compared: tifffile cannot read it ({type(error).__name__})"
    if any(page is None for page in wanted):
        return "not compared: signed samples, floating point samples and premultiplied alpha have no defined appearance"
    with pikepdf.open(pdf) as document:
        found = [
            samples_in_pdf(next(iter(page.get_images().values())), pdf, number)
            for number, page in enumerate(document.pages, 1)
        ]
    if len(found) != len(wanted):
        return f"differs: {len(found)} images of {len(wanted)}"
    worst = 0.0
    for shown, page in zip(found, wanted, strict=True):
        if shown is None:
            return "not compared: lossy compression"
        if page.shape[2] in (2, 4, 5) and shown.shape[2] == page.shape[2] - 1:
            page = page[:, :, :-1]
        if shown.shape != page.shape:
            return f"differs: {shown.shape} instead of {page.shape}"
        worst = max(worst, float(np.abs(shown - page).max()) * 255)
    # Bit depths that PDF does not support are converted to the next supported one, which rounds the samples. JPEG
    # decoders round differently from each other.
    most = 1.01 if coded_as_jpeg(file) else 0.51
    return "equal" if worst <= most else f"differs: by up to {worst:.1f} of 255 levels"


def coded_as_jpeg(file: Path) -> bool:
    """Whether a TIFF file contains JPEG data."""
    if file.suffix.lower() == ".png":
        return False
    with tifffile.TiffFile(file) as whole:
        return whole.pages[0].compression in (6, 7)


def samples_of_file(file: Path) -> Iterator[np.ndarray | None]:
    """The samples of each image of a file, from 0 to 1, with palettes resolved; `None` if they have no meaning."""
    if file.suffix.lower() == ".png":
        yield np.atleast_3d(np.asarray(Image.open(file).convert("RGB"))) / 255
        return
    with tifffile.TiffFile(file) as whole:
        for page in whole.pages:
            if page.subfiletype & 1:
                continue
            data = page.asarray()
            multiplied = 1 in page.extrasamples
            if data.dtype.kind not in "ub" or page.photometric not in (0, 1, 2, 3, 5) or multiplied:
                yield None
                continue
            # libtiff reads 24-bit samples in the byte order of the file, but tifffile always in big-endian order.
            if page.bitspersample == 24 and whole.byteorder == "<":
                low, middle, high = data & 0xFF, data >> 8 & 0xFF, data >> 16
                data = low << 16 | middle << 8 | high
            if page.samplesperpixel > 1 and page.planarconfig == 2:
                data = np.moveaxis(data, 0, -1)
            data = np.atleast_3d(data)
            if page.photometric == 3:
                yield page.colormap[:, data[:, :, 0]].transpose(1, 2, 0) // 256 / 255
                continue
            scaled = data / (2**page.bitspersample - 1)
            yield 1 - scaled if page.photometric == 0 else scaled


def samples_in_pdf(image: pikepdf.Object, pdf: Path, number: int) -> np.ndarray | None:
    """The samples of an image in a PDF, from 0 to 1, decoded by qpdf, or by poppler for fax data."""
    named = image.get("/Filter")
    filters = [str(name) for name in named] if isinstance(named, pikepdf.Array) else [str(named)]
    if "/DCTDecode" in filters:
        return None
    width, height, bits = (int(image[key]) for key in ("/Width", "/Height", "/BitsPerComponent"))
    space = image["/ColorSpace"]
    name = str(space if isinstance(space, pikepdf.Name) else space[0])
    if "/CCITTFaxDecode" in filters:
        line = [
            "pdfimages",
            "-png",
            "-f",
            str(number),
            "-l",
            str(number),
            str(pdf),
            str(pdf.parent / f"fax{number}"),
        ]
        subprocess.run(line, check=True, capture_output=True)
        return np.asarray(Image.open(pdf.parent / f"fax{number}-000.png").convert("L"))[:, :, None] / 255
    channels = {"/DeviceGray": 1, "/CalGray": 1, "/Indexed": 1, "/DeviceCMYK": 4}.get(name, 3)
    if name == "/ICCBased":
        channels = int(space[1]["/N"])
    rows = np.frombuffer(image.read_bytes(), np.uint8).reshape(height, -1)
    if bits == 16:
        values = rows.view(">u2").astype(np.uint16)
    else:
        parts = np.unpackbits(rows, axis=1).reshape(height, -1, bits)
        values = parts.dot(1 << np.arange(bits)[::-1]).astype(np.uint16)
    values = values[:, : width * channels].reshape(height, width, channels)
    if name == "/Indexed":
        colors = np.frombuffer(bytes(space[3]), np.uint8).reshape(-1, 3)
        return colors[values[:, :, 0]] / 255
    shown = values / (2**bits - 1)
    inverted = "/Decode" in image and float(image["/Decode"][0]) > float(image["/Decode"][1])
    return 1 - shown if inverted else shown


def fax(file: Path, folder: Path) -> str:
    """The verdict on a document's fax."""
    outcome, message = operate([file], "pdf-to-tiff-fax", keep=folder)[file]
    tiff = made(folder, file, "pdf-to-tiff-fax")
    if not tiff:
        return f"not converted, {outcome}: {message}"
    said = subprocess.run(["tiffinfo", "-D", str(tiff)], capture_output=True, text=True, check=False)
    complaints = [
        line for line in (said.stdout + said.stderr).splitlines() if "arning" in line or "rror" in line
    ]
    if complaints or said.returncode != 0:
        return f"tiffinfo complains: {complaints}"
    # Decode the fax in two ways: with libtiff, and with poppler after image-to-pdf, which keeps the coded rows.
    plain = folder / "plain.tif"
    subprocess.run(["tiffcp", "-c", "none", str(tiff), str(plain)], check=True, capture_output=True)
    pdf = made(folder, tiff, "image-to-pdf") if operate([tiff], "image-to-pdf", keep=folder) else None
    if not pdf:
        return "differs: the fax cannot be converted back"
    subprocess.run(["pdfimages", "-png", str(pdf), str(folder / "out")], check=True, capture_output=True)
    with Image.open(plain) as pages:
        for page, other in zip(ImageSequence.Iterator(pages), sorted(folder.glob("out-*.png")), strict=True):
            dots, others = (np.asarray(one.convert("L")) for one in (page, Image.open(other)))
            if dots.shape != others.shape or (dots != others).any():
                return "differs: libtiff and poppler decode different dots"
    return "equal"


if __name__ == "__main__":
    main()
