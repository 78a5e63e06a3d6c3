"""Compresses a folder of PDFs with Spark.

    python examples/scale_out_spark.py FOLDER OUT [MASTER]

Without the address of a cluster Spark runs on this machine. Executors on several machines need access to the same
folders. Each Python worker makes its own client, from its own environment (RECTO_BASE_URL, RECTO_API_KEY); without
these variables it starts the embedded service.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import recto


def main(folder: Path, out: Path, master: str = "local[2]") -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    compress = recto.Udf("optimize", profile="web", column="path", to=out, relative_to=folder)
    documents = [(str(path),) for path in sorted(folder.resolve().rglob("*.pdf"))]
    failed = 0
    spark = SparkSession.builder.master(master).appName("compress").getOrCreate()
    frame = spark.createDataFrame(documents, "path string").repartition(max(1, len(documents) // 8))
    schema = ", ".join(f"{name} {kind}" for name, kind in {"path": "string", **compress.columns}.items())
    for row in frame.mapInPandas(lambda batches: map(compress, batches), schema).toLocalIterator():
        if row["status"] == "failed":
            failed += 1
            print(f"{row['path']}: {row['error']}: {row['message']}", file=sys.stderr)
        else:
            print(f"{row['target']}  {row['size_before']:,} -> {row['size_after']:,} bytes")
    spark.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]))
