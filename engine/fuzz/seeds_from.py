"""Takes additional seeds for the fuzz targets from a folder of documents: small files, and streams of PDF files.

    python engine/fuzz/seeds_from.py FOLDER OUTPUT

OUTPUT/NAME gets the seeds of the target NAME. Only half of the files are used, selected by a hash of their names, so
that the fuzzer does not know the other half.
"""

from __future__ import annotations

import hashlib
import re
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

LARGEST = 24 << 10
STREAM = re.compile(rb"stream\r?\n")
OPERATORS = re.compile(rb"\b(?:Tj|TJ|Tf|re|Do|cm|BT|gs)\b")


def streams(pdf: bytes) -> Iterator[bytes]:
    """The streams of a file that are deflated or not encoded at all. Damaged ones are left out."""
    for start in STREAM.finditer(pdf):
        end = pdf.find(b"endstream", start.end())
        data = pdf[start.end() : end if end >= 0 else None]
        if data[:1] in b"\x08\x18\x28\x38\x48\x58\x68\x78":
            try:
                data = zlib.decompressobj().decompress(data, 1 << 20)
            except zlib.error:
                continue
        yield data


def character_maps(font: bytes) -> bytes | None:
    """The table `cmap` of a TrueType font."""
    for entry in range(min(int.from_bytes(font[4:6], "big"), 64)):
        record = font[12 + 16 * entry :][:16]
        if len(record) == 16 and record[:4] == b"cmap":
            offset, length = struct.unpack(">II", record[8:])
            return font[offset : offset + length]
    return None


def seeds_of(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The targets that this stream is a seed for."""
    if data.startswith((b"%!", b"\x80\x01")):
        yield "type_1", data
    elif data.startswith((b"\0\1\0\0\0", b"true\0")):
        yield "true_type", data
        if table := character_maps(data):
            yield "cmap", table
    elif re.match(rb"\x01\x00[\x04-\x10][\x01-\x04]", data):
        yield "cff", data
    elif data.startswith(b"\xff\xd8\xff"):
        yield "image", data
    elif len(data) < LARGEST // 2 and len(OPERATORS.findall(data)) >= 3:
        yield "content", data
        yield "lexer", data


def seeds_in(file: Path) -> Iterator[tuple[str, bytes]]:
    """The seeds of one file."""
    data = file.read_bytes()
    match file.suffix.lower():
        case ".pdf":
            yield "document", data
            for stream in streams(data):
                yield from seeds_of(stream)
        case ".tif" | ".tiff":
            yield "tiff", data
            yield "image", data


def main() -> None:
    """Writes the seeds, and prints how many each target has."""
    folder, output = Path(sys.argv[1]), Path(sys.argv[2])
    count: dict[str, int] = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder)).encode()
        if not file.is_file() or hashlib.sha256(name).digest()[0] % 2:
            continue
        for target, seed in seeds_in(file):
            if 0 < len(seed) <= LARGEST:
                path = output / target / hashlib.sha256(seed).hexdigest()[:16]
                path.parent.mkdir(parents=True, exist_ok=True)
                count[target] = count.get(target, 0) + (not path.exists())
                path.write_bytes(seed)
    for target, number in sorted(count.items()):
        sys.stdout.write(f"{target}: {number}\n")


if __name__ == "__main__":
    main()
