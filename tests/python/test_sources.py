"""Documents from paths, buffers, file objects and sockets; results into paths, file objects and sockets."""

from __future__ import annotations

import array
import gzip
import io
import mmap
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recto
from python.loopback import PDF, Loopback

LARGE = PDF + os.urandom(3 << 20)


def sent(loopback: Loopback) -> bytes:
    (content,) = loopback.files.values()
    return content


class Path3:
    """A path-like object of bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)


@pytest.mark.parametrize("form", [str, Path, Path3], ids=["str", "Path", "PathLike of bytes"])
def test_a_path_in_any_form(
    form: Callable[[Path], Any], pdf: Path, loopback: Loopback, remote: recto.Client
) -> None:
    remote.optimize(form(pdf))
    assert sent(loopback) == PDF
    assert loopback.of("ticket")[0].json == {"fileName": "in.pdf"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_path_that_is_not_unicode(tmp_path: Path, loopback: Loopback, remote: recto.Client) -> None:
    name = os.fsencode(tmp_path) + b"/r\xe9sum\xe9.pdf"
    Path(os.fsdecode(name)).write_bytes(PDF)
    operation = remote.optimize(os.fsdecode(name))
    assert sent(loopback) == PDF
    target = os.fsencode(tmp_path) + b"/\xff.pdf"
    saved = operation.save(target)
    assert os.fsencode(saved) == target
    assert Path(os.fsdecode(target)).read_bytes() == PDF


def test_a_path_under_another_name(pdf: Path, loopback: Loopback, remote: recto.Client) -> None:
    remote.optimize(pdf, name="other.pdf")
    assert loopback.of("ticket")[0].json == {"fileName": "other.pdf"}
    assert sent(loopback) == PDF
    with pytest.raises(FileNotFoundError):
        remote.optimize(pdf.with_name("missing.pdf"), name="other.pdf")


def mapped(data: bytes) -> mmap.mmap:
    area = mmap.mmap(-1, len(data))
    area[:] = data
    return area


BUFFERS: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "writable memoryview": lambda data: memoryview(bytearray(data)),
    "strided memoryview": lambda data: memoryview(bytes(byte for pair in data for byte in (pair, 0)))[::2],
    "mmap": mapped,
    "array": lambda data: array.array("B", data),
}


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("kind", BUFFERS)
def test_a_buffer_of_any_kind(kind: str, size: str, loopback: Loopback, remote: recto.Client) -> None:
    data = PDF if size == "small" else LARGE
    remote.optimize(BUFFERS[kind](data))
    assert sent(loopback) == data
    assert loopback.of("ticket")[0].json == {"fileName": "document.pdf"}


def test_a_buffer_of_wider_items(loopback: Loopback, remote: recto.Client) -> None:
    numbers = array.array("I", range(1 << 19))
    remote.files.upload(numbers, "numbers.pdf")
    assert sent(loopback) == numbers.tobytes()


def test_a_buffer_is_released_after_the_call(remote: recto.Client) -> None:
    buffer = bytearray(LARGE)
    remote.optimize(buffer)
    buffer.extend(b"more")  # raises BufferError while it is exported


def test_bytes_are_borrowed_and_released(remote: recto.Client) -> None:
    data = bytes(LARGE)
    before = sys.getrefcount(data)
    remote.optimize(data)
    assert sys.getrefcount(data) == before


def test_an_empty_buffer_is_sent_as_it_is(loopback: Loopback, remote: recto.Client) -> None:
    remote.files.upload(b"", "empty.pdf")
    assert sent(loopback) == b""


def test_a_source_without_a_name_needs_one_unless_it_is_a_pdf(
    loopback: Loopback, remote: recto.Client
) -> None:
    for source in (b"\x89PNG", io.BytesIO(b"\x89PNG")):
        with pytest.raises(recto.InvalidRequest, match=r'name="scan\.png"'):
            remote.image_to_pdf(source)
    assert loopback.requests == []
    remote.image_to_pdf(b"\x89PNG", name="scan.png")
    assert loopback.of("ticket")[0].json == {"fileName": "scan.png"}


class OneByOne(io.RawIOBase):
    """Not seekable; returns one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece, self.rest = self.rest[:1], self.rest[1:]
        buffer[: len(piece)] = piece
        return len(piece)


class OnlyRead:
    """A file object with only the required method."""

    def __init__(self, data: bytes) -> None:
        self.file = io.BytesIO(data)

    def read(self, size: int) -> bytes:
        return self.file.read(size)


