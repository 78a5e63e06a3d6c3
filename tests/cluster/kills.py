"""Kills a service and its workers at random moments under load, and reports what its clients saw.

Every accepted operation must finish exactly once, with the right result, and show the same result when it is requested
again. After everything has expired, no bytes and no records may remain.
"""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cluster.infrastructure import Api, Process, exchange, wait_until

NO_RESPONSE = (OSError, http.client.HTTPException)
OCTETS = {"Content-Type": "application/octet-stream"}


@dataclass
class Observations:
    """What the clients saw."""

    accepted: dict[str, str] = field(default_factory=dict)
    """The file name of each accepted operation, by its identifier."""
    finished: dict[str, str] = field(default_factory=dict)
    """The identifier of the result file of each finished operation."""
    unsure: set[str] = field(default_factory=set)
    """File names of operations whose start got no response."""
    faults: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fault(self, what: str) -> None:
        with self.lock:
            self.faults.append(what)

    def summary(self) -> str:
        kills = ", ".join(f"{count} of {name}" for name, count in sorted(self.kills.items()))
        return (
            f"{sum(self.kills.values())} kills ({kills}) in {self.seconds:.0f} s; {len(self.accepted)} operations "
            f"accepted, {len(self.finished)} finished with their result, {len(self.faults)} faults"
        )


class Load:
    """Clients that start operations, wait for them, and check each result twice."""

    def __init__(
        self, apis: list[Api], document: Callable[[int], bytes], is_right: Callable[[bytes], bool]
    ) -> None:
        self.apis, self.document, self.is_right = apis, document, is_right
        self.seen = Observations()
        self._stop = threading.Event()
        self._number = 0
        self._threads: list[threading.Thread] = []

    def start(self, clients: int) -> None:
        self._threads = [
            threading.Thread(target=self._client, args=(n,), daemon=True) for n in range(clients)
        ]
        for thread in self._threads:
            thread.start()

    def finish(self, seconds: float) -> None:
        """Stops the clients, and waits for the accepted operations."""
        self._stop.set()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.1, until - time.monotonic()))
        for operation, name in self.seen.accepted.items():
            if operation not in self.seen.finished:
                self.seen.fault(f"the operation {operation} on {name} was accepted and has not finished")

    def check_results(self) -> None:
        """Checks in the list of files that each operation has exactly one result."""
        status, files = self.apis[0].request("GET", "/v1/files?onlyResultFiles=true")
        assert status == 200, status
        results = Counter(file["name"] for file in files["files"])
        for name in self.seen.accepted.values():
            if results[name] != 1:
                self.seen.fault(f"{name} has {results[name]} results")
        for name in set(results) - set(self.seen.accepted.values()) - self.seen.unsure:
            self.seen.fault(f"{name} is a result, but no operation on this file was started")

    def _client(self, client: int) -> None:
        chance = random.Random(client)
        while not self._stop.is_set():
            with self.seen.lock:
                self._number += 1
                number = self._number
            name = f"document-{number}.pdf"
            api = chance.choice(self.apis)
            operation = self._started(api, name, number)
            if operation is not None:
                self._check(operation, name, chance)

    def _started(self, api: Api, name: str, number: int) -> str | None:
        try:
            status, ticket = api.request("POST", "/v1/files/upload/fromLocal", {"fileName": name})
            if status != 200:
                self._rejected("a ticket", status, ticket)
                return None
        except NO_RESPONSE:
            time.sleep(0.02)
            return None
        while True:
            try:
                status, body = exchange("PUT", ticket["uploadUrl"], self.document(number), OCTETS)
            except NO_RESPONSE:
                time.sleep(0.02)
                continue
            if status != 200:
                self._rejected("an upload", status, body)
                return None
            break
        try:
            start = {"input": {"fileId": ticket["fileId"]}}
            status, handle = api.request("POST", "/v1/operations/optimize", start)
        except NO_RESPONSE:
            with self.seen.lock:
                self.seen.unsure.add(name)
            time.sleep(0.02)
            return None
        if status != 200:
            self._rejected("a start", status, handle)
            return None
        operation = str(handle["operationId"])
        with self.seen.lock:
            self.seen.accepted[operation] = name
        return operation

    def _rejected(self, what: str, status: int, body: object) -> None:
        # A service that is ending, or that has just lost its database, may respond with status 500, 502 or 503.
        if status not in {500, 502, 503}:
            self.seen.fault(f"{what} was rejected: {status} {body!r}")
        time.sleep(0.05)

    def _check(self, operation: str, name: str, chance: random.Random) -> None:
        checks, results = 0, set()
        while checks < 2:
            api = chance.choice(self.apis)
            try:
                status, result = api.request(
                    "GET", f"/v1/operations/{operation}/result", headers={"Prefer": "wait=5"}
                )
            except NO_RESPONSE:
                time.sleep(0.02)
                continue
            if status in {500, 502, 503}:
                time.sleep(0.05)
                continue
            if status != 200 or result["operationStatus"] not in {"inProgress", "finished"}:
                self.seen.fault(f"the operation {operation} on {name}: {status} {result}")
                return
            if result["operationStatus"] == "inProgress":
                continue
            output = result["outputFile"]
            try:
                status, result_bytes = exchange("GET", output["url"])
            except NO_RESPONSE:
                time.sleep(0.02)
                continue
            if status in {500, 502, 503}:
                continue
            if status != 200 or not self.is_right(result_bytes):
                self.seen.fault(
                    f"the result of {operation} on {name} is not right: {status}, {len(result_bytes)} bytes"
                )
            results.add(output["fileId"])
            checks += 1
        if len(results) != 1:
            self.seen.fault(f"the operation {operation} on {name} showed {len(results)} results")
        with self.seen.lock:
            self.seen.finished[operation] = results.pop()


def run(
    processes: dict[str, Process],
    load: Load,
    kills: int,
    clients: int,
    pause: tuple[float, float] = (0.05, 0.9),
    seed: int = 1,
    finish_within: float = 240,
) -> Observations:
    """Kills a random process after a random pause and starts it again, `kills` times."""
    chance = random.Random(seed)
    for process in processes.values():
        process.start()
    for api in load.apis:
        wait_until(api.is_up, 60, api.base_url)
    began = time.monotonic()
    load.start(clients)
    for _ in range(kills):
        time.sleep(chance.uniform(*pause))
        name = chance.choice(sorted(processes))
        processes[name].kill()
        processes[name].start()
        load.seen.kills[name.rstrip("0123456789")] += 1
    load.finish(finish_within)
    load.seen.seconds = time.monotonic() - began
    load.check_results()
    return load.seen
