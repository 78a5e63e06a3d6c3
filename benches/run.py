"""Every comparison of this folder in one run, written to docs/benchmarks.md with plots.

    make bench                                   # what needs no documents, and documents from PyPI's source packages
    make bench DOCUMENTS="FOLDER..."             # with these documents
    make bench ONLY="calls transfers"            # only some of the comparisons; the page keeps the others

`scripts/bench` builds what is measured and installs the peers. A comparison that fails is said to have failed, on the
page and by the exit code. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
PATIENCE = 3600  # seconds for a comparison
NUMBER = re.compile(r"^([\d.,]+)(?: \(([\d.,]+) to ([\d.,]+)\))?$")
# Source packages on PyPI whose tests contain documents of many kinds, and the licence of these documents.
CARRIERS = ["pikepdf", "pypdf"]

Table = list[list[str]]


@dataclass(frozen=True)
class Plot:
    """Bars of one column, or of several columns of a row, a picture for each value of `apart`."""

    title: str
    values: list[str]
    apart: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """A program of this folder that prints tables, and what its tables are about."""

    name: str
    title: str
    about: str
    command: list[str]
    plots: list[Plot]
    documents: bool = False
    needs: str = ""  # a variable that names a program which nobody can fetch for us


def comparisons(tools: Path, wheel: Path) -> list[Comparison]:
    """All of them, in the order of the page."""
    python = sys.executable
    return [
        Comparison(
            "calls",
            "Small requests from Python",
            "`files.get` on loopback beside HTTP clients that do the same over kept connections. A row is the median "
            "of five rounds, with the least and the greatest.",
            [python, str(FOLDER / "python/calls.py")],
            [Plot("processor time of a request, microseconds (less is better)", ["CPU per request, us"])],
        ),
        Comparison(
            "file-get",
            "Small requests from C",
            "`recto_file_get()` beside libcurl's easy interface making the same request.",
            [str(tools / "file_get")],
            [
                Plot(
                    "processor time of a request, microseconds (less is better)",
                    ["CPU per request, us"],
                    ["the server takes"],
                )
            ],
        ),
        Comparison(
            "transfers",
            "Large files from Rust",
            "A whole process that moves one file on loopback, and the growth of its memory meanwhile.",
            [str(tools / "transfers")],
            [Plot("seconds (less is better)", ["recto seconds", "curl seconds"], ["transfer"])],
        ),
        Comparison(
            "python-transfers",
            "Large files from Python",
            "256 MiB up and down on loopback.",
            [python, str(FOLDER / "python/transfers.py")],
            [Plot("MB per second (more is better)", ["MB per second"], ["direction"])],
        ),
        Comparison(
            "imports",
            "What an import costs",
            "Beside other clients of PDF services from PyPI, each in an environment of its own.",
            [python, str(FOLDER / "python/imports.py"), str(wheel)],
            [],
        ),
        Comparison(
            "batch",
            "A batch that is killed",
            "2,000 small documents, the batch killed (`SIGKILL`) at 20 random moments and run again each time; then "
            "one that is left alone, beside what people write for themselves.",
            [python, str(FOLDER / "batch/kills.py"), "2000", "20"],
            [Plot("milliseconds a document (less is better)", ["ms a document"])],
        ),
        Comparison(
            "service",
            "Small documents through a service",
            "Four clients, each a document at a time: uploaded, optimized and fetched, in five requests; beside a "
            "plain Flask service that runs qpdf for each, in one.",
            [python, str(FOLDER / "service/beside_flask.py")],
            [Plot("documents per second (more is better)", ["documents per second"])],
        ),
        Comparison(
            "overhead",
            "What a service adds to its engine",
            "From the start of an operation on an empty page to its end, in process and in warm worker processes.",
            [python, str(FOLDER / "service/overhead.py"), "60"],
            [],
        ),
        Comparison(
            "service-kills",
            "A service that is killed",
            "Six clients start operations and look at each result twice, while the process (`SIGKILL`, 200 random "
            "moments) is started again and again. When everything has expired, nothing may be left.",
            [python, str(FOLDER / "service/kills.py"), "data-dir"],
            [],
        ),
        Comparison(
            "service-kills-many",
            "Services and workers that are killed",
            "The same with two services and two workers that share PostgreSQL and an S3-compatible store.",
            [python, str(FOLDER / "service/kills.py"), "many"],
            [],
        ),
        Comparison(
            "uploads",
            "A thousand uploads at once",
            "The memory is that of the service's process.",
            [python, str(FOLDER / "service/uploads.py")],
            [],
        ),
        Comparison(
            "connections",
            "A minute of hostile connections",
            "Headers that never end, bodies beyond the limit, clients that stop half-way, and garbage, while one good "
            "client works.",
            [python, str(FOLDER / "service/connections.py")],
            [],
        ),
        Comparison(
            "hostile",
            "Documents of all kinds, the damaged ones too",
            "Every document through every operation that takes it, in a service with workers, each within 20 seconds "
            "and 1 GiB.",
            [python, str(FOLDER / "service/hostile.py")],
            [],
            documents=True,
        ),
        Comparison(
            "pages",
            "Pages to images",
            "The first pages of documents at 150 dpi beside pdftoppm and pdfium, at equal threads.",
            [python, str(FOLDER / "pages/speed.py"), "--turns", "1"],
            [Plot("seconds (less is better)", ["seconds"], ["images", "threads"])],
            documents=True,
        ),
        Comparison(
            "rendering",
            "Pages that look wrong",
            "A page is wrong for a renderer when one of its tiles of 32 pixels differs from what both others show.",
            [python, str(FOLDER / "pages/render.py"), "--pages", "3"],
            [],
            documents=True,
        ),
        Comparison(
            "images",
            "Images in pages",
            "Each image converted to PDF and taken out again by an independent reader, pixel for pixel.",
            [python, str(FOLDER / "pages/images.py"), "images"],
            [],
            documents=True,
        ),
        Comparison(
            "fax",
            "Facsimiles",
            "Each document as TIFF-F, judged by libtiff and dot for dot.",
            [python, str(FOLDER / "pages/images.py"), "fax"],
            [],
            documents=True,
        ),
        Comparison(
            "passwords",
            "Passwords",
            "Each document locked in every revision of the standard's encryption, judged by qpdf, and unlocked again.",
            [python, str(FOLDER / "pages/passwords.py"), "--step", "5"],
            [],
            documents=True,
        ),
        Comparison(
            "sizes",
            "Optimized documents",
            "Each profile beside Ghostscript's setting for the same purpose, and qpdf. How alike the pages are is the "
            "SSIM of what pdfium shows.",
            [python, str(FOLDER / "archive/sizes.py")],
            [],
            documents=True,
        ),
        Comparison(
            "lossless",
            "Documents that lose nothing",
            "Every page of what the profile `archive` makes beside the document's own, pixel for pixel, in pdfium and "
            "in Poppler.",
            [python, str(FOLDER / "archive/lossless.py")],
            [],
            documents=True,
        ),
        Comparison(
            "archiving",
            "Conversion to PDF/A-2b",
            "Every file that is made is judged by veraPDF, beside Ghostscript's.",
            [python, str(FOLDER / "archive/convert.py")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
        Comparison(
            "verdicts",
            "Verdicts on PDF/A",
            "What `validate` says beside veraPDF's verdict on the same file.",
            [python, str(FOLDER / "archive/verdicts.py")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
        Comparison(
            "verdicts-converters",
            "Verdicts on what other programs make",
            "The same on PDF/A by Ghostscript, LibreOffice, pikepdf and krilla.",
            [python, str(FOLDER / "archive/verdicts.py"), "--converters", str(ROOT / "build/converted")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
    ]


def documents(given: list[str], folder: Path) -> list[str]:
    """The folders that were named, or the documents that source packages bring."""
    if given:
        return given
    target = folder / "documents"
    for name in CARRIERS:
        packed = folder / name
        subprocess.run(
            [*pip(), "download", "--quiet", "--no-deps", "--no-binary", name, "--dest", packed, name],
            check=True,
        )
        with tarfile.open(next(packed.glob("*.tar.gz"))) as archive:
            found = [one for one in archive.getmembers() if one.isfile() and one.name.endswith(".pdf")]
            archive.extractall(target, members=found, filter="data")
    return [str(target)]


def pip() -> list[str]:
    """The command for packages."""
    return [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def tables(text: str) -> list[Table]:
    """The tables in what a program printed, each with its head."""
    found: list[Table] = []
    previous = ""
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not previous.startswith("|"):
                found.append([])
            if not all(set(cell) <= {"-", ":"} for cell in cells):
                found[-1].append(cells)
        previous = line
    return found


def number(cell: str) -> tuple[float, float, float] | None:
    """Least, middle and greatest of a cell."""
    match = NUMBER.match(cell)
    if match is None:
        return None
    middle, least, greatest = (float(part.replace(",", "")) if part else None for part in match.groups())
    assert middle is not None
    return (middle if least is None else least, middle, middle if greatest is None else greatest)


def draw(plot: Plot, name: str, found: list[Table], folder: Path) -> Path | None:
    """The picture of a comparison; none where no table has the column."""
    groups: dict[str, list[tuple[str, tuple[float, float, float]]]] = {}
    for head, *rows in found:
        if not all(value in head for value in plot.values):
            continue
        for row in rows:
            cells = dict(zip(head, row, strict=False))
            apart = ", ".join(f"{key} {cells[key]}" for key in plot.apart) if plot.apart else head[0]
            labels = [cell for key, cell in cells.items() if key not in plot.apart and number(cell) is None]
            for value in plot.values:
                figure = number(cells[value])
                label = labels[0] if len(plot.values) == 1 and labels else value
                if figure is not None:
                    groups.setdefault(apart, []).append((label, figure))
    if not groups:
        return None
    heights = [len(bars) for bars in groups.values()]
    figure_, axes = plt.subplots(
        len(groups),
        1,
        figsize=(8, 0.5 * len(groups) + 0.36 * sum(heights)),
        height_ratios=heights,
        squeeze=False,
    )
    for axis, (apart, bars) in zip(axes[:, 0], groups.items(), strict=True):
        bars.reverse()
        middles = [figure[1] for _, figure in bars]
        spread = [
            [figure[1] - figure[0] for _, figure in bars],
            [figure[2] - figure[1] for _, figure in bars],
        ]
        colors = ["#c2410c" if "recto" in label else "#94a3b8" for label, _ in bars]
        axis.barh(
            [label for label, _ in bars], middles, xerr=spread, color=colors, ecolor="#475569", capsize=2
        )
        axis.set_title(apart, loc="left", fontsize=9)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, 0].set_xlabel(plot.title)
    figure_.tight_layout()
    path = folder / f"{name}.svg"
    figure_.savefig(path, metadata={"Date": None})
    plt.close(figure_)
    return path


def machine() -> list[str]:
    """What it ran on."""
    processors = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    model = processors[0].split(":")[1].strip() if processors else platform.processor()
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    said = [f"{len(processors)} x {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}"]
    packages = subprocess.run([*pip(), "list", "--format=freeze"], capture_output=True, text=True, check=True)
    peers = ("recto", "requests", "httpx", "urllib3", "flask", "waitress", "pypdfium2", "pikepdf", "moto")
    versions = [
        line.replace("==", " ")
        for line in packages.stdout.splitlines()
        if line.split("==")[0].split(" @ ")[0].lower() in peers
    ]
    for words in (["curl", "--version"], ["pdftoppm", "-v"]):
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        versions.append(" ".join((run.stdout or run.stderr).split()[:3]))
    said.append(f"Python {platform.python_version()}, {', '.join(versions)}")
    return said


def moment() -> str:
    """When something was measured, and of what."""
    commit = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always"], capture_output=True, text=True, check=False
    )
    return f"Recto at {commit.stdout.strip() or 'no commit'}, {datetime.date.today().isoformat()}."


def main() -> None:
    """Runs the comparisons and writes the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=Path, required=True, help="where the release programs lie")
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/benchmarks.md")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("documents", nargs="*")
    asked = parser.parse_args()
    pictures = asked.page.parent / "benchmarks"
    pictures.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(asked.tools), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "RECTO_SWEEP": str(asked.tools / "sweep"),
        "RECTO_VERDICTS": str(asked.tools / "verdicts"),
        "RECTO_KRILLA_MADE": str(asked.tools / "krilla_made"),
        "RECTO_PROGRAM": str(asked.tools / "recto"),
    }
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`; no figure here was typed by hand. What is compared runs side by side in one run, on "
        "loopback, each contender in a process of its own. `a (b to c)` is the median of the rounds with the least "
        "and the greatest.",
        "",
        *(f"- {line}" for line in machine()),
    ]
    failed = []
    with tempfile.TemporaryDirectory() as name:
        known = comparisons(asked.tools, asked.wheel)
        if unknown := set(asked.only) - {one.name for one in known}:
            sys.exit(f"there is no {', '.join(unknown)}; there are {', '.join(one.name for one in known)}")
        chosen = [one for one in known if not asked.only or one.name in asked.only]
        folders = documents(asked.documents, Path(name)) if any(one.documents for one in chosen) else []
        page = sections(asked.page) if asked.only else {}
        for one in chosen:
            print(f"== {one.name}", flush=True)
            if one.needs and one.needs not in environment:
                said, fault = "", f"set {one.needs}; see the README of benches/"
            else:
                said, fault = measured([*one.command, *(folders if one.documents else [])], environment)
            print(said, fault)
            for place in [*folders, str(asked.tools), str(ROOT)]:
                said = said.replace(f"{place}/", "")
            lines = [one.about, ""]
            for plot in one.plots:
                picture = draw(plot, one.name, tables(said), pictures)
                if picture is not None:
                    lines += [f"![{plot.title}](benchmarks/{picture.name})", ""]
            lines += shown(said)
            if fault:
                failed.append(one.name)
                lines += ["", f"**It failed: {fault}.**"]
            page[one.title] = [*lines, "", f"*{moment()}*"]
            # Write the page after each comparison: if a later comparison fails, the results so far are kept.
            ordered = [title for title in (one.title for one in known) if title in page]
            parts = [[f"## {title}", "", *page[title], ""] for title in ordered]
            asked.page.write_text("\n".join([*head, "", *itertools.chain(*parts)]).rstrip() + "\n")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def sections(page: Path) -> dict[str, list[str]]:
    """What the page says of each comparison so far, by its title."""
    if not page.exists():
        return {}
    parts = [part.splitlines() for part in re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]]
    return {title: "\n".join(lines).strip().splitlines() for title, *lines in parts}


def measured(command: list[str], environment: dict[str, str]) -> tuple[str, str]:
    """What a comparison printed, and why it failed, if it did."""
    try:
        run = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "", f"it was not done within {PATIENCE} s"
    return run.stdout, f"the program ended with {run.returncode}" if run.returncode else ""


def shown(text: str) -> list[str]:
    """What a program printed, with its tables as tables and the rest as it is."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith("|") and lines and lines[-1] and not lines[-1].startswith("|"):
            lines.append("")
        lines.append(line if line.startswith("|") or not line.startswith("  ") else f"- {line.strip()}")
    return lines


if __name__ == "__main__":
    main()
