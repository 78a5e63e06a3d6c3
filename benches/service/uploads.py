"""A thousand uploads of 10 MiB at the same time, and the memory of the service.

python benches/service/uploads.py
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import threading
import time
from urllib.parse import urlsplit

from common import Service, machine, serving

PART = bytes(64 << 10)


async def put(url: str, size: int, begin: asyncio.Barrier) -> int:
    """Uploads one file; returns the status."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection("127.0.0.1", parts.port)
    head = (
        f"PUT {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {size}\r\n"
        "Content-Type: application/octet-stream\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode())
    await writer.drain()
    await begin.wait()  # all connections are open before the first body is sent
    for _ in range(size // len(PART)):
        writer.write(PART)
        await writer.drain()
    status = int((await reader.readline()).split()[1])
    writer.close()
    return status


async def all_at_once(urls: list[str], size: int) -> list[int]:
    """Runs all uploads, each on its own connection."""
    begin = asyncio.Barrier(len(urls))
    return await asyncio.gather(*(put(url, size, begin) for url in urls))


def watch(service: Service, seen: list[float], stop: threading.Event) -> None:
    """Samples the memory until `stop` is set."""
    while not stop.wait(0.05):
        seen.append(service.memory())


def main() -> int:
    """Prints the table; returns 1 if an upload failed or the service used too much memory."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--uploads", type=int, default=1000)
    arguments.add_argument("--mebibytes", type=int, default=10)
    arguments.add_argument("--store", choices=["temporary", "data-dir"], default="data-dir")
    given = arguments.parse_args()
    size = given.mebibytes << 20
    # Every upload needs two sockets and a file. The service inherits the limit on open files from this process.
    most_open = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_open, most_open))
    print(machine())
    flags = ["--max-connections", str(given.uploads + 100), "--stall-time", "300s", "--header-time", "300s"]
    if given.store == "data-dir":
        flags += ["--data-dir", "{folder}/data"]
    with serving(*flags) as service:
        client = service.client()
        tickets = [
            client.request("POST", "/v1/files/upload/fromLocal", {"fileName": f"{number}.bin"})
            for number in range(given.uploads)
        ]
        before, seen, stop = service.memory(), [], threading.Event()
        watcher = threading.Thread(target=watch, args=(service, seen, stop))
        watcher.start()
        began = time.monotonic()
        statuses = asyncio.run(all_at_once([ticket["uploadUrl"] for ticket in tickets], size))
        took = time.monotonic() - began
        stop.set()
        watcher.join()
        most = service.memory("VmHWM")
        listed = len(service.client().request("GET", "/v1/files")["files"])
    good = statuses.count(200)
    print("| store | uploads at once | each | status 200 | listed | time | memory before | peak memory |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {given.store} | {given.uploads} | {given.mebibytes} MiB | {good} | {listed} | {took:.1f} s"
        f" | {before:.0f} MiB | {most:.0f} MiB |"
    )
    return 0 if good == listed == given.uploads and most < 300 else 1


if __name__ == "__main__":
    sys.exit(main())
