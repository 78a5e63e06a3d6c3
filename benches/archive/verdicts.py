"""Compares the verdicts of `validate` with veraPDF's, on the same files and levels.

verdicts.py [--converters FOLDER] FOLDER...
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
import time
from pathlib import Path

from common import machine, pdfs, program, table, verapdf

ICC = "/usr/share/color/icc/ghostscript/srgb.icc"
# Files that are installed with Ghostscript, used for the documents of krilla: CFF fonts and a CMYK profile.
FONTS = Path("/usr/share/fonts/opentype/urw-base35")
CMYK = "/usr/share/color/icc/ghostscript/default_cmyk.icc"


def flavours(path: Path) -> list[str]:
    """The levels against which a file is validated: those in its name, or 1b, 2b and 3b."""
    named = re.search(r"PDF_A-([123][abu])/", str(path)) or re.search(r"/gs([123])-", str(path))
    if named:
        return [named[1] if len(named[1]) == 2 else f"{named[1]}b"]
    named = re.search(r"/(?:office|krilla|pikepdf)([123][abu])-", str(path))
    return [named[1]] if named else ["1b", "2b", "3b"]


def convert(documents: list[Path], folder: Path) -> None:
    """Fills a folder with the output of other converters."""
    folder.mkdir(parents=True, exist_ok=True)
    definition = next(Path("/usr/share/ghostscript").glob("*/lib/PDFA_def.ps"))
    prologue = folder / "definition.ps"
    prologue.write_text(definition.read_text().replace("(srgb.icc)", f"({ICC})"))
    for index, document in enumerate(documents):
        part = index % 3 + 1
        target = folder / f"gs{part}-{document.stem[-60:]}.pdf"
        command = [
            *[
                "gs",
                "-q",
                f"-dPDFA={part}",
                "-dBATCH",
                "-dNOPAUSE",
                "-dNOOUTERSAVE",
                "-dPDFACompatibilityPolicy=1",
            ],
            *[
                "-sColorConversionStrategy=RGB",
                "-sDEVICE=pdfwrite",
                f"--permit-file-read={ICC}",
                "-o",
                str(target),
            ],
            *[str(prologue), str(document)],
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            done = None
        if done is None or done.returncode:
            target.unlink(missing_ok=True)
    offices = [
        path
        for path in documents[0].parent.parent.rglob("*")
        if path.suffix.lower() in (".docx", ".odt", ".xlsx", ".pptx")
    ]
    for index, document in enumerate(offices):
        part = index % 3 + 1
        filters = {".docx": "writer", ".odt": "writer", ".xlsx": "calc", ".pptx": "impress"}
        version = json.dumps({"SelectPdfVersion": {"type": "long", "value": str(part)}})
        wanted = f"pdf:{filters[document.suffix.lower()]}_pdf_Export:{version}"
        command = ["soffice", "--headless", "--convert-to", wanted, "--outdir", str(folder), str(document)]
        try:
            subprocess.run(command, capture_output=True, timeout=90, check=False)
        except subprocess.TimeoutExpired:
            continue
        made = folder / f"{document.stem}.pdf"
        if made.is_file():
            made.rename(folder / f"office{part}b-{document.stem}.pdf")
    fonts = sorted(str(font) for font in FONTS.glob("*-Roman.otf"))[:2]
    subprocess.run([program("krilla_made"), str(folder), *fonts, CMYK], check=False)
    try:
        import rewrite
    except ImportError:
        print("pikepdf is not installed: its files are missing")
        return
    rewrite.anew(folder)
    rewrite.dressed(documents, folder)
    rewrite.changed(folder)


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--converters", type=Path)
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args()
    documents = pdfs(given.folders)
    if given.converters:
        if not given.converters.is_dir():
            convert(documents, given.converters)
        documents = pdfs([str(given.converters)])
    lines = [(path, flavour) for path in documents for flavour in flavours(path)]
    text = "".join(f"{path}\tpdf_a{flavour[0]}_{flavour[1]}\n" for path, flavour in lines)
    began = time.monotonic()
    done = subprocess.run([program("verdicts")], input=text, capture_output=True, text=True, check=True)
    ours_took = time.monotonic() - began
    ours = [line.split("\t") for line in done.stdout.splitlines()]
    theirs, theirs_took = verapdf(lines)
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    differing = []
    for (path, flavour), mine, other in zip(lines, ours, theirs, strict=True):
        # A document that cannot be read (ERROR) counts as not conforming.
        accepted, wanted = mine[1] == "PASS", other[1] == "PASS"
        counts[flavour]["all"] += 1
        counts[flavour]["agree"] += accepted == wanted
        counts[flavour]["false accept"] += accepted and not wanted
        counts[flavour]["false reject"] += wanted and not accepted
        counts[flavour]["error"] += mine[1] == "ERROR"
        if accepted != wanted:
            differing.append(f"{flavour} {path.name}: {mine[1]} {mine[3]}, veraPDF {other[1]} {other[3]}")
    total: collections.Counter[str] = sum(counts.values(), collections.Counter())
    print(machine())
    rows = [(name, c) for name, c in sorted(counts.items())] + [("all", total)]
    table(
        ["level", "verdicts", "agreement", "false accepts", "false rejects", "errors"],
        [
            [name, c["all"], f"{c['agree'] / c['all']:.2%}", c["false accept"], c["false reject"], c["error"]]
            for name, c in rows
        ],
    )
    slowest = max(int(row[4]) for row in ours) / 1000
    pace = f"{len(lines) / ours_took:.0f} verdicts a second, veraPDF {len(lines) / theirs_took:.0f}"
    print(f"slowest {slowest:.2f} s; {pace}")
    print(*differing, sep="\n")


if __name__ == "__main__":
    main()
