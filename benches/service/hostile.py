"""Runs every operation on every document of a folder, in a service with workers: each must end within its limits.

    python benches/service/hostile.py [--seconds N] FOLDER...

An operation may take N seconds (20), and its worker 1 GiB. The script prints operations that crash. It fails if
one ends much later than its limit, or if the service does not process a good document
afterwards.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import sys
import time
from pathlib import Path

from common import Service, machine, serving
from overhead import empty_page

GRACE = 10.0
OPERATIONS: list[tuple[str, object, set[str]]] = [
    ("/v1/operations/optimize", {"profile": "web"}, {"pdf"}),
    ("/v1/operations/convert/pdf-to-png", {"maxSizeInPixels": {"width": 1000, "height": 1000}}, {"pdf"}),
    ("/v1/operations/stamp/watermark", {"text": "Recto"}, {"pdf"}),
    ("/v1/operations/encrypt", {"password": "p"}, {"pdf"}),
    ("/v1/operations/validate", {"conformance": "pdf17"}, {"pdf"}),
    ("/v1/operations/archive/pdfa", {"conformance": "pdf_a2_b"}, {"pdf"}),
    ("/v1/operations/convert/image-to-pdf", None, {"jpg", "jpeg", "png", "tif", "tiff"}),
    ("/v1/operations/convert/doc-to-pdf", None, {"doc", "docx", "odt", "rtf", "wpd", "txt"}),
    ("/v1/operations/convert/presentation-to-pdf", None, {"ppt", "pptx", "odp"}),
    ("/v1/operations/convert/spreadsheet-to-pdf", None, {"xls", "xlsx", "ods", "csv"}),
]


def attempt(service: Service, path: Path) -> list[tuple[str, str, float, str]]:
    """Runs each operation on a document: its name, outcome, seconds and message."""
    matching = [entry for entry in OPERATIONS if path.suffix.lower().lstrip(".") in entry[2]]
    if not matching:
        return []
    client = service.client()
    file = client.upload(path.read_bytes(), path.name)
    outcomes = []
    for address, options, _ in matching:
        began = time.monotonic()
        result = client.run_operation(file, address, options)
        error = result.get("error", {})
        took = time.monotonic() - began
        outcomes.append(
            (address.rsplit("/", 1)[1], error.get("code", "finished"), took, error.get("detail", ""))
        )
    client.request("DELETE", f"/v1/files/{file}")
    return outcomes


def main() -> None:
    """Prints the outcomes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    seconds = given.seconds
    documents = sorted(path for folder in given.folders for path in folder.rglob("*") if path.is_file())
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults, slowest = 0, (0.0, "")
    print(machine())
    limits = ("--operation-time", f"{int(seconds)}s", "--worker-memory", "1GiB", "--workers", "2")
    with serving(*limits) as service, concurrent.futures.ThreadPoolExecutor(2) as threads:
        for path, outcomes in zip(
            documents, threads.map(lambda one: attempt(service, one), documents), strict=True
        ):
            for operation, outcome, took, words in outcomes:
                counts[operation, outcome] += 1
                slowest = max(slowest, (took, f"{operation} of {path.name}"))
                if outcome in ("worker_crashed", "internal") or took > 2 * seconds + GRACE:
                    print(f"{path}: {operation}: {outcome} after {took:.1f} s: {words}", flush=True)
                if took > 2 * seconds + GRACE:
                    faults += 1
        client = service.client()
        sound = client.run_operation(client.upload(empty_page()))["operationStatus"] == "finished"
    print("| operation | outcome | documents |\n|---|---|---|")
    for (operation, outcome), count in sorted(counts.items()):
        print(f"| {operation} | {outcome} | {count} |")
    print(
        f"\n{len(documents)} documents, {sum(counts.values())} operations; slowest: {slowest[0]:.1f} s, {slowest[1]}"
    )
    print(f"too late: {faults}; a good document afterwards: {'finished' if sound else 'FAILED'}")
    sys.exit(faults > 0 or not sound)


if __name__ == "__main__":
    main()
