"""What can go wrong, as exceptions.

    Error
    ├── ConfigError (ValueError)            the client was told something that cannot be
    ├── InvalidRequest (ValueError)         the request cannot succeed: an option, an input, a 4xx
    ├── AuthError                           401: the key is missing or wrong
    ├── PermissionDenied (PermissionError)  403: the key may not do this
    ├── NotFound (LookupError)              404, 410: no such file or operation
    ├── RateLimited                         429: too many requests, after all retries
    ├── PayloadTooLarge                     413: the document is larger than the service takes
    ├── ServerError                         5xx, after all retries
    ├── TransportError (ConnectionError)    the service was not reached, or the connection broke
    ├── RequestTimeout (TimeoutError)       a request took longer than it may
    ├── WaitTimeout (TimeoutError)          the operation goes on; its `token` resumes it
    ├── OperationFailed                     the service ended the operation without a result
    ├── OutcomeUnknown                      the operation may have been started, or not
    ├── ProtocolError                       the service answered what the interface does not allow
    └── Cancelled                           the call was cancelled, or its client closed

A file of this machine that cannot be read or written raises what `open` raises: `FileNotFoundError`,
`PermissionError`, `IsADirectoryError` or another `OSError`, with the `phase` as an attribute.

Each message says what happened and what to do next. The fields hold what is known of the request, and
`None` for the rest; neither holds a key, a password or the query of a signed address.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "AuthError",
    "Cancelled",
    "ConfigError",
    "Error",
    "InvalidRequest",
    "NotFound",
    "OperationFailed",
    "OutcomeUnknown",
    "PayloadTooLarge",
    "PermissionDenied",
    "ProtocolError",
    "RateLimited",
    "RequestTimeout",
    "ServerError",
    "TransportError",
    "WaitTimeout",
]


class Error(Exception):
    """The base of all errors of Recto.

    >>> try:
    ...     client.files.get("no-such-file")
    ... except recto.Error as error:
    ...     (type(error).__name__, error.status)
    ('NotFound', 404)
    """

    status: int | None
    """The HTTP status."""
    code: str | None
    """The service's word for the problem, for programs."""
    title: str | None
    """The service's title of the problem."""
    detail: str | None
    """What the service says of this occurrence."""
    request_id: str | None
    """The identifier under which the service logged the request."""
    operation_id: str | None
    """The operation concerned."""
    document: str | None
    """The document concerned, as the caller calls it: its path, its name, `file <id>`."""
    retry_after: float | None
    """The seconds after which the service invites another try."""
    attempts: int | None
    """How often the request was sent."""
    phase: str | None
    """What was being done."""
    method: str | None
    """The HTTP method."""
    url: str | None
    """The address, without its secrets."""
    body: str | None
    """The beginning of the answer."""
    retryable: bool
    """Whether the same call may succeed later."""
    token: str | None
    """What resumes the operation: `client.operation(token)`."""

    def __init__(self, message: str = "", /, **fields: Any) -> None:
        """Make an error; `fields` are the attributes above."""
        super().__init__(message)
        fields["retryable"] = bool(fields.get("retryable"))
        for name in _FIELDS:
            setattr(self, name, fields.pop(name, None))
        if fields:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(fields)}")

    def __str__(self) -> str:
        """The message: what happened, and what to do next."""
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the fields."""
        fields = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        return _restore, (type(self), str(self), fields)


_FIELDS = tuple(Error.__annotations__)


def _restore(cls: type[Error], message: str, fields: dict[str, Any]) -> Error:
    return cls(message, **fields)


class ConfigError(Error, ValueError):
    """The client was told something that cannot be, or was used after it was closed."""


class InvalidRequest(Error, ValueError):
    """The request cannot succeed as it is: an option, an input, or what the service refused as invalid.

    >>> client.optimize("report.pdf", profile="wbe")
    Traceback (most recent call last):
    recto.errors.InvalidRequest: option profile: "wbe" is not one of web, archive, print, minimalFileSize
    """


class AuthError(Error):
    """The service does not accept the API key (401)."""


class PermissionDenied(Error, PermissionError):
    """The service does not allow this with the given API key (403)."""


class NotFound(Error, LookupError):
    """The service knows no such file or operation, or no longer does (404, 410)."""


class RateLimited(Error):
    """The service took no more requests, after all retries (429); see `retry_after`."""


class PayloadTooLarge(Error):
    """The document is larger than the service takes (413)."""


class ServerError(Error):
    """The service failed, after all retries (5xx)."""


class TransportError(Error, ConnectionError):
    """The service could not be reached, or the connection broke, after all retries."""


class RequestTimeout(Error, TimeoutError):
    """A request took longer than it may."""


class WaitTimeout(Error, TimeoutError):
    """The operation was not finished in time. It goes on: `client.operation(error.token)` resumes the wait."""


class OperationFailed(Error):
    """The service ended the operation without a result."""


class OutcomeUnknown(Error):
    """The request to start an operation was sent, and no answer came: it may be running, or not."""


class ProtocolError(Error):
    """The service answered what its interface does not allow."""


class Cancelled(Error):
    """The call was cancelled, or its client was closed by another thread."""
