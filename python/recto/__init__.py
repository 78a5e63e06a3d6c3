"""Recto: a client for a PDF processing service, with an embedded service.

    import recto

    with recto.Client() as client:
        client.optimize("report.pdf", profile="web").save("small.pdf")

Without configuration an embedded service processes the documents, and nothing leaves this machine. With
`RECTO_BASE_URL` and `RECTO_API_KEY`, or `Client(base_url=…, api_key=…)`, the hosted service does.

Start with `Client`, or with `AsyncClient` for asyncio. `recto.errors` shows the tree of exceptions. Log records go to
the logger `recto` of the standard `logging`.
"""

from __future__ import annotations

from recto import _interpreter  # refuses a subinterpreter, before the native module is loaded
from recto._client import Client
from recto._imports import importing as _importing
from recto._native import Batch, ByteStream, Cancel, Files, LocalService, Operation, __version__

del _interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto import errors, progress
    from recto._udf import Udf
    from recto._watch import Watch
    from recto.aio import AsyncBatch, AsyncClient, AsyncFiles, AsyncOperation
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
    from recto.records import (
        BatchItem,
        ComparedPage,
        Comparison,
        FileId,
        FileRecord,
        OutputFile,
        Progress,
        Result,
        ValidationReport,
    )

# Generated from the table of operations by python/tests/generated: do not edit.
if TYPE_CHECKING:
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
    from recto.options import (
        Margin,
        PageMargin,
        PixelSize,
        SquareSize,
        StampSize,
        TextStyle,
    )
# End of the generated part.

__all__ = [
    "AsyncBatch",
    "AsyncClient",
    "AsyncFiles",
    "AsyncOperation",
    "AuthError",
    "Batch",
    "BatchItem",
    "ByteStream",
    "Cancel",
    "Cancelled",
    "Client",
    "ComparedPage",
    "Comparison",
    "ConfigError",
    "Error",
    "FileId",
    "FileRecord",
    "Files",
    "InvalidRequest",
    "LocalService",
    "NotFound",
    "Operation",
    "OperationFailed",
    "OutcomeUnknown",
    "OutputFile",
    "PayloadTooLarge",
    "PermissionDenied",
    "Progress",
    "ProtocolError",
    "RateLimited",
    "RequestTimeout",
    "Result",
    "ServerError",
    "TransportError",
    "Udf",
    "ValidationReport",
    "WaitTimeout",
    "Watch",
    "__version__",
    "errors",
    "progress",
]

# Generated from the table of operations by python/tests/generated: do not edit.
__all__ += [
    "ColorSpace",
    "Conformance",
    "FontFamily",
    "Margin",
    "OperationType",
    "PageMargin",
    "PageSize",
    "Phase",
    "PixelSize",
    "Profile",
    "SquareSize",
    "StampSize",
    "Strategy",
    "TextStyle",
    "Unit",
]
# End of the generated part.

# These modules are loaded when they are first used, so that `import recto` loads only what every program needs.
_MODULES = ("errors", "options", "records", "enums", "_watch", "_udf", "aio")


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'recto' has no attribute {name!r}")
    value: object
    with _importing:
        if name in ("errors", "progress"):
            value = getattr(__import__(f"recto.{name}"), name)
        else:
            modules = (__import__(f"recto.{module}", fromlist=(name,)) for module in _MODULES)
            value = next(getattr(module, name) for module in modules if name in module.__all__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
