"""Runs OCRmyPDF on each path of standard input; prints `PATH<TAB>STATUS<TAB>PROCESSOR SECONDS` for each.

convert.py OUT LEVEL
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import ocrmypdf


def spent() -> float:
    """The processor seconds of this process and its children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(out: Path, level: int) -> None:
    """Converts the documents."""
    for line in sys.stdin:
        source = Path(line.strip())
        before = spent()
        try:
            status = ocrmypdf.ocr(
                source,
                out / source.name,
                plugins=[Path(__file__).with_name("engine.py")],
                output_type="pdfa-2",
                pdfa_backend="ghostscript",
                optimize=level,
                jobs=1,
                progress_bar=False,
            ).name
        except ocrmypdf.exceptions.ExitCodeException as error:
            status = f"{type(error).__name__}: {' '.join(str(error).split())}"
        print(source, status, f"{spent() - before:.2f}", sep="\t", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
