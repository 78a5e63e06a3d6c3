"""Runs the comparisons of this folder, and writes docs/benchmarks.md with plots.

    make bench                                   # with documents from source packages on PyPI
    make bench DOCUMENTS="FOLDER..."             # with these documents
    make bench ONLY="calls transfers"            # only some of the comparisons; the page keeps the others

`scripts/bench` builds the programs that are measured, and installs those they are compared with. If a comparison fails,
the page and the exit code show it. Run it on a machine that is otherwise idle.
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
TIME_LIMIT = 3600  # seconds for a comparison
NUMBER = re.compile(r"^([\d.,]+)(?: \(([\d.,]+) to ([\d.,]+)\))?$")
# Source packages on PyPI whose tests contain documents of many kinds, and the licence of these documents.
SOURCE_PACKAGES = ["pikepdf", "pypdf"]

Table = list[list[str]]


@dataclass(frozen=True)
class Plot:
    """A bar chart of columns of the tables, with a group of bars for each value of the columns `apart`."""

    title: str
    values: list[str]
    apart: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """A program of this folder that prints tables, with the text for its section of the page."""

    name: str
    title: str
    about: str
    command: list[str]
    plots: list[Plot]
    documents: bool = False
    needs: str = ""  # an environment variable with the path of a program that `scripts/bench` cannot install


def comparisons(tools: Path, wheel: Path) -> list[Comparison]:
    """All comparisons, in the order of the page."""
    python = sys.executable
    return [
        Comparison(
            "calls",
            "Small requests from Python",
            "`files.get` on loopback, compared with HTTP clients that send the same request over "
            "connections that stay open. A row shows the median of five rounds, with the minimum and the "
            "maximum.",
            [python, str(FOLDER / "python/calls.py")],
            [Plot("processor time of a request, microseconds (less is better)", ["CPU per request, us"])],
        ),
        Comparison(
            "file-get",
            "Small requests from C",
            "`recto_file_get()` compared with the same request through libcurl's easy interface.",
            [str(tools / "file_get")],
            [
                Plot(
                    "processor time of a request, microseconds (less is better)",
                    ["CPU per request, us"],
                    ["threads", "the server takes"],
                )
            ],
        ),
        Comparison(
            "transfers",
            "Large files from Rust",
            "A process that transfers one file on loopback: its run time, and how much its memory grows.",
            [str(tools / "transfers")],
            [Plot("seconds (less is better)", ["recto seconds", "curl seconds"], ["transfer"])],
        ),
        Comparison(
            "python-transfers",
            "Large files from Python",
            "A file of 256 MiB, uploaded and downloaded on loopback.",
            [python, str(FOLDER / "python/transfers.py")],
            [Plot("MB per second (more is better)", ["MB per second"], ["direction"])],
        ),
        Comparison(
            "imports",
            "What an import costs",
            "Compared with other clients of PDF services from PyPI, each in its own virtual environment.",
            [python, str(FOLDER / "python/imports.py"), str(wheel)],
            [],
        ),
        Comparison(
            "batch",
            "A batch that is killed",
            "A batch of 2,000 small documents is killed (`SIGKILL`) at 20 random moments, and run again "
            "each time. Then an undisturbed batch, compared with scripts as users write them.",
            [python, str(FOLDER / "batch/kills.py"), "2000", "20"],
            [Plot("milliseconds for a document (less is better)", ["ms for a document"])],
        ),
        Comparison(
            "service",
            "Small documents through a service",
            "Four clients process one document at a time: upload, optimize and download, in five requests. "
            "Compared with a plain Flask service that runs qpdf in one request.",
            [python, str(FOLDER / "service/beside_flask.py")],
            [Plot("documents per second (more is better)", ["documents per second"])],
        ),
        Comparison(
            "overhead",
            "What a service adds to its engine",
            "The time from the start of an operation on an empty page to its end, in the service's own "
            "process and in worker processes that are already running.",
            [python, str(FOLDER / "service/overhead.py"), "60"],
            [],
        ),
        Comparison(
            "service-kills",
            "A service that is killed",
            "Six clients start operations and request each result twice, while the service is killed "
            "(`SIGKILL`) at 200 random moments and restarted. When all files have expired, no data may be "
            "left over.",
            [python, str(FOLDER / "service/kills.py"), "data-dir"],
            [],
        ),
        Comparison(
            "service-kills-many",
            "Services and workers that are killed",
            "The same with two services and two workers that share a PostgreSQL database and an "
            "S3-compatible store.",
            [python, str(FOLDER / "service/kills.py"), "many"],
            [],
        ),
        Comparison(
            "uploads",
            "A thousand uploads at once",
            "The memory of the service's process before and during a thousand uploads at the same time.",
            [python, str(FOLDER / "service/uploads.py")],
            [],
        ),
        Comparison(
            "connections",
            "A minute of hostile connections",
            "Hostile clients send headers without an end, bodies beyond the limit, half of a request, or "
            "garbage. At the same time, one correct client processes documents.",
            [python, str(FOLDER / "service/connections.py")],
            [],
        ),
        Comparison(
            "hostile",
            "Documents of all kinds, including damaged ones",
            "Every operation processes every document that it accepts, in a service with worker processes. "
            "The limits of an operation are 20 seconds and 1 GiB.",
            [python, str(FOLDER / "service/hostile.py")],
            [],
            documents=True,
        ),
        Comparison(
            "pages",
            "Pages to images",
            "The first pages of documents at 150 dpi, compared with pdftoppm and pdfium with the same "
            "number of threads.",
            [python, str(FOLDER / "pages/speed.py"), "--turns", "1"],
            [Plot("seconds (less is better)", ["seconds"], ["images", "threads"])],
            documents=True,
        ),
        Comparison(
            "rendering",
            "Pages that are rendered wrongly",
            "A page of a renderer counts as wrong if the three other renderers agree on at least one tile of "
            "32 x 32 pixels, and this renderer differs from each of them.",
            [python, str(FOLDER / "pages/render.py"), "--pages", "3"],
            [],
            documents=True,
        ),
        Comparison(
            "images",
            "Images in pages",
            "Each image is converted to PDF and extracted again by an independent reader. Then all pixels "
            "are compared.",
            [python, str(FOLDER / "pages/images.py"), "images"],
            [],
            documents=True,
        ),
        Comparison(
            "fax",
            "Facsimiles",
            "Each document is converted to TIFF-F, checked with libtiff, and compared dot by dot with the "
            "rendered page.",
            [python, str(FOLDER / "pages/images.py"), "fax"],
            [],
            documents=True,
        ),
        Comparison(
            "passwords",
            "Passwords",
            "Each document is encrypted with every revision of the standard security handler, checked with "
            "qpdf, and decrypted again.",
            [python, str(FOLDER / "pages/passwords.py"), "--step", "5"],
            [],
            documents=True,
        ),
        Comparison(
            "sizes",
            "Optimized documents",
            "Each profile, compared with Ghostscript's setting for the same purpose and with qpdf. SSIM is "
            "the similarity of the pages before and after, as pdfium renders them.",
            [python, str(FOLDER / "archive/sizes.py")],
            [],
            documents=True,
        ),
        Comparison(
            "lossless",
            "Lossless optimization",
            "Every page that the profile `archive` writes is compared with the original page, pixel by "
            "pixel, as pdfium and Poppler render them.",
            [python, str(FOLDER / "archive/lossless.py")],
            [],
            documents=True,
        ),
        Comparison(
            "archiving",
            "Conversion to PDF/A-2b",
            "veraPDF validates the files that Recto and Ghostscript write.",
            [python, str(FOLDER / "archive/convert.py")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
        Comparison(
            "verdicts",
            "Verdicts on PDF/A",
            "The verdict of `validate`, compared with the verdict of veraPDF on the same file.",
            [python, str(FOLDER / "archive/verdicts.py")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
        Comparison(
            "verdicts-converters",
            "Verdicts on the output of other programs",
            "The same for PDF/A files that Ghostscript, LibreOffice, pikepdf and krilla write.",
            [python, str(FOLDER / "archive/verdicts.py"), "--converters", str(ROOT / "build/converted")],
            [],
            documents=True,
            needs="RECTO_VERAPDF",
        ),
    ]


def documents(named: list[str], folder: Path) -> list[str]:
    """The folders of the command line, or a folder with the documents of the source packages."""
    if named:
        return named
    target = folder / "documents"
    for name in SOURCE_PACKAGES:
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
    """The command that installs packages."""
    return [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def tables(text: str) -> list[Table]:
    """The tables in the output of a program, each with its header row."""
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
    """The minimum, median and maximum in a cell."""
    match = NUMBER.match(cell)
    if match is None:
        return None
    middle, least, greatest = (float(part.replace(",", "")) if part else None for part in match.groups())
    assert middle is not None
    return (middle if least is None else least, middle, middle if greatest is None else greatest)


def draw(plot: Plot, name: str, found: list[Table], folder: Path) -> Path | None:
    """The plot of a comparison; `None` if no table has its columns."""
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
    """The machine, and the versions of the programs."""
    processors = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    model = processors[0].split(":")[1].strip() if processors else platform.processor()
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    said = [f"{len(processors)} x {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}"]
    packages = subprocess.run([*pip(), "list", "--format=freeze"], capture_output=True, text=True, check=True)
    peers = (
        "recto",
        "requests",
        "httpx",
        "urllib3",
        "flask",
        "waitress",
        "pymupdf",
        "pypdfium2",
        "pikepdf",
        "moto",
    )
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
    """The commit that was measured, and the date."""
    commit = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always"], capture_output=True, text=True, check=False
    )
    return f"Recto at {commit.stdout.strip() or 'no commit'}, {datetime.date.today().isoformat()}."


def main() -> None:
    """Runs the comparisons and writes the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=Path, required=True, help="the folder of the release programs")
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/benchmarks.md")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("documents", nargs="*")
    given = parser.parse_args()
    pictures = given.page.parent / "benchmarks"
    pictures.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(given.tools), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "RECTO_SWEEP": str(given.tools / "sweep"),
        "RECTO_VERDICTS": str(given.tools / "verdicts"),
        "RECTO_KRILLA_MADE": str(given.tools / "krilla_made"),
        "RECTO_PROGRAM": str(given.tools / "recto"),
    }
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`: no figure is entered by hand. Each program that is compared has its own "
        "process; all run alternately, in one run, on loopback. `a (b to c)` is the median of the rounds, "
        "with the minimum and the maximum.",
        "",
        *(f"- {line}" for line in machine()),
    ]
    failed = []
    with tempfile.TemporaryDirectory() as name:
        known = comparisons(given.tools, given.wheel)
        if unknown := set(given.only) - {one.name for one in known}:
            sys.exit(
                f"unknown comparison {', '.join(unknown)}; choose from {', '.join(one.name for one in known)}"
            )
        chosen = [one for one in known if not given.only or one.name in given.only]
        folders = documents(given.documents, Path(name)) if any(one.documents for one in chosen) else []
        page = sections(given.page) if given.only else {}
        for one in chosen:
            print(f"== {one.name}", flush=True)
            if one.needs and one.needs not in environment:
                said, fault = "", f"{one.needs} is not set; see benches/archive/README.md"
            else:
                said, fault = measured([*one.command, *(folders if one.documents else [])], environment)
            print(said, fault)
            for place in [*folders, str(given.tools), str(ROOT)]:
                said = said.replace(f"{place}/", "")
            lines = [one.about, ""]
            for plot in one.plots:
                picture = draw(plot, one.name, tables(said), pictures)
                if picture is not None:
                    lines += [f"![{plot.title}](benchmarks/{picture.name})", ""]
            lines += shown(said)
            if fault:
                failed.append(one.name)
                lines += ["", f"**Failed: {fault}.**"]
            page[one.title] = [*lines, "", f"*{moment()}*"]
            # Write the page after each comparison: if a later comparison fails, the results so far are kept.
            ordered = [title for title in (one.title for one in known) if title in page]
            parts = [[f"## {title}", "", *page[title], ""] for title in ordered]
            given.page.write_text("\n".join([*head, "", *itertools.chain(*parts)]).rstrip() + "\n")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def sections(page: Path) -> dict[str, list[str]]:
    """The sections of the existing page, by their titles."""
    if not page.exists():
        return {}
    parts = [part.splitlines() for part in re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]]
    return {title: "\n".join(lines).strip().splitlines() for title, *lines in parts}


def measured(command: list[str], environment: dict[str, str]) -> tuple[str, str]:
    """The output of a comparison, and the reason if it failed."""
    try:
        run = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=False, timeout=TIME_LIMIT
        )
    except subprocess.TimeoutExpired:
        return "", f"it did not end within {TIME_LIMIT} s"
    return run.stdout, f"the program exited with status {run.returncode}" if run.returncode else ""


def shown(text: str) -> list[str]:
    """The output of a program as Markdown."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith("|") and lines and lines[-1] and not lines[-1].startswith("|"):
            lines.append("")
        lines.append(line if line.startswith("|") or not line.startswith("  ") else f"- {line.strip()}")
    return lines


if __name__ == "__main__":
    main()
