"""Recto: a client for a PDF processing service that brings the service along.

    import recto

    with recto.Client() as client:
        client.optimize("report.pdf", profile="web").save("small.pdf")

Without configuration an embedded service does the work, on this machine; nothing leaves it. With
`RECTO_BASE_URL` and `RECTO_API_KEY`, or `Client(base_url=…, api_key=…)`, the hosted service does.

`Client` is what to start with, `AsyncClient` its twin for asyncio; `recto.errors` draws the tree of
exceptions. Log records go to the logger `recto` of the standard `logging`.
"""

from __future__ import annotations

from recto._client import Client
from recto._native import Batch, Cancel, Files, LocalService, Operation, __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto import errors, progress
    from recto.aio import AsyncBatch, AsyncClient, AsyncFiles, AsyncOperation
    from recto.enums import (
        ColorSpace,
        Conformance,
        FontFamily,
        OperationType,
        PageSize,
        Phase,
        Profile,
        Strategy,
        Unit,
    )
    from recto.errors import (
        AuthError,
        Cancelled,
        ConfigError,
        Error,
        InvalidRequest,
        NotFound,
        OperationFailed,
        OutcomeUnknown,
        PayloadTooLarge,
        PermissionDenied,
        ProtocolError,
        RateLimited,
        RequestTimeout,
        ServerError,
        TransportError,
        WaitTimeout,
    )
    from recto.options import Margin, PageMargin, PixelSize, SquareSize, StampSize, TextStyle
    from recto.records import BatchItem, FileId, FileRecord, OutputFile, Progress, Result, ValidationReport

__all__ = [
    "AsyncBatch",
    "AsyncClient",
    "AsyncFiles",
    "AsyncOperation",
    "AuthError",
    "Batch",
    "BatchItem",
    "Cancel",
    "Cancelled",
    "Client",
    "ColorSpace",
    "ConfigError",
    "Conformance",
    "Error",
    "FileId",
    "FileRecord",
    "Files",
    "FontFamily",
    "InvalidRequest",
    "LocalService",
    "Margin",
    "NotFound",
    "Operation",
    "OperationFailed",
    "OperationType",
    "OutcomeUnknown",
    "OutputFile",
    "PageMargin",
    "PageSize",
    "PayloadTooLarge",
    "PermissionDenied",
    "Phase",
    "PixelSize",
    "Profile",
    "Progress",
    "ProtocolError",
    "RateLimited",
    "RequestTimeout",
    "Result",
    "ServerError",
    "SquareSize",
    "StampSize",
    "Strategy",
    "TextStyle",
    "TransportError",
    "Unit",
    "ValidationReport",
    "WaitTimeout",
    "__version__",
    "errors",
    "progress",
]

# Loaded on first use, so that `import recto` costs no more than what every program needs.
_HOMES = ("errors", "options", "records", "enums", "aio")


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'recto' has no attribute {name!r}")
    value: object
    if name in ("errors", "progress"):
        value = getattr(__import__(f"recto.{name}"), name)
    else:
        homes = (__import__(f"recto.{home}", fromlist=(name,)) for home in _HOMES)
        value = next(getattr(home, name) for home in homes if name in home.__all__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
