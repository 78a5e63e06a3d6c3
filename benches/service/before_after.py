"""Compares two builds of recto: small operations in worker processes and in the service's own process.

    python benches/service/before_after.py BEFORE AFTER [--rounds 20] [--operations 100]

BEFORE and AFTER are paths of `recto`. All services run during the whole measurement, and are used in alternation, in
another order in each round. For each pair of blocks of a round, the script takes the ratio of AFTER to BEFORE; a row
shows the medians, and the quartiles of the ratios. The processor time is that of the service and of its workers. The
rows "in process" show what else has changed between the two builds, such as the engine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from common import OPTIMIZE, Service, machine, serving
from overhead import empty_page

MODES = {"in workers": ("--isolation", "best"), "in process": ("--isolation", "none")}
WORK: dict[str, tuple[str, object]] = {
    "pdf-to-tiff": ("/v1/operations/convert/pdf-to-tiff", None),
    "optimize": (OPTIMIZE, None),
    "stamp-qr": ("/v1/operations/stamp/qr", {"value": "x"}),
}
CLIENTS = [1, 4]


class Block(NamedTuple):
    """What a block of operations took: milliseconds of each operation, and operations per second."""

    wall: float
    processor: float
    rate: float


def processor_time(process: int) -> float:
    """Seconds of processor time of a process, its descendants, and those that have ended."""
    parents: dict[int, list[int]] = {}
    times: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
                times[int(entry.name)] = sum(map(int, fields[11:15]))
    total, left = 0, [process]
    while left:
        one = left.pop()
        total += times.get(one, 0)
        left += parents.get(one, [])
    return total / os.sysconf("SC_CLK_TCK")


class Subject:
    """A running service of one build, with clients on open connections."""

    def __init__(self, service: Service) -> None:
        """Uploads the document for each client."""
        self.service = service
        self.clients = [service.client() for _ in range(max(CLIENTS))]
        self.files = [client.upload(empty_page()) for client in self.clients]

    def block(self, work: str, clients: int, operations: int) -> Block:
        """Runs a number of operations with some clients at once."""
        path, options = WORK[work]
        walls: list[float] = []

        def run(number: int) -> None:
            for _ in range(operations // clients):
                began = time.perf_counter()
                result = self.clients[number].run_operation(self.files[number], path, options)
                walls.append((time.perf_counter() - began) * 1e3)
                if result["operationStatus"] != "finished":
                    raise RuntimeError(str(result))

        used, began = processor_time(self.service.process), time.perf_counter()
        threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took, used = time.perf_counter() - began, processor_time(self.service.process) - used
        if len(walls) != operations // clients * clients:
            raise RuntimeError(f"{work}: only {len(walls)} operations have finished")
        return Block(statistics.median(walls), used * 1e3 / len(walls), len(walls) / took)


def measure(
    subjects: dict[tuple[str, str], Subject], rounds: int, operations: int
) -> dict[tuple[str, str, int, str], list[Block]]:
    """All blocks: by mode, work, number of clients, and build."""
    blocks: dict[tuple[str, str, int, str], list[Block]] = {}
    chance = random.Random(1)
    for round_number in range(rounds + 1):
        for mode in MODES:
            for work in WORK:
                for clients in CLIENTS:
                    builds = ["before", "after"]
                    chance.shuffle(builds)
                    for build in builds:
                        block = subjects[mode, build].block(work, clients, operations)
                        # The first round fills caches.
                        if round_number:
                            blocks.setdefault((mode, work, clients, build), []).append(block)
    return blocks


def main() -> None:
    """Measures and prints the table."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("before", type=Path)
    arguments.add_argument("after", type=Path)
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--operations", type=int, default=100)
    given = arguments.parse_args()
    print(machine(given.after))
    with contextlib.ExitStack() as stack:
        subjects = {
            (mode, build): Subject(stack.enter_context(serving("--workers", "2", *flags, program=program)))
            for mode, flags in MODES.items()
            for build, program in [("before", given.before), ("after", given.after)]
        }
        blocks = measure(subjects, given.rounds, given.operations)
    quantities: dict[str, Callable[[Block], float]] = {
        "median time, ms": lambda block: block.wall,
        "processor time, ms": lambda block: block.processor,
        "operations per second": lambda block: block.rate,
    }
    print(f"\n{given.rounds} rounds of {given.operations} operations on an empty page\n")
    print("| mode | operation | clients | quantity | before | after | after / before | quartiles |")
    print("|---|---|---|---|---|---|---|---|")
    for mode in MODES:
        for work in WORK:
            for clients in CLIENTS:
                for name, of in quantities.items():
                    before = [of(block) for block in blocks[mode, work, clients, "before"]]
                    after = [of(block) for block in blocks[mode, work, clients, "after"]]
                    ratios = [new / old for old, new in zip(before, after, strict=True) if old]
                    low, middle, high = statistics.quantiles(ratios, n=4)
                    print(
                        f"| {mode} | {work} | {clients} | {name} | {statistics.median(before):.2f}"
                        f" | {statistics.median(after):.2f} | {middle:.3f} | {low:.3f} to {high:.3f} |"
                    )


if __name__ == "__main__":
    main()