FILES: dict[str, Callable[[Path], Any]] = {
    "buffered": lambda path: path.open("rb"),
    "raw": lambda path: path.open("rb", buffering=0),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "gzip": lambda path: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(path.read_bytes()))),
    "non-seekable": lambda path: OneByOne(path.read_bytes()),
    "only read": lambda path: OnlyRead(path.read_bytes()),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_binary_file_object_of_any_kind(
    kind: str, pdf: Path, loopback: Loopback, remote: recto.Client
) -> None:
    file = FILES[kind](pdf)
    remote.optimize(file)
    assert sent(loopback) == PDF
    name = "in.pdf" if kind in ("buffered", "raw") else "document.pdf"
    assert loopback.of("ticket")[0].json == {"fileName": name}
    if hasattr(file, "close"):
        assert not file.closed, "the file is the caller's"
        file.close()


def test_a_file_object_is_read_from_its_current_position(loopback: Loopback, remote: recto.Client) -> None:
    file = io.BytesIO(b"before" + PDF)
    file.seek(6)
    remote.optimize(file)
    assert sent(loopback) == PDF


class Counted(io.BytesIO):
    """Counts the bytes that are read from it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self.count += len(piece)
        return piece


class Stream(Counted):
    """Counts the bytes; it is not seekable, so it can be read only once."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize(("kind", "times"), [(Counted, 3), (Stream, 1)])
