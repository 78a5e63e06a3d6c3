"""Every document of a folder through every operation that takes it, in a service with workers: each must be answered.

    python benches/service/hostile.py [--seconds N] FOLDER...

An operation may take so many seconds (20), and its worker 1 GiB. A document that is answered later than a grace after
that, or after which the service does not do a sound one, is told, and the script fails.
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
    """Each operation on one document: which, its outcome, its seconds, the service's words."""
    fitting = [entry for entry in OPERATIONS if path.suffix.lower().lstrip(".") in entry[2]]
    if not fitting:
        return []
    client = service.client()
    file = client.upload(path.read_bytes(), path.name)
    outcomes = []
    for address, options, _ in fitting:
        began = time.monotonic()
        answer = client.operate(file, address, options)
        error = answer.get("error", {})
        took = time.monotonic() - began
        outcomes.append(
            (address.rsplit("/", 1)[1], error.get("code", "finished"), took, error.get("detail", ""))
        )
    client.ask("DELETE", f"/v1/files/{file}")
    return outcomes


def main() -> None:
    """Prints what became of the documents."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    seconds = given.seconds
    documents = sorted(path for folder in given.folders for path in folder.rglob("*") if path.is_file())
    tally: collections.Counter[tuple[str, str]] = collections.Counter()
    faults, slowest = 0, (0.0, "")
    print(machine())
    limits = ("--operation-time", f"{int(seconds)}s", "--worker-memory", "1GiB", "--workers", "2")
    with serving(*limits) as service, concurrent.futures.ThreadPoolExecutor(2) as threads:
        for path, outcomes in zip(
            documents, threads.map(lambda one: attempt(service, one), documents), strict=True
        ):
            for operation, outcome, took, words in outcomes:
                tally[operation, outcome] += 1
                slowest = max(slowest, (took, f"{operation} of {path.name}"))
                if outcome in ("worker_crashed", "internal") or took > 2 * seconds + GRACE:
                    print(f"{path}: {operation}: {outcome} after {took:.1f} s: {words}", flush=True)
                if took > 2 * seconds + GRACE:
                    faults += 1
        client = service.client()
        sound = client.operate(client.upload(empty_page()))["operationStatus"] == "finished"
    print("| operation | how it ended | documents |\n|---|---|---|")
    for (operation, outcome), count in sorted(tally.items()):
        print(f"| {operation} | {outcome} | {count} |")
    print(
        f"\n{len(documents)} documents, {sum(tally.values())} operations; the slowest: {slowest[0]:.1f} s, {slowest[1]}"
    )
    print(f"answered too late: {faults}; a sound document afterwards: {'finished' if sound else 'FAILED'}")
    sys.exit(faults > 0 or not sound)


if __name__ == "__main__":
    main()
