"""Compresses a PDF through the C interface with ctypes only, as any language with an FFI can.

    python3 ctypes_compress.py IN.pdf OUT.pdf          # if it is not installed: LIBRECTO=/path/to/librecto.so

For Python itself there is the package `recto`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_void_p

recto = ctypes.CDLL(os.environ.get("LIBRECTO", "librecto.so.0.1"))
HANDLE = POINTER(c_void_p)
recto.recto_client_new.argtypes = [c_void_p, HANDLE, HANDLE]
recto.recto_start_path.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, c_void_p, HANDLE, HANDLE]
recto.recto_operation_save.argtypes = [c_void_p, c_char_p, c_void_p, HANDLE, HANDLE]
for call in (recto.recto_client_new, recto.recto_start_path, recto.recto_operation_save):
    call.restype = c_int32
recto.recto_error_message.argtypes = [c_void_p]
recto.recto_error_message.restype = c_char_p
for free in (recto.recto_error_free, recto.recto_operation_free, recto.recto_client_free):
    free.argtypes = [c_void_p]
    free.restype = None


def check(status: int, error: c_void_p) -> None:
    """Raises the error of a call that failed."""
    if status < 0:
        message = recto.recto_error_message(error).decode()
        recto.recto_error_free(error)
        raise RuntimeError(message)


def compress(source: str, target: str) -> None:
    """Compresses `source` and saves the result as `target`."""
    client, operation, error = c_void_p(), c_void_p(), c_void_p()
    try:
        check(recto.recto_client_new(None, byref(client), byref(error)), error)
        started = recto.recto_start_path(
            client,
            b"optimize",
            os.fsencode(source),
            b'{"profile": "web"}',
            None,
            byref(operation),
            byref(error),
        )
        check(started, error)
        saved = recto.recto_operation_save(operation, os.fsencode(target), None, None, byref(error))
        check(saved, error)
    finally:
        recto.recto_operation_free(operation)
        recto.recto_client_free(client)


if __name__ == "__main__":
    try:
        compress(*sys.argv[1:])
    except RuntimeError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    print(sys.argv[2])
