"""Makes the sample documents: report.pdf, scan.pdf, form.pdf, and scan.png, scan.jpg and scan.tiff.

    python examples/make_examples.py [FOLDER]        # default: the folder of this script

The documents are committed; run this only to change them. Needs the `examples` dependency group of pyproject.toml.
The same versions of these packages make the same bytes; other versions make equivalent documents.
"""

from __future__ import annotations

import sys
from pathlib import Path

from making import form, report, scan


def main(folder: Path) -> None:
    """Writes every sample into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    report.write(folder / "report.pdf")
    scan.write_pdf(folder / "scan.pdf")
    scan.write_images(folder)
    form.write(folder / "form.pdf")
    for made in sorted(folder.glob("*.[pjt][dnpi][fg]*")):
        print(f"{made.stat().st_size:>10,}  {made}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
