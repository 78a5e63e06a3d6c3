"""Compares requests per second and CPU per request of `files.get` with other HTTP clients.

Each client sends the key, checks the status and reads the JSON of the record. The connections stay open.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from collections.abc import Callable

from rounds import measured, ratio, server, spread, table

CONTENDERS = ["recto", "httpx", "requests", "urllib3", "http.client"]
THREADS = [1, 8]
ROUNDS = 5
SECONDS = 2.0
HEADERS = {"X-Api-Key": "key", "Accept": "application/json"}


def contender(name: str, base_url: str) -> Callable[[], Callable[[], object]]:
    """The function that creates, in each thread, the call to measure."""
    url = f"{base_url}/v1/files/1"
    if name == "recto":
        import recto

        client = recto.Client(base_url=base_url, api_key="key")
        return lambda: lambda: client.files.get("1").name
    if name == "httpx":
        import httpx

        shared = httpx.Client(headers=HEADERS, trust_env=False)
        return lambda: lambda: shared.get(url).raise_for_status().json()["name"]
    if name == "requests":
        import requests

        def session() -> Callable[[], object]:
            session = requests.Session()  # not safe to share between threads
            session.headers.update(HEADERS)
            session.trust_env = False

            def get() -> object:
                answer = session.get(url)
                answer.raise_for_status()
                return answer.json()["name"]

            return get

        return session
    if name == "urllib3":
        import urllib3

        pool = urllib3.PoolManager(maxsize=8, headers=HEADERS)

        def get() -> object:
            answer = pool.request("GET", url)
            assert answer.status == 200
            return answer.json()["name"]

        return lambda: get
    import http.client

    def connect() -> Callable[[], object]:
        connection = http.client.HTTPConnection(base_url.removeprefix("http://"))

        def get() -> object:
            connection.request("GET", "/v1/files/1", headers=HEADERS)
            answer = connection.getresponse()
            assert answer.status == 200
            return json.loads(answer.read())["name"]

        return get

    return connect


def cpu() -> float:
    """The processor time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(name: str, base_url: str, threads: int) -> None:
    """Prints the number of calls of one client in `SECONDS`."""
    make = contender(name, base_url)
    counts = [0] * threads
    started = threading.Barrier(threads + 1, timeout=60)
    end = [float("inf")]

    def work(number: int) -> None:
        try:
            call = make()
            for _ in range(20):
                call()
        except BaseException:
            started.abort()  # otherwise the other threads would wait for ever
            raise
        started.wait()
        started.wait()
        while time.perf_counter() < end[0]:
            call()
            counts[number] += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    started.wait()
    used, began = cpu(), time.perf_counter()
    end[0] = began + SECONDS
    started.wait()
    for worker in workers:
        worker.join()
    took = time.perf_counter() - began
    if 0 in counts:
        sys.exit("a thread made no call")
    figures = {"rate": sum(counts) / took, "cpu": (cpu() - used) / sum(counts) * 1e6}
    print(json.dumps(figures))


def main() -> None:
    """Runs all clients alternately, in rounds."""
    with server() as base_url:
        for threads in THREADS:
            results: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
            for _ in range(ROUNDS):
                for name in CONTENDERS:
                    results[name].append(measured("calls.py", name, base_url, threads))
            rows = [
                (
                    f"{threads} thread(s)",
                    "requests per second",
                    "CPU per request, us",
                    "x CPU of recto",
                    "x rate",
                )
            ]
            ours = results["recto"]
            for name, figures in results.items():
                rates, cpus = [one["rate"] for one in figures], [one["cpu"] for one in figures]
                rows.append(
                    (
                        name,
                        spread(rates),
                        spread(cpus),
                        ratio([one["cpu"] for one in ours], cpus),
                        ratio(rates, [one["rate"] for one in ours]),
                    )
                )
            table(rows)
            print()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
