"""Compresses PDFs in a program with asyncio's loop, through the C interface with ctypes only.

    python3 ctypes_asyncio.py OUT-FOLDER IN.pdf...     # if it is not installed: LIBRECTO=/path/to/librecto.so

For Python itself there is the package `recto`, with `recto.aio`.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_ssize_t, c_void_p

recto = ctypes.CDLL(os.environ.get("LIBRECTO", "librecto.so.0.1"))
HANDLE = POINTER(c_void_p)
recto.recto_client_new.argtypes = [c_void_p, HANDLE, HANDLE]
recto.recto_background_run.argtypes = [
    *[c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, c_void_p, HANDLE, HANDLE],
]
recto.recto_task_take_path.argtypes = [c_void_p, HANDLE, HANDLE]
for call in (recto.recto_client_new, recto.recto_background_run, recto.recto_task_take_path):
    call.restype = c_int32
recto.recto_task_descriptor.argtypes = [c_void_p]
recto.recto_task_descriptor.restype = c_ssize_t
recto.recto_error_message.argtypes = [c_void_p]
recto.recto_error_message.restype = c_char_p
for free in (recto.recto_error_free, recto.recto_task_free, recto.recto_client_free, recto.recto_free):
    free.argtypes = [c_void_p]
    free.restype = None


def check(status: int, error: c_void_p) -> None:
    """Raises the error of a call that failed."""
    if status < 0:
        message = recto.recto_error_message(error).decode()
        recto.recto_error_free(error)
        raise RuntimeError(message)


async def compress(client: c_void_p, source: str, folder: str) -> str:
    """Compresses `source`, saves the result in `folder`, and returns its path. Cancelling the task cancels the call."""
    task, error, path = c_void_p(), c_void_p(), c_void_p()
    names = (b"optimize", os.fsencode(source), None, os.fsencode(folder))
    check(recto.recto_background_run(client, *names, None, byref(task), byref(error)), error)
    loop, ended, descriptor = asyncio.get_running_loop(), asyncio.Event(), recto.recto_task_descriptor(task)
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
        check(recto.recto_task_take_path(task, byref(path), byref(error)), error)
        return os.fsdecode(ctypes.string_at(path))
    finally:
        loop.remove_reader(descriptor)
        recto.recto_free(path)
        recto.recto_task_free(task)


async def main(folder: str, *sources: str) -> int:
    """Compresses all documents at the same time."""
    client, error = c_void_p(), c_void_p()
    check(recto.recto_client_new(None, byref(client), byref(error)), error)
    done = await asyncio.gather(
        *(compress(client, source, folder) for source in sources), return_exceptions=True
    )
    recto.recto_client_free(client)
    for source, result in zip(sources, done, strict=True):
        failed = isinstance(result, BaseException)
        print(f"{source}: {result}" if failed else result, file=sys.stderr if failed else sys.stdout)
    return int(any(isinstance(result, BaseException) for result in done))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
