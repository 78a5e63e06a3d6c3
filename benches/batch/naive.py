"""A simple script, to compare Recto with: `requests`, a pool of threads, and a request for the result twice a second.

python benches/batch/naive.py SOURCE TARGET THREADS
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

BASE = os.environ["RECTO_BASE_URL"]
HEADERS = {"X-Api-Key": os.environ["RECTO_API_KEY"]}
PAUSE = 0.5
TIMEOUT = 60


def process(path: Path, target: Path) -> None:
    """Processes one document, from the upload to the saved result."""
    ticket = requests.post(
        f"{BASE}/v1/files/upload/fromLocal", headers=HEADERS, json={"fileName": path.name}, timeout=TIMEOUT
    ).json()
    content = {"Content-Type": "application/octet-stream"}
    requests.put(
        ticket["uploadUrl"], data=path.read_bytes(), headers=content, timeout=TIMEOUT
    ).raise_for_status()
    body = {"input": {"fileId": ticket["fileId"]}}
    started = requests.post(
        f"{BASE}/v1/operations/optimize", headers=HEADERS, json=body, timeout=TIMEOUT
    ).json()
    while True:
        address = f"{BASE}/v1/operations/{started['operationId']}/result"
        result = requests.get(address, headers=HEADERS, timeout=TIMEOUT).json()
        if "outputFile" in result:
            break
        time.sleep(PAUSE)
    (target / path.name).write_bytes(requests.get(result["outputFile"]["url"], timeout=TIMEOUT).content)


def main() -> None:
    """Processes all documents of a folder."""
    source, target, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    target.mkdir()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda path: process(path, target), sorted(source.iterdir())))


if __name__ == "__main__":
    main()
