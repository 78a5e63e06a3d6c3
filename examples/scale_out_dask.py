"""Compresses a folder of PDFs on a Dask cluster.

    python examples/scale_out_dask.py FOLDER OUT [SCHEDULER]

Without the address of a scheduler the workers are processes of this machine. Workers on several machines need access
to the same folders. Each worker process makes its own client, from its own environment (RECTO_BASE_URL, RECTO_API_KEY);
without these variables it starts the embedded service.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dask import bag
from dask.distributed import Client as Cluster

import recto


def main(folder: Path, out: Path, scheduler: str | None = None) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    compress = recto.Udf("optimize", profile="web", to=out, relative_to=folder)
    documents = sorted(map(str, folder.resolve().rglob("*.pdf")))
    failed = 0
    with Cluster(scheduler) if scheduler else Cluster(n_workers=2, threads_per_worker=1):
        rows = bag.from_sequence(documents, partition_size=8).map(compress.one).compute(retries=3)
    for document, row in zip(documents, rows, strict=True):
        if row["status"] == "failed":
            failed += 1
            print(f"{document}: {row['error']}: {row['message']}", file=sys.stderr)
        else:
            print(f"{row['target']}  {row['size_before']:,} -> {row['size_after']:,} bytes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]))