def test_a_retry_rewinds_a_file_object_and_reads_a_stream_only_once(
    kind: type[Counted], times: int, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.answer("put", 503, times=2, retry_after="0")
    file = kind(LARGE)
    remote.optimize(file)
    assert sent(loopback) == LARGE
    assert [len(put.body) for put in loopback.of("put")] == [len(LARGE)] * 3
    assert file.count == times * len(LARGE)


@pytest.mark.parametrize("kind", ["file", "BytesIO", "bytearray", "mmap"])
def test_a_seekable_source_needs_no_temporary_file(
    kind: str, tmp_path: Path, loopback: Loopback, remote: recto.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.pdf"
    path.write_bytes(LARGE)
    loopback.answer("put", 503, times=1, retry_after="0")
    # Without a temporary directory, a call that needs a temporary file fails, as the call with a stream below does.
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as area:
        sources: dict[str, Any] = {
            "file": file,
            "BytesIO": io.BytesIO(LARGE),
            "bytearray": bytearray(LARGE),
            "mmap": area,
        }
        remote.optimize(sources[kind])
    assert sent(loopback) == LARGE
    with pytest.raises(OSError, match="TMPDIR"):
        remote.optimize(Stream(LARGE))


def test_a_stream_may_have_a_length(loopback: Loopback, remote: recto.Client) -> None:
    class Sized(Stream):
        length = len(LARGE)

        def __len__(self) -> int:
            return self.length

    remote.optimize(Sized(LARGE))
    assert sent(loopback) == LARGE
    liar = Sized(LARGE)
    liar.length += 1
    with pytest.raises(recto.InvalidRequest, match="shorter"):
        remote.optimize(liar)


def test_a_file_object_that_fails_to_seek_raises_an_error(loopback: Loopback, remote: recto.Client) -> None:
    class OnceOnly(Counted):
        def seek(self, offset: int, whence: int = 0, /) -> int:
            if self.count:
                raise TroubleError("it was read already")
            return super().seek(offset, whence)

    loopback.answer("put", 503, times=1, retry_after="0")
    with pytest.raises(TroubleError, match="read already"):
        remote.optimize(OnceOnly(LARGE))


def test_sockets_are_sources_and_targets(loopback: Loopback, remote: recto.Client) -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(PDF)
        there.shutdown(socket.SHUT_WR)
        operation = remote.optimize(here)
        assert sent(loopback) == PDF
        assert operation.write_to(here) == len(PDF)
        assert there.recv(1 << 16) == PDF
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile("rb") as file:
        theirs.sendall(PDF)
        theirs.close()
        remote.optimize(file)


@pytest.mark.parametrize("file", [io.StringIO("text"), sys.__stdout__], ids=["StringIO", "open"])
def test_a_text_file_is_refused_with_advice(file: Any, remote: recto.Client) -> None:
    with pytest.raises(TypeError, match=r"binary mode: open\(path, \"rb\"\)"):
        remote.optimize(file)
    operation = remote.optimize(PDF)
    with pytest.raises(TypeError, match=r"binary mode: open\(path, \"wb\"\)"):
        operation.write_to(file)


@pytest.mark.parametrize("source", [None, 3, object()], ids=repr)
def test_an_invalid_source_is_refused_with_the_valid_types(source: Any, remote: recto.Client) -> None:
    with pytest.raises(TypeError, match="expected a path, an address, bytes"):
        remote.optimize(source)


def test_a_file_id_is_a_file_in_the_service(loopback: Loopback, remote: recto.Client) -> None:
    file_id = remote.files.upload(PDF)
    assert isinstance(file_id, recto.FileId)
    remote.optimize(file_id)
    remote.optimize(recto.FileId("another"))
    assert [start.json["input"]["fileId"] for start in loopback.of("start")] == [file_id, "another"]
    assert len(loopback.of("put")) == 1


class TroubleError(Exception):
    """Raised by file objects of these tests."""


class Broken(io.RawIOBase):
    def __init__(self, after: int) -> None:
        self.left = after

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.left -= 1
        if self.left < 0:
            raise TroubleError("while reading")
        return len(buffer)

    def write(self, _: Any) -> int:
        raise TroubleError("while writing")


@pytest.mark.parametrize("after", [0, 3])
def test_an_exception_of_a_file_object_is_raised(after: int, remote: recto.Client) -> None:
    with pytest.raises(TroubleError, match="while reading"):
        remote.optimize(Broken(after))
    operation = remote.optimize(PDF)
    with pytest.raises(TroubleError, match="while writing"):
        operation.write_to(Broken(0))
    assert operation.read() == PDF, "the client still works"


def test_file_objects_that_return_wrong_values_are_refused(remote: recto.Client) -> None:
    class Liar:
        def __init__(self, gives: Any) -> None:
            self.gives = gives

        def read(self, _: int) -> Any:
            return self.gives

        write = read

    for gives, error, message in [
        ("text", TypeError, "must return bytes"),
        (None, BlockingIOError, "non-blocking"),
        (b"x" * (1 << 20), ValueError, "more than"),
    ]:
        with pytest.raises(error, match=message):
            remote.optimize(Liar(gives))
    with pytest.raises(ValueError, match="more than"):
        remote.optimize(PDF).write_to(Liar(1 << 20))  # type: ignore[arg-type]


class Partly(io.RawIOBase):
    """Accepts at most seven bytes at a time."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data[:7])
        return len(data[:7])


def test_a_result_goes_into_file_objects_of_any_kind(
    tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    loopback.result_bytes = LARGE[: 1 << 16]
    operation = remote.optimize(PDF)
    partly, buffer = Partly(), io.BytesIO()
    assert operation.write_to(partly) == len(loopback.result_bytes)
    assert operation.write_to(buffer) == len(loopback.result_bytes)
    assert partly.taken == buffer.getvalue() == operation.read() == loopback.result_bytes
    with (tmp_path / "out.pdf").open("wb") as file:
        operation.write_to(file)
    assert (tmp_path / "out.pdf").read_bytes() == loopback.result_bytes


def test_a_result_is_saved_under_the_given_name_or_its_own_safe_name(
    tmp_path: Path, loopback: Loopback, remote: recto.Client
) -> None:
    operation = remote.optimize(PDF)
    assert operation.save(str(tmp_path / "a.pdf")) == tmp_path / "a.pdf"
    assert operation.save(tmp_path) == tmp_path / "document.pdf"
    loopback.result_name = "../../etc/pass\x00wd.exe"
    saved = remote.optimize(recto.FileId(remote.files.upload(PDF))).save(tmp_path)
    assert saved.parent == tmp_path
    assert saved.suffix == ".pdf"
    assert isinstance(saved, Path)
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {PDF}


READ = """
import resource, sys
import recto

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

client = recto.Client(base_url=sys.argv[1], api_key="key", retries=2)
operation = client.optimize(b"%PDF-1.7")
operation.result()
before = peak()
result = operation.read()
print(len(result), (peak() - before) / len(result))
"""


def test_reading_a_result_keeps_one_copy_in_memory(loopback: Loopback) -> None:
    loopback.result_bytes = PDF + bytes(64 << 20)
    run = subprocess.run(
        [sys.executable, "-c", READ, loopback.base_url], capture_output=True, text=True, check=False
    )
    length, times = run.stdout.split()
    assert int(length) == len(loopback.result_bytes)
    assert float(times) < 1.4, f"the peak of memory rose by {times} times the result"


def test_reading_resumes_an_interrupted_transfer(loopback: Loopback, remote: recto.Client) -> None:
    loopback.result_bytes = LARGE
    half = LARGE[: len(LARGE) // 2]
    loopback.answer("download", 200, half, times=1, content_length=str(len(LARGE)), connection="close")
    assert remote.optimize(PDF).read() == LARGE
    assert len(loopback.of("download")) == 2


def test_a_failed_save_keeps_the_existing_file(tmp_path: Path, loopback: Loopback) -> None:
    target = tmp_path / "out.pdf"
    target.write_bytes(b"before")
    with recto.Client(**loopback.settings(), retries=0) as client:
        operation = client.optimize(PDF)
        loopback.answer("download", 500)
        with pytest.raises(recto.ServerError):
            operation.save(target)
    assert target.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.pdf"]
