"""Compresses a folder of PDFs with Daft.

    python examples/scale_out_daft.py FOLDER OUT

Daft runs on this machine, or on a Ray cluster after `daft.set_runner_ray(…)`. Workers on several machines need access
to the same folders. Each worker process makes its own client, from its own environment (RECTO_BASE_URL, RECTO_API_KEY);
without these variables it starts the embedded service.
"""

from __future__ import annotations

import sys
from pathlib import Path

import daft

import recto

TYPES = {
    "string": daft.DataType.string(),
    "bigint": daft.DataType.int64(),
    "boolean": daft.DataType.bool(),
    "double": daft.DataType.float64(),
}


def main(folder: Path, out: Path) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    compress = recto.Udf("optimize", profile="web", to=out, relative_to=folder)
    documents = sorted(map(str, folder.resolve().rglob("*.pdf")))
    failed = 0
    kind = daft.DataType.struct({name: TYPES[kind] for name, kind in compress.columns.items()})
    process = daft.func.batch(return_dtype=kind, unnest=True, batch_size=8, cpus=compress.threads)(compress)
    frame = daft.from_pydict({"path": documents})
    for row in frame.select("path", process(frame["path"])).iter_rows():
        if row["status"] == "failed":
            failed += 1
            print(f"{row['path']}: {row['error']}: {row['message']}", file=sys.stderr)
        else:
            print(f"{row['target']}  {row['size_before']:,} -> {row['size_after']:,} bytes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
