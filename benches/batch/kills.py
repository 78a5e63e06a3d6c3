"""Kills a batch of many small documents repeatedly, and checks and times it.

    python benches/batch/kills.py [DOCUMENTS] [KILLS]

Runs `recto optimize` over a folder against `recto serve`, kills it (SIGKILL) at random moments, runs it again each
time, and checks that each document was processed once: the journal, the folder, and the service's own count agree. Then
the wall time of an undisturbed batch is compared, in the same run, with a `curl` loop that requests the result once a
second (over some of the documents only, because it is slow) and with a `requests` script with as many threads. `recto`
must be on the PATH, and `pikepdf` and `requests` must be installed.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pikepdf

HERE = Path(__file__).parent
JOBS = 8
CURLED = 20  # the documents of the curl loop: each takes at least a second


def make_documents(folder: Path, count: int) -> None:
    """Documents whose pages have different widths, so that a wrong result is noticed."""
    folder.mkdir()
    for number in range(count):
        with pikepdf.new() as document:
            document.add_blank_page(page_size=(100 + number, 100))
            document.save(folder / f"{number:05}.pdf")


@contextlib.contextmanager
def serving() -> Iterator[dict[str, str]]:
    """Runs a service in a separate process; yields the environment variables for its clients."""
    with subprocess.Popen(["recto", "serve"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(2)]
        try:
            yield {**os.environ, **dict(line.split("=", 1) for line in lines)}
        finally:
            process.terminate()


def batch(source: Path, target: Path, journal: Path) -> list[str | Path]:
    """The command line under test."""
    return ["recto", "optimize", source, "-o", target, "--jobs", str(JOBS), "--journal", journal, "--quiet"]


def width(path: Path) -> int:
    """The width of the first page, in points."""
    with pikepdf.open(path) as document:
        return int(document.pages[0].mediabox[2])


def kill_again_and_again(folder: Path, kills: int) -> None:
    """Kills a batch `kills` times, then runs it to its end, and compares the journal with the folder."""
    source, target, journal = folder / "in", folder / "out", folder / "run.jsonl"
    chance, killed = random.Random(20), 0
    with serving() as environment:
        words = batch(source, target, journal)
        total = len(list(source.iterdir()))
        while killed < kills:
            process = subprocess.Popen(words, env=environment)
            # Kill the process after a random number of further documents: small enough for all `kills` before the end.
            goal = len(list(target.glob("*.pdf"))) if target.exists() else 0
            goal += chance.randint(1, max(2, total // (kills + 1)))
            while process.poll() is None and (not target.exists() or len(list(target.glob("*.pdf"))) < goal):
                time.sleep(chance.uniform(0.001, 0.02))
            if process.poll() is not None:
                break
            process.kill()
            process.wait()
            killed += 1
        subprocess.run(words, env=environment, check=True)
        listed = subprocess.run(
            ["recto", "files", "list", "--only-result-files"],
            env=environment,
            capture_output=True,
            check=True,
        )
    steps = [json.loads(line) for line in journal.read_text().splitlines()]
    count = collections.Counter((step["step"], step["item"]) for step in steps if "step" in step)
    names = {path.name for path in source.iterdir()}
    finished = [Path(item).name for step, item in count if step == "finished"]
    most = {
        kind: max(times for (step, _), times in count.items() if step == kind)
        for kind in ("started", "finished")
    }
    wrong = [path.name for path in sorted(target.iterdir()) if width(path) != 100 + int(path.stem)]
    started = len(listed.stdout.splitlines())
    print(f"{len(names)} documents, killed {killed} times at random moments:")
    print(
        f"  finished in the journal {len(finished)}, in the folder {len(list(target.iterdir()))}, wrong {len(wrong)}"
    )
    print(f"  most starts of one document in the journal: {most['started']}; most ends: {most['finished']}")
    print(
        f"  operations that the service processed: {started}, at most {len(names)} + {JOBS} in flight x {killed} kills"
    )
    agree = set(finished) == names == {path.name for path in target.iterdir()}
    if not (agree and most["started"] == 1 and not wrong and started <= len(names) + JOBS * killed):
        sys.exit("the batch lost documents or processed them twice")


def race(folder: Path) -> None:
    """Compares the wall time with scripts as users write them."""
    source = folder / "in"
    count = len(list(source.iterdir()))
    with serving() as environment:
        seconds = {}
        for name, words, documents in [
            ("recto --jobs 8", batch(source, folder / "out-recto", folder / "race.jsonl"), count),
            (
                "requests, 8 threads",
                [sys.executable, HERE / "naive.py", source, folder / "out-naive", str(JOBS)],
                count,
            ),
            (
                "curl and sleep 1",
                ["bash", HERE / "naive.sh", source, folder / "out-curl", str(CURLED)],
                CURLED,
            ),
        ]:
            began = time.monotonic()
            subprocess.run(words, env=environment, check=True)
            seconds[name] = (time.monotonic() - began) / documents
    ours = seconds["recto --jobs 8"]
    print("\n| programs, run one after the other | ms for a document | times recto |\n|---|---|---|")
    for name, each in seconds.items():
        print(f"| {name} | {each * 1000:.1f} | {each / ours:.1f} |")


def main() -> None:
    """Runs both measurements in a temporary folder."""
    documents, kills = (int(word) for word in [*sys.argv[1:], *["2000", "20"][len(sys.argv) - 1 :]])
    if shutil.which("recto") is None:
        sys.exit("recto is not on the PATH")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_documents(folder / "in", documents)
        kill_again_and_again(folder, kills)
        race(folder)


if __name__ == "__main__":
    main()
