"""Compares throughput and memory growth of transfers of 256 MiB with httpx (streaming) and curl."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rounds import measured, server, spread, table

SIZE = 256 << 20
ROUNDS = 5
CONTENDERS = ["recto", "httpx", "curl"]


def peak() -> int:
    """The peak memory of this process, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def measure(name: str, direction: str, base_url: str, path: str) -> None:
    """Prints the throughput of one transfer, and how much its peak memory exceeds that of a tiny transfer."""
    grown = 0
    if name == "recto":
        import recto

        client = recto.Client(base_url=base_url, api_key="key")
        operation = client.optimize(b"%PDF-1.7")
        operation.result()  # the wait is not part of the transfer
        before, began = peak(), time.perf_counter()
        if direction == "up":
            client.files.upload(path)
        else:
            operation.save(path)
    elif name == "httpx":
        import httpx

        with httpx.Client(trust_env=False) as http:
            http.get(f"{base_url}/v1/files/1").json()
            before, began = peak(), time.perf_counter()
            if direction == "up":
                with Path(path).open("rb") as file:
                    size = str(Path(path).stat().st_size)
                    http.put(
                        f"{base_url}/put", content=file, headers={"Content-Length": size}
                    ).raise_for_status()
            else:
                with http.stream("GET", f"{base_url}/download") as answer, Path(path).open("wb") as file:
                    for chunk in answer.iter_raw():
                        file.write(chunk)
    else:
        before, began = 0, time.perf_counter()
        target = (
            ["-T", path, f"{base_url}/put"] if direction == "up" else ["-o", path, f"{base_url}/download"]
        )
        subprocess.run(["curl", "--silent", "--fail", "-H", "Expect:", *target], check=True)
    took = time.perf_counter() - began
    if before:
        grown = peak() - before
    print(json.dumps({"rate": SIZE / took / 1e6, "grown": grown / 2**20}))


def main() -> None:
    """Runs all clients alternately, in rounds."""
    rows = [("256 MiB", "direction", "MB per second", "peak memory growth, MiB")]
    with server(SIZE) as base_url, tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.pdf"), Path(folder, "out.pdf")
        with source.open("wb") as file:
            for _ in range(SIZE >> 20):
                file.write(b"%PDF-1.7\n".ljust(1 << 20, b"x"))
        for direction in ("up", "down"):
            results: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
            for _ in range(ROUNDS):
                for name in CONTENDERS:
                    path = source if direction == "up" else target
                    results[name].append(measured("transfers.py", name, direction, base_url, path))
            for name, figures in results.items():
                grown = "-" if name == "curl" else spread([one["grown"] for one in figures], 1)
                rows.append((name, direction, spread([one["rate"] for one in figures]), grown))
    table(rows)


if __name__ == "__main__":
    if len(sys.argv) == 5:
        measure(*sys.argv[1:])
    else:
        main()
