"""Standalone services that are killed under load: on a data directory, and on many machines."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

from cluster.infrastructure import Api, Process, Store, free_port, object_store, postgres, wait_until
from cluster.kills import Load, Observations, run

KEY = "a-key-for-this-test"
FORM = Path(__file__).parents[2] / "examples" / "form.pdf"

Left = list[str]
"""What remained after everything had expired."""


def _document(number: int) -> bytes:
    """A small document, different for each number: a comment after the end of a PDF is ignored."""
    return FORM.read_bytes() + b"\n%% %d\n" % number


def _is_pdf(result: bytes) -> bool:
    return result.startswith(b"%PDF-") and b"%%EOF" in result[-1024:]


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "RECTO_API_KEY": KEY, "RECTO_LOG": "warn", **more}


def data_directory(
    recto: Path, folder: Path, kills: int, clients: int, seed: int
) -> tuple[Observations, Left]:
    """One service on a data directory."""
    data, port = folder / "data", free_port()
    command = [str(recto), "serve", "--port", str(port), "--data-dir", str(data), "--workers", "2"]
    service = Process(command, _environment(TMPDIR=str(folder)), folder / "log")
    api = Api(f"http://127.0.0.1:{port}", KEY)
    try:
        seen = run({"service": service}, Load([api], _document, _is_pdf), kills, clients, seed=seed)
        assert service.stop() == 0
        service.command += ["--retention", "1s"]
        service.start()
        wait_until(lambda: not list((data / "files").iterdir()), 60, "the end of retention")
        assert service.stop() == 0
    finally:
        if service.running is not None and service.running.poll() is None:
            service.kill()
    with sqlite3.connect(data / "recto.sqlite3") as database:
        tables = ["recto_files", "recto_operations"]
        counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    return seen, [f"{count} rows in {table}" for table, count in counts.items() if count]


def many_machines(
    recto: Path, folder: Path, kills: int, clients: int, seed: int
) -> tuple[Observations, Left]:
    """Two services and two workers that share PostgreSQL and a bucket."""
    secret = folder / "secret.key"
    secret.write_text("0123456789abcdef" * 4)
    with postgres() as database, object_store(folder / "store") as store:
        shared = shared_environment(folder, database, store, secret)
        ports = [free_port(), free_port()]
        processes = {}
        for number, port in enumerate(ports):
            command = [str(recto), "serve", "--port", str(port), "--workers", "0"]
            processes[f"service{number}"] = Process(command, shared, folder / f"service{number}.log")
            command = [str(recto), "worker", "--workers", "1"]
            processes[f"worker{number}"] = Process(command, shared, folder / f"worker{number}.log")
        try:
            apis = [Api(f"http://127.0.0.1:{port}", KEY) for port in ports]
            seen = run(processes, Load(apis, _document, _is_pdf), kills, clients, seed=seed)
            for process in processes.values():
                assert process.stop() == 0
            last = processes["service0"]
            # Some operations were accepted, but their clients got no response. One worker finishes these operations.
            last.command[last.command.index("--workers") + 1] = "1"
            # No client is left, so the service does not have to keep files, links and fetches for long.
            last.command += ["--retention", "1s", "--link-lifetime", "1s", "--fetch-time", "1s"]
            last.start()
            wait_until(lambda: not store.objects() and not _rows(database), 180, "the end of retention")
            assert last.stop() == 0
        finally:
            for process in processes.values():
                if process.running is not None and process.running.poll() is None:
                    process.kill()
        return seen, [*_rows(database), *store.objects()]


def shared_environment(folder: Path, database: str, store: Store, secret: Path) -> dict[str, str]:
    """The settings of every process of a cluster."""
    return _environment(
        TMPDIR=str(folder),
        RECTO_SERVE_DATABASE=database,
        RECTO_SERVE_BUCKET=f"s3://{store.bucket}/recto",
        RECTO_SERVE_BUCKET_ENDPOINT=store.endpoint,
        RECTO_SERVE_SECRET_KEY_FILE=str(secret),
        RECTO_SERVE_LEASE="3s",
        **store.environment,
    )


def _rows(database: str) -> Left:
    left = []
    for table in ["recto_files", "recto_operations", "recto_garbage"]:
        command = [
            "psql",
            database,
            "--tuples-only",
            "--no-align",
            "--command",
            f"SELECT count(*) FROM {table}",
        ]
        count = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if count:
            left.append(f"{count} rows in {table}")
    return left


FORMS: dict[str, Callable[[Path, Path, int, int, int], tuple[Observations, Left]]] = {
    "data-dir": data_directory,
    "many": many_machines,
}
