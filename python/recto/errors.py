"""The exceptions.

    Error
    ├── ConfigError (ValueError)            a setting of the client is invalid
    ├── InvalidRequest (ValueError)         the request is invalid: an option or an input, or a status 4xx
    ├── AuthError                           401: the key is missing or wrong
    ├── PermissionDenied (PermissionError)  403: the key does not permit this
    ├── NotFound (LookupError)              404, 410: no such file or operation
    ├── RateLimited                         429: too many requests, after all retries
    ├── PayloadTooLarge                     413: the document is larger than the service accepts
    ├── ServerError                         5xx, after all retries
    ├── TransportError (ConnectionError)    the service was not reached, or the connection broke
    ├── RequestTimeout (TimeoutError)       a request took longer than its timeout
    ├── WaitTimeout (TimeoutError)          the operation is still running; its `token` resumes it
    ├── OperationFailed                     the service ended the operation without a result
    ├── OutcomeUnknown                      it is unknown whether the operation started
    ├── ProtocolError                       unexpected response from the service
    └── Cancelled                           the call was cancelled, or its client closed

For a file of this machine that cannot be read or written, the call raises what `open` raises: `FileNotFoundError`,
`PermissionError`, `IsADirectoryError` or another `OSError`, with the `phase` as an attribute.

>>> try:
...     client.optimize("broken.pdf").save("small.pdf")
... except FileNotFoundError:
...     print("the file does not exist")
... except recto.Error as error:
...     print(type(error).__name__, error.phase, error.document)
OperationFailed wait broken.pdf

Each message says what happened and what to do next. The fields describe the request; one that is not known is
`None`. No message and no field contains a key, a password or the query of a signed address.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing
else:
    from recto._lazy import typing

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
    """The problem's code, for programs."""
    title: str | None
    """The service's title for this kind of problem."""
    detail: str | None
    """The service's description of this occurrence."""
    request_id: str | None
    """The identifier under which the service logged the request."""
    operation_id: str | None
    """The identifier of the operation."""
    document: str | None
    """The document: its path, its name or `file <id>`."""
    retry_after: float | None
    """The seconds after which the service accepts another request."""
    attempts: int | None
    """How often the request was sent."""
    phase: str | None
    """The phase of the call, such as `upload` or `wait`."""
    method: str | None
    """The HTTP method."""
    url: str | None
    """The address, without its secrets."""
    body: str | None
    """The beginning of the response's body."""
    retryable: bool
    """Whether the same call may succeed later."""
    token: str | None
    """The token that resumes the operation: `client.operation(token)`."""

    def __init__(self, message: str = "", /, **fields: typing.Any) -> None:
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

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Pickle the message and the fields."""
        fields = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        return _restore, (type(self), str(self), fields)


_FIELDS = tuple(Error.__annotations__)


def _restore(cls: type[Error], message: str, fields: dict[str, typing.Any]) -> Error:
    return cls(message, **fields)


class ConfigError(Error, ValueError):
    """A setting of the client is invalid, or the client was used after it was closed.

    >>> recto.Client(base_url="pdf.example.org")
    Traceback (most recent call last):
    recto.errors.ConfigError: configure: ...
    """


class InvalidRequest(Error, ValueError):
    """The request is invalid: an option or an input, or the service refused it as invalid.

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
    ...         return f"ask the owner of the key: {error.detail}"
    >>> delete(client.files.upload("report.pdf"))
    """


class NotFound(Error, LookupError):
    """The file or the operation does not exist, or no longer exists (404, 410).

    >>> client.files.get("no-such-file")
    Traceback (most recent call last):
    recto.errors.NotFound: ...
    """


class RateLimited(Error):
    """The service refused further requests, after all retries (429); see `retry_after`.

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
    """The document is larger than the service accepts (413).

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
    """A request took longer than its timeout.

    >>> try:
    ...     records = client.files.list(timeout=30)
    ... except recto.RequestTimeout as error:
    ...     print(f"no response within 30 seconds to {error.method} {error.url}")
    """


class WaitTimeout(Error, TimeoutError):
    """The operation did not finish in time. It is still running: `client.operation(error.token)` resumes it.

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
    """It is unknown whether the operation started: the request was sent, and there was no response.

    >>> try:
    ...     operation = client.optimize("report.pdf")
    ... except recto.OutcomeUnknown:
    ...     operation = client.optimize("report.pdf")  # if it may run twice
    >>> operation.result().status
    'finished'
    """


class ProtocolError(Error):
    """Unexpected response from the service: it does not conform to the interface.

    >>> try:
    ...     records = client.files.list()
    ... except recto.ProtocolError as error:
    ...     print(f"{error.url} may not be the service: {error.body}")
    """


class Cancelled(Error):
    """The call was cancelled, or its client was closed by another thread.

    >>> cancel = recto.Cancel()
    >>> cancel.cancel()
    >>> client.files.list(cancel=cancel)
    Traceback (most recent call last):
    recto.errors.Cancelled: ...
    """
