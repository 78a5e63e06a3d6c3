"""Sizes of optimized documents beside Ghostscript's and qpdf's, how alike their pages are, and the time.

sizes.py FOLDER...
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

from common import alike, machine, pdfs, program, table, timed

PROFILES = {"minimalFileSize": "/screen", "web": "/ebook", "print": "/printer"}


def main() -> None:
    """Measures."""
    documents = pdfs(sys.argv[1:])
    makers: dict[str, list[tuple[Path, Path, float]]] = {}
    left_out = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number, document in enumerate(documents):
            made: dict[str, tuple[Path, float]] = {}
            for profile in (*PROFILES, "archive"):
                keep = folder / f"{number}-{profile}"
                wanted = f"optimize={json.dumps({'profile': profile})}"
                _, seconds = timed(
                    [program("sweep"), "-o", wanted, "-k", str(keep), "-s", "60", str(document)]
                )
                found = list(keep.glob("*.pdf")) if keep.is_dir() else []
                if found:
                    made[profile] = (found[0], seconds)
            for setting in PROFILES.values():
                target = folder / f"{number}-gs{setting[1:]}.pdf"
                line = [
                    "gs",
                    "-q",
                    "-sDEVICE=pdfwrite",
                    f"-dPDFSETTINGS={setting}",
                    "-o",
                    str(target),
                    str(document),
                ]
                status, seconds = timed(line)
                if not status and target.is_file():
                    made[f"gs {setting}"] = (target, seconds)
            target = folder / f"{number}-qpdf.pdf"
            line = ["qpdf", "--object-streams=generate", "--recompress-flate", "--compression-level=9"]
            status, seconds = timed([*line, "--optimize-images", str(document), str(target)])
            if status in (0, 3) and target.is_file():
                made["qpdf"] = (target, seconds)
            # Totals are compared on the documents that everyone made something of.
            if len(made) < 8:
                left_out += 1
                continue
            for name, (path, seconds) in made.items():
                makers.setdefault(name, []).append((document, path, seconds))
        rows = []
        for name in (
            "minimalFileSize",
            "gs /screen",
            "web",
            "gs /ebook",
            "print",
            "gs /printer",
            "archive",
            "qpdf",
        ):
            files = makers.get(name, [])
            before = sum(document.stat().st_size for document, *_ in files)
            after = sum(path.stat().st_size for _, path, _ in files)
            like = [value for document, path, _ in files if (value := alike(document, path)) is not None]
            larger = sum(path.stat().st_size > document.stat().st_size for document, path, _ in files)
            unsound = sum(
                subprocess.run(["qpdf", "--check", str(path)], capture_output=True, check=False).returncode
                != 0
                for _, path, _ in files
            )
            share = mean(path.stat().st_size / document.stat().st_size for document, path, _ in files)
            rows.append(
                [
                    name,
                    len(files),
                    f"{after / before:.3f}",
                    f"{share:.3f}",
                    f"{mean(like):.4f}",
                    sum(value < 0.8 for value in like),
                    larger,
                    unsound,
                    f"{sum(seconds for *_, seconds in files):.1f} s",
                ]
            )
    print(machine())
    table(
        [
            "made by",
            "files",
            "total out/in",
            "mean out/in",
            "SSIM",
            "below 0.8",
            "larger",
            "qpdf faults",
            "CPU",
        ],
        rows,
    )
    print(f"{left_out} documents were left out, of which not everyone made something")


if __name__ == "__main__":
    main()
