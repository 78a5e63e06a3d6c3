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

>>> try:
...     client.optimize("broken.pdf").save("small.pdf")
... except FileNotFoundError:
...     print("there is no such file")
... except recto.Error as error:
...     print(type(error).__name__, error.phase, error.document)
OperationFailed wait broken.pdf

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
    """The client was told something that cannot be, or was used after it was closed.

    >>> recto.Client(base_url="pdf.example.org")
    Traceback (most recent call last):
    recto.errors.ConfigError: configure: ...
    """


class InvalidRequest(Error, ValueError):
    """The request cannot succeed as it is: an option, an input, or what the service refused as invalid.

    >>> client.optimize("report.pdf", profile="wbe")
    Traceback (most recent call last):
    recto.errors.InvalidRequest: option profile: "wbe" is not one of web, archive, print, minimalFileSize
    """


class AuthError(Error):
    """The service does not accept the API key (401).

    >>> stranger = recto.Client(base_url=service.base_url, api_key="no-such-key")
    >>> stranger.files.list()
    Traceback (most recent call last):
    recto.errors.AuthError: ...
    """


class PermissionDenied(Error, PermissionError):
    """The service does not allow this with the given API key (403).

    >>> def delete(file_id):
    ...     try:
    ...         client.files.delete(file_id)
    ...     except recto.PermissionDenied as error:
    ...         return f"ask the owner of the key; the service says: {error.detail}"
    >>> delete(client.files.upload("report.pdf"))
    """


class NotFound(Error, LookupError):
    """The service knows no such file or operation, or no longer does (404, 410).

    >>> client.files.get("no-such-file")
    Traceback (most recent call last):
    recto.errors.NotFound: ...
    """


class RateLimited(Error):
    """The service took no more requests, after all retries (429); see `retry_after`.

    >>> import time
    >>> for attempt in range(3):
    ...     try:
    ...         operation = client.optimize("report.pdf")
    ...         break
    ...     except recto.RateLimited as error:
    ...         time.sleep(error.retry_after or 60)
    >>> operation.result().status
    'finished'
    """


class PayloadTooLarge(Error):
    """The document is larger than the service takes (413).

    >>> try:
    ...     file_id = client.files.upload("report.pdf")
    ... except recto.PayloadTooLarge as error:
    ...     print(f"{error.document} is too large: {error.detail}")
    """


class ServerError(Error):
    """The service failed, after all retries (5xx).

    >>> try:
    ...     records = client.files.list()
    ... except recto.ServerError as error:
    ...     print(f"report this to the service: {error.request_id}")
    """


class TransportError(Error, ConnectionError):
    """The service could not be reached, or the connection broke, after all retries.

    >>> recto.Client(base_url="http://127.0.0.1:9", api_key="key", retries=0).files.list()
    Traceback (most recent call last):
    recto.errors.TransportError: ...
    """


class RequestTimeout(Error, TimeoutError):
    """A request took longer than it may.

    >>> try:
    ...     records = client.files.list(timeout=30)
    ... except recto.RequestTimeout as error:
    ...     print(f"no answer within 30 seconds to {error.method} {error.url}")
    """


class WaitTimeout(Error, TimeoutError):
    """The operation was not finished in time. It goes on: `client.operation(error.token)` resumes the wait.

    >>> try:
    ...     result = client.optimize("report.pdf").result(timeout=0)
    ... except recto.WaitTimeout as error:
    ...     result = client.operation(error.token).result()
    >>> result.status
    'finished'
    """


class OperationFailed(Error):
    """The service ended the operation without a result.

    >>> try:
    ...     client.optimize("broken.pdf").save("small.pdf")
    ... except recto.OperationFailed as error:
    ...     error.document
    'broken.pdf'
    """


class OutcomeUnknown(Error):
    """The request to start an operation was sent, and no answer came: it may be running, or not.

    >>> try:
    ...     operation = client.optimize("report.pdf")
    ... except recto.OutcomeUnknown:
    ...     operation = client.optimize("report.pdf")  # where it does no harm to run it twice
    >>> operation.result().status
    'finished'
    """


class ProtocolError(Error):
    """The service answered what its interface does not allow.

    >>> try:
    ...     records = client.files.list()
    ... except recto.ProtocolError as error:
    ...     print(f"is {error.url} the service? It answered: {error.body}")
    """


class Cancelled(Error):
    """The call was cancelled, or its client was closed by another thread.

    >>> cancel = recto.Cancel()
    >>> cancel.cancel()
    >>> client.files.list(cancel=cancel)
    Traceback (most recent call last):
    recto.errors.Cancelled: ...
    """
