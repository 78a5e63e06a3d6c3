"""Compresses a folder of PDFs with Ray Data.

    python examples/scale_out_ray.py FOLDER OUT [ADDRESS]

Without the address of a cluster Ray starts one on this machine. Workers on several machines need access to the same
folders. Each worker process makes its own client, from its own environment (RECTO_BASE_URL, RECTO_API_KEY); without
these variables it starts the embedded service.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ray

import recto


def main(folder: Path, out: Path, address: str | None = None) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    compress = recto.Udf("optimize", profile="web", to=out, relative_to=folder)
    documents = [{"path": str(path)} for path in sorted(folder.resolve().rglob("*.pdf"))]
    failed = 0
    ray.init(address, include_dashboard=False if address is None else None)
    rows = ray.data.from_items(documents).map_batches(
        compress, batch_size=8, batch_format="pyarrow", num_cpus=compress.threads
    )
    for row in rows.iter_rows():
        if row["status"] == "failed":
            failed += 1
            print(f"{row['path']}: {row['error']}: {row['message']}", file=sys.stderr)
        else:
            print(f"{row['target']}  {row['size_before']:,} -> {row['size_after']:,} bytes")
    ray.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]))
