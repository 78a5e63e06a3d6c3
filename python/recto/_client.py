"""`Client`: the operations over the native client."""

from __future__ import annotations

from recto import _native
from recto._operations import Operations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

    from recto._types import OnProgress, Source


class Client(Operations["_native.Operation"], _native.Client):
    """A client of the service.

    Without a `base_url` (here or in `RECTO_BASE_URL`) it uses the embedded service: the first call starts it,
    all such clients of the process share it, and it ends with the last of them.

        base_url            where the service is, such as https://pdf.example.org
        api_key             the key that goes there and nowhere else; default: `RECTO_API_KEY`
        timeout             the seconds a whole call may take; default: `RECTO_TIMEOUT`, else no limit
        wait_timeout        the seconds to wait for an operation: 900; `math.inf` waits for ever
        connect_timeout     the seconds to wait for a connection
        stall_timeout       the seconds a transfer may stand still: 30
        retries             how often a request is sent again: 3
        retry_unknown       start an operation again even where the first may have been started
        allow_http          allow plain http to a host that is not this machine
        proxy               the proxy to use; default: that of the environment
        ca_bundle           a PEM file of the authorities to trust, beside the system's
        client_certificate  a PEM file of the certificate and key to show
        user_agent          the name to show
        json_limit          the most bytes an answer in JSON may have: 16 MiB

    A client may be shared by threads and used after a fork. It ends with `close()` or a `with` block; calls that
    are running then end with `Cancelled`.

    >>> with recto.Client() as client:
    ...     client.optimize("report.pdf", profile="web").save("small.pdf")
    PosixPath('small.pdf')
    """

    @classmethod
    def from_env(cls, **settings: Any) -> Self:
        """Make a client from `RECTO_BASE_URL`, `RECTO_API_KEY` and `RECTO_TIMEOUT`.

        This is how a worker process comes to its client: one with its key in it is not pickled.

        >>> recto.Client.from_env()
        <recto.Client of the embedded service>
        """
        return cls(**settings)

    def _start(
        self,
        operation: str,
        source: Source,
        options: Mapping[str, object],
        name: str | None,
        force: bool,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> _native.Operation:
        return self.start(
            operation, source, options, name=name, force=force, timeout=timeout, on_progress=on_progress
        )
