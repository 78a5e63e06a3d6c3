"""Generates the bodies of the recordings: small documents made for this suite. Run it in this folder."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent


def pdf(text: str, pages: int = 1) -> bytes:
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for page in range(pages):
        content = f"BT /F1 24 Tf 72 720 Td ({text} {page + 1}) Tj ET\n".encode()
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
            + f" /Contents {5 + 2 * page} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n" % len(content) + content + b"endstream")
    out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def png(width: int, height: int) -> bytes:
    rows = (
        bytes(value for x in range(width) for value in (x * 8 % 256, y * 8 % 256, 128)) for y in range(height)
    )
    raw = b"".join(b"\0" + row for row in rows)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw, 9))
        + chunk(b"IEND", b"")
    )


def tiff() -> bytes:
    """One row of eight pixels, one bit each, uncompressed."""
    values = [(256, 8), (257, 1), (258, 1), (259, 1), (262, 0), (273, 8), (277, 1), (278, 1), (279, 1)]
    entries = b"".join(
        struct.pack("<HHII", tag, 4 if tag in (273, 279) else 3, 1, value) for tag, value in values
    )
    return b"II*\0" + struct.pack("<I", 10) + b"\xaa\0" + struct.pack("<H", len(values)) + entries + bytes(4)


def archive(entries: list[tuple[str, bytes, int]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data, compression in entries:
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = compression
            made.writestr(info, data)
    return out.getvalue()


def slides() -> bytes:
    """A minimal presentation: one slide with one line."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.presentation"
    manifest = (
        f'<?xml version="1.0"?><manifest:manifest xmlns:manifest="{office}:manifest:1.0" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{office}:office:1.0"'
        f' xmlns:draw="{office}:drawing:1.0" xmlns:text="{office}:text:1.0"'
        f' xmlns:svg="{office}:svg-compatible:1.0" office:version="1.2"><office:body><office:presentation>'
        '<draw:page draw:name="one"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm">'
        "<draw:text-box><text:p>One slide</text:p></draw:text-box></draw:frame></draw:page>"
        "</office:presentation></office:body></office:document-content>"
    )
    deflated = zipfile.ZIP_DEFLATED
    return archive(
        [
            ("mimetype", kind.encode(), zipfile.ZIP_STORED),
            ("META-INF/manifest.xml", manifest.encode(), deflated),
            ("content.xml", content.encode(), deflated),
        ]
    )


RECORD = json.dumps(
    {
        "id": "file-17",
        "name": "one-page.pdf",
        "extension": "pdf",
        "createdAt": "2024-05-06T07:08:09.5Z",
        "origin": "fromLocal",
    }
).encode()
ERROR = b'{"code":"bad_id","detail":"identifiers have 8 digits"}'

# Besides these, `brotli -c record.json` and `zstd -c record.json` made record.json.br and record.json.zst.
BODIES = {
    "one-page.pdf": pdf("Input, page"),
    "result.pdf": pdf("Result, page", 2),
    "earlier.pdf": pdf("What was here before, page"),
    "image.png": png(32, 24),
    "letter.txt": b"Dear reader,\n\nthis letter is a test document.\n\nYours, Recto\n",
    "table.csv": b"item,count\npages,2\nimages,0\n",
    "slides.odp": slides(),
    "pages.zip": archive(
        [("page-1.png", png(4, 4), zipfile.ZIP_DEFLATED), ("page-2.png", png(4, 3), zipfile.ZIP_DEFLATED)]
    ),
    "pages.tif": tiff(),
    "inflates-to-32-mib.json.gz": gzip.compress(b'{"files": []' + b" " * (32 << 20) + b"}", 9, mtime=0),
    "record.json": RECORD,
    "record.json.gz": gzip.compress(RECORD, mtime=0),
    "record.json.zlib": zlib.compress(RECORD),
    "record.json.zlib.gz": gzip.compress(zlib.compress(RECORD), mtime=0),
    "record-cut.json.gz": gzip.compress(RECORD, mtime=0)[: len(gzip.compress(RECORD, mtime=0)) // 2],
    "error.json.gz": gzip.compress(ERROR, mtime=0),
}

if __name__ == "__main__":
    for name, body in BODIES.items():
        (HERE / name).write_bytes(body)
