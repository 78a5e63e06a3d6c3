"""Compresses a folder of PDFs with processes of this machine, and the standard library only.

    python examples/scale_out_futures.py FOLDER OUT

Run it again after an interruption: results that are in OUT already are not made again.
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import recto


def main(folder: Path, out: Path) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    compress = recto.Udf("optimize", profile="web", to=out, relative_to=folder)
    documents = sorted(map(str, folder.resolve().rglob("*.pdf")))
    failed = 0
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for document, row in zip(documents, pool.map(compress.one, documents, chunksize=4), strict=True):
            if row["status"] == "failed":
                failed += 1
                print(f"{document}: {row['error']}: {row['message']}", file=sys.stderr)
            else:
                print(f"{row['target']}  {row['size_before']:,} -> {row['size_after']:,} bytes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
