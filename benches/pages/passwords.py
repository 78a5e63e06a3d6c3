"""Checks `encrypt` and `decrypt` with qpdf and poppler as oracles.

    python benches/pages/passwords.py [--step N] FOLDER...

qpdf encrypts each document in every revision of the standard, and Recto decrypts it with the user and the owner
password. Recto also encrypts each document, and qpdf decrypts it. The first two pages must be equal pixel by pixel,
and have the same text.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from common import made, operate, pdfs, poppler, table

REVISIONS = {
    "R2, RC4 40": ["40"],
    "R3, RC4 128": ["128", "--use-aes=n"],
    "R4, RC4 128": ["128", "--force-V4"],
    "R4, AES 128": ["128", "--use-aes=y"],
    "R4, AES, metadata in the clear": ["128", "--use-aes=y", "--cleartext-metadata"],
    "R5, AES 256": ["256", "--force-R5"],
    "R6, AES 256": ["256"],
}
USER, OWNER = "the user's", "der Eigentümer"


def main() -> None:
    """Checks all documents, and prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--step", type=int, default=1, help="check every N-th document only")
    given = parser.parse_args()
    counts: dict[str, Counter[str]] = {name: Counter() for name in [*REVISIONS, "R6 by us"]}
    for file in pdfs(given.folders)[:: given.step]:
        with tempfile.TemporaryDirectory() as folder:
            check(file, Path(folder), counts)
    verdicts = sorted({verdict for row in counts.values() for verdict in row})
    table(
        ["encryption", *verdicts],
        [(name, *(row[verdict] for verdict in verdicts)) for name, row in counts.items()],
    )


def check(file: Path, folder: Path, counts: dict[str, Counter[str]]) -> None:
    """Checks one document."""
    plain = folder / "plain.pdf"
    # Skip documents that are damaged or already encrypted.
    if qpdf("--check", file) != 0 or qpdf("--is-encrypted", file) == 0 or qpdf(file, plain) != 0:
        return
    wanted = look(plain, folder)
    for name, bits in REVISIONS.items():
        # Before revision 5 of the encryption, passwords can only contain Latin letters.
        owner = OWNER if "256" in name else "owner"
        sealed = folder / "sealed.pdf"
        seal = qpdf("--allow-weak-crypto", "--encrypt", USER, owner, *bits, "--", plain, sealed)
        for password in (USER, owner):
            verdict = "not made by qpdf"
            if seal == 0:
                operate([sealed], "decrypt", {"password": password}, keep=folder)
                verdict = compare(made(folder, sealed, "decrypt"), wanted, folder)
            tell(file, name, verdict, counts)
    operate([plain], "encrypt", {"password": OWNER}, keep=folder)
    ours = made(folder, plain, "encrypt")
    verdict, opened = "not opened by qpdf", folder / "opened.pdf"
    if ours and qpdf(f"--password={OWNER}", "--decrypt", ours, opened) == 0:
        said = qpdf_says(f"--password={OWNER}", "--show-encryption", ours)
        right = "R = 6" in said and said.count("AESv3") == 3 and qpdf("--check", "--password=x", ours) != 0
        verdict = compare(opened, wanted, folder) if right else "another algorithm"
    tell(file, "R6 by us", verdict, counts)


def tell(file: Path, name: str, verdict: str, counts: dict[str, Counter[str]]) -> None:
    """Counts a verdict."""
    counts[name][verdict] += 1
    if verdict != "equal":
        print(f"{file}, {name}: {verdict}", flush=True, file=sys.stderr)


def look(file: Path, folder: Path) -> tuple[list[bytes], str]:
    """The first pages and their text."""
    text = subprocess.run(["pdftotext", "-l", "2", str(file), "-"], capture_output=True, check=False).stdout
    return [page.tobytes() for page in poppler(file, folder, 2, dpi=50)], text.decode(errors="replace")


def compare(file: Path | None, wanted: tuple[list[bytes], str], folder: Path) -> str:
    """The verdict: whether the document is valid and looks as before."""
    if file is None:
        return "not made by us"
    if qpdf("--check", file) != 0:
        return "not sound"
    return "equal" if look(file, folder) == wanted else "differs"


def qpdf(*arguments: str | Path) -> int:
    """The exit status of qpdf; warnings count as success."""
    return subprocess.run(
        ["qpdf", *map(str, arguments)], capture_output=True, check=False, timeout=120
    ).returncode


def qpdf_says(*arguments: str | Path) -> str:
    """The output of qpdf."""
    return subprocess.run(["qpdf", *map(str, arguments)], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main()
