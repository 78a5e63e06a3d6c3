"""Compresses a folder of PDFs with Celery: a web application queues documents, and workers process them.

    pip install celery
    python examples/queue_celery.py FOLDER OUT

The example keeps its queue in memory, and its worker is a thread, so that it runs without other programs. In
production, set CELERY_BROKER_URL and CELERY_RESULT_BACKEND to those of your broker, and start workers with
`celery --app queue_celery worker`. Workers need access to the same folders.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

from celery import Celery
from celery.contrib.testing.worker import start_worker
from celery.result import AsyncResult

import recto

app = Celery(
    "queue_celery",
    broker=os.environ.get("CELERY_BROKER_URL", "memory://"),
    backend=os.environ.get("CELERY_RESULT_BACKEND", "cache+memory://"),
)


@functools.cache
def client() -> recto.Client:
    """The client of this worker process. A worker that forks makes it in its children, at their first task."""
    return recto.Client.from_env()


@app.task(autoretry_for=(recto.TransportError, recto.RateLimited), retry_backoff=True, max_retries=5)
def compress(source: str, target: str) -> tuple[int, int]:
    """Runs on a worker: compresses one document and returns its size before and after."""
    saved = client().optimize(source, profile="web").save(target)
    return Path(source).stat().st_size, saved.stat().st_size


def main(folder: Path, out: Path) -> int:
    """Queues all documents and waits for them; one that fails is reported, and the others continue."""
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    with start_worker(app, perform_ping_check=False):
        documents = sorted(folder.glob("*.pdf"))
        tasks: list[AsyncResult[tuple[int, int]]] = [
            compress.delay(str(document), str(out / document.name)) for document in documents
        ]
        for document, task in zip(documents, tasks, strict=True):
            try:
                before, after = task.get(timeout=600)
                print(f"{out / document.name}  {before:,} -> {after:,} bytes")
            except recto.Error as error:
                failed += 1
                print(f"{document}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
