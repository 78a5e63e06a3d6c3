"""Runs OCRmyPDF's own tests with the plugin and without Ghostscript: their_tests.py SOURCE [TEST_MODULE]...

SOURCE is the unpacked source archive of the installed version of OCRmyPDF. Ghostscript, pngquant and jbig2enc are
hidden. In place of Ghostscript stands a program that only prints a version, because some test modules ask for it when
they are loaded; any other call of it fails, and is listed at the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

HIDDEN = ("gs", "pngquant", "jbig2")

# The modules that reach the hooks generate_pdfa, optimize_pdf and rasterize_pdf_page.
MODULES = (
    "metadata",
    "optimize",
    "output_types",
    "page_boxes",
    "pdf_features",
    "pdfa",
    "pdfa_final_validation",
    "pdfa_internal",
    "rasterizer",
    "rotation",
    "soft_error",
    "userunit",
)

STAND_IN = """#!/bin/sh
if [ "$*" = --version ]; then echo 10.05.1; exit 0; fi
echo "$PYTEST_CURRENT_TEST: gs $*" >> {calls}
exit 97
"""


def programs(folder: Path, calls: Path) -> str:
    """A PATH with links to all programs but the hidden ones, and the stand-in for Ghostscript."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name not in HIDDEN and not link.is_symlink():
                link.symlink_to(program)
    (folder / "gs").write_text(STAND_IN.format(calls=calls))
    (folder / "gs").chmod(0o755)
    return str(folder)


def run(module: str, source: Path, folder: Path, path: str) -> list[str]:
    """Runs one module; returns its row, and prints each failure."""
    report = folder / f"{module}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}"]
    command += ["-o", "addopts=", f"tests/test_{module}.py"]
    with (folder / f"{module}.log").open("w") as log:
        subprocess.run(
            command, cwd=source, env={**os.environ, "PATH": path}, stdout=log, stderr=log, check=False
        )
    if not report.exists():
        return [module, "not run: " + (folder / f"{module}.log").read_text()[-300:]]
    counts = {"passed": 0, "failure": 0, "error": 0, "skipped": 0}
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = next((child for child in case if child.tag in counts), None)
        counts["passed" if outcome is None else outcome.tag] += 1
        if outcome is not None:
            message = " ".join((outcome.get("message") or "").split())
            print(f"{module}: {outcome.tag}: {case.get('name')}: {message[:300]}", file=sys.stderr)
    return [module, *map(str, counts.values())]


def main() -> None:
    """Runs the modules and prints a table."""
    source = Path(sys.argv[1])
    folder = Path(tempfile.mkdtemp(prefix="ocrmypdf-tests-"))
    calls = folder / "gs-calls"
    path = programs(folder / "programs", calls)
    rows = [["module", "passed", "failed", "errors", "skipped"]]
    rows += [run(module, source, folder, path) for module in sys.argv[2:] or MODULES]
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"logs: {folder}")
    if calls.exists():
        print("Ghostscript was called:", calls.read_text(), sep="\n")


if __name__ == "__main__":
    main()
