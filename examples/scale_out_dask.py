"""Compresses a folder of PDFs on a Dask cluster: every worker makes its own client.

    python examples/scale_out_dask.py FOLDER OUT [SCHEDULER]

Without the address of a scheduler the workers are processes of this machine. Workers on several machines need access
to the same folders. A client contains its key, so it is not sent to a worker: the worker makes it from its own
environment (RECTO_BASE_URL, RECTO_API_KEY). Without these variables each worker process starts the embedded service.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from dask.distributed import Client as Cluster
from dask.distributed import as_completed

import recto


@functools.cache
def client() -> recto.Client:
    """The client of this worker process, shared by its threads."""
    return recto.Client.from_env()


def compress(source: Path, folder: Path) -> tuple[Path, int, int]:
    """Runs on a worker: compresses one document and returns its target, and its size before and after."""
    target = client().optimize(source, profile="web").save(folder / source.name)
    return target, source.stat().st_size, target.stat().st_size


def main(folder: Path, out: Path, scheduler: str | None = None) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    with Cluster(scheduler) if scheduler else Cluster(n_workers=2, threads_per_worker=2) as cluster:
        jobs = {cluster.submit(compress, source, out): source for source in sorted(folder.glob("*.pdf"))}
        for job in as_completed(jobs):
            if job.status == "error":
                failed += 1
                print(f"{jobs[job]}: {job.exception()}", file=sys.stderr)
            else:
                target, before, after = job.result()
                print(f"{target}  {before:,} -> {after:,} bytes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]))
