"""The overhead of worker processes: small operations from POST to finished, in the service's process and in workers.

    python benches/service/overhead.py [OPERATIONS]

One client on one connection: POST, then one request for the result, which is held until the operation has ended. The
modes alternate; a row shows the median and the 99th percentile of all operations of a mode.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from common import OPTIMIZE, Client, machine, serving

ROUNDS = 5
MODES = {"in process": ("--isolation", "none"), "in warm workers": ("--isolation", "best")}


def empty_page() -> bytes:
    """The smallest document: one empty page."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 20]>>",
    ]
    pdf, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(pdf)
    return pdf + b"xref\n0 4\n0000000000 65535 f \n" + table + trailer


WORK: dict[str, tuple[str, object]] = {
    "pdf-to-tiff, an empty page of 20 pt": ("/v1/operations/convert/pdf-to-tiff", None),
    "optimize, an empty page": (OPTIMIZE, None),
    "stamp-qr, an empty page": ("/v1/operations/stamp/qr", {"value": "x"}),
}


def timed(run: Callable[[], object]) -> float:
    """The time of a call in milliseconds."""
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    """Measures and prints the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(machine())
    times: dict[tuple[str, str], list[float]] = {}
    first: dict[str, float] = {}
    for _ in range(ROUNDS):
        for mode, flags in MODES.items():
            with serving("--workers", "2", *flags) as service:
                client = service.client()
                file = client.upload(empty_page())
                first_time = timed(lambda c=client, f=file: c.run_operation(f))
                first[mode] = min(first.get(mode, first_time), first_time)
                for work, (path, options) in WORK.items():
                    one = _one(client, file, path, options)
                    one()
                    times.setdefault((work, mode), []).extend(timed(one) for _ in range(count))
    print(f"\n| {ROUNDS} x {count} operations | mode | p50, ms | p99, ms |\n|---|---|---|---|")
    for work in WORK:
        for mode in MODES:
            values = sorted(times[work, mode])
            print(
                f"| {work} | {mode} | {statistics.median(values):.2f} | {values[len(values) * 99 // 100]:.2f} |"
            )
    print()
    for mode, best in first.items():
        print(f"fastest first operation of a service, {mode}: {best:.2f} ms")


def _one(client: Client, file: str, path: str, options: object) -> Callable[[], object]:
    def run() -> None:
        result = client.run_operation(file, path, options)
        if result["operationStatus"] != "finished":
            raise RuntimeError(str(result))

    return run


if __name__ == "__main__":
    main()
