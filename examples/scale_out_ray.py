"""Compresses a folder of PDFs on a Ray cluster: every worker makes its own client.

    python examples/scale_out_ray.py FOLDER OUT [ADDRESS]

Without the address of a cluster Ray starts one on this machine. Workers on several machines need access to the same
folders. A client contains its key, so it is not sent to a worker: the worker makes it from its own environment
(RECTO_BASE_URL, RECTO_API_KEY). Without these variables each worker process starts the embedded service.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import ray

import recto


@ray.remote(num_cpus=1)
class Worker:
    """A process of the cluster, with its own client."""

    def __init__(self) -> None:
        self.client = recto.Client.from_env()

    def compress(self, source: Path, folder: Path) -> tuple[Path, int, int]:
        """Compresses one document and returns its target, and its size before and after."""
        target = self.client.optimize(source, profile="web").save(folder / source.name)
        return target, source.stat().st_size, target.stat().st_size


def main(folder: Path, out: Path, address: str | None = None) -> int:
    """Compresses all documents; one that fails is reported, and the others continue."""
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    ray.init(address, include_dashboard=False if address is None else None)
    workers = itertools.cycle([Worker.remote() for _ in range(int(ray.cluster_resources()["CPU"]))])
    jobs = {
        next(workers).compress.remote(source.resolve(), out.resolve()): source
        for source in sorted(folder.glob("*.pdf"))
    }
    left = list(jobs)
    while left:
        (job,), left = ray.wait(left)
        try:
            target, before, after = ray.get(job)
            print(f"{target}  {before:,} -> {after:,} bytes")
        except ray.exceptions.RayTaskError as error:
            failed += 1
            print(f"{jobs[job]}: {error.cause}", file=sys.stderr)
    ray.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]))
