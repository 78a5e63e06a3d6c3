"""Converts real documents to PDF/A-2b with Recto and with Ghostscript; veraPDF validates the results.

convert.py FOLDER...
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

from common import alike, machine, pdfs, program, table, timed, verapdf

ICC = "/usr/share/color/icc/ghostscript/srgb.icc"


def page_count(path: Path) -> int:
    """The number of pages of a file."""
    done = subprocess.run(["qpdf", "--show-npages", str(path)], capture_output=True, text=True, check=False)
    return int(done.stdout.strip() or 0) if done.stdout.strip().isdigit() else 0


def images(note: str) -> int:
    """How many pages were converted to images, according to a note."""
    found = re.search(
        r"pages? ([0-9, and]+?)(?: and (\d+) more)? (?:was|were) converted to (?:an image|images)", note
    )
    if not found:
        return 0
    return len(re.findall(r"\d+", found[1])) + int(found[2] or 0)


def main() -> None:
    """Measures."""
    documents = pdfs(sys.argv[1:])
    definition = next(Path("/usr/share/ghostscript").glob("*/lib/PDFA_def.ps"))
    rows: dict[str, list[tuple[Path, Path, float]]] = {"Recto": [], "Ghostscript": []}
    refused: list[str] = []
    locked = drawn = total_pages = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prologue = folder / "definition.ps"
        prologue.write_text(definition.read_text().replace("(srgb.icc)", f"({ICC})"))
        for number, document in enumerate(documents):
            keep = folder / f"recto-{number}"
            command = [
                program("sweep"),
                "-o",
                'archive-pdfa={"conformance":"pdf_a2_b"}',
                "-k",
                str(keep),
                "-s",
                "60",
            ]
            done = subprocess.run([*command, str(document)], capture_output=True, text=True, check=False)
            fields = [*done.stdout.strip().split("\t"), *[""] * 6]
            if fields[2] == "password_required":
                locked += 1
                continue
            made = list(keep.glob("*.pdf")) if keep.is_dir() else []
            if made:
                rows["Recto"].append((document, made[0], float(fields[3])))
                total_pages += page_count(document)
                drawn += images(fields[5])
            else:
                refused.append(f"{document.name}: {fields[5]}")
            target = folder / f"gs-{number}.pdf"
            status, seconds = timed(
                [
                    *[
                        "gs",
                        "-q",
                        "-dPDFA=2",
                        "-dBATCH",
                        "-dNOPAUSE",
                        "-dNOOUTERSAVE",
                        "-dPDFACompatibilityPolicy=1",
                    ],
                    *["-sColorConversionStrategy=RGB", "-sDEVICE=pdfwrite", f"--permit-file-read={ICC}"],
                    *["-o", str(target), str(prologue), str(document)],
                ],
            )
            if not status and target.is_file():
                rows["Ghostscript"].append((document, target, seconds))
        asked = len(documents) - locked
        lines = []
        for name, made_files in rows.items():
            verdicts, _ = verapdf([(made, "2b") for _, made, _ in made_files])
            passed = sum(verdict[1] == "PASS" for verdict in verdicts)
            like = [value for before, after, _ in made_files if (value := alike(before, after)) is not None]
            grossly = sum(value < 0.8 for value in like)
            lines.append(
                [
                    name,
                    asked,
                    len(made_files),
                    f"{passed / asked:.2%}",
                    len(made_files) - passed,
                    f"{mean(like):.4f}",
                    grossly,
                    f"{sum(seconds for *_, seconds in made_files):.1f} s",
                ]
            )
            if name == "Recto":
                worst = sorted(
                    (value, before.name)
                    for before, after, _ in made_files
                    if (value := alike(before, after)) is not None
                )
                print(*[f"{value:.3f} {name}" for value, name in worst[:8]], sep="\n")
                for (before, *_), verdict in zip(made_files, verdicts, strict=True):
                    if verdict[1] != "PASS":
                        print(f"rejected: {before.name}: {' '.join(verdict[1:4])}")
    print(machine())
    table(
        [
            "converter",
            "documents",
            "returned",
            "conforming",
            "rejected by veraPDF",
            "SSIM",
            "below 0.8",
            "time",
        ],
        lines,
    )
    share = drawn / max(total_pages, 1)
    print(
        f"{locked} locked documents were left out; {drawn} of {total_pages} pages became images ({share:.2%})"
    )
    print(*refused, sep="\n")


if __name__ == "__main__":
    main()
