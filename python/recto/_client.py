"""`Client`: the native client with a method for each operation, and its settings as keywords."""

from __future__ import annotations

from recto._operations import Operations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing

    from recto import _types as types
else:
    from recto._lazy import types, typing


class Client(Operations):
    """A client of the service.

    Without a `base_url` (here or in `RECTO_BASE_URL`) it uses the embedded service: the first call starts it, all
    such clients of the process share it, and it ends with the last of them.

        base_url            the address of the service, such as https://pdf.example.org
        api_key             the key for that address, sent to no other; default: `RECTO_API_KEY`
        timeout             the time limit of the whole call, in seconds: upload, start, wait, download and retries;
                            default: `RECTO_TIMEOUT`, or else no limit
        wait_timeout        the time limit for waiting for the operation, within the whole call, in seconds; when it
                            expires, the call ends with `WaitTimeout`, and the operation continues; `math.inf` for no
                            limit; default: no limit if `timeout` is set, otherwise 15 minutes
        connect_timeout     the seconds to wait for a connection
        stall_timeout       the seconds a transfer may make no progress; default: 30
        retries             how often a failed request is sent again; default: 3
        retry_unknown       start an operation again even if the first request may have started it
        allow_http          allow plain http to a host other than this machine
        proxy               the proxy to use; default: that of the environment
        ca_bundle           a PEM file of certificate authorities to trust besides those of the system
        client_certificate  a PEM file of the client certificate and its key
        user_agent          the User-Agent header
        json_limit          the maximum size of a JSON response in bytes; default: 16 MiB
        headers             headers for every request to the service, such as those of a gateway; sent to no other host
        keep_files          whether the embedded service keeps the files of an operation when the `Operation` is gone;
                            default: it deletes the document if the operation uploaded it, and the result if it was
                            downloaded
        local               the settings of the embedded service, such as `{"isolation": "workers"}`: `isolation`,
                            `worker`, `workers`, `worker_memory`, `in_process_bytes`, `stored_bytes`, `retention` and
                            `data_dir`, as for `LocalService`; the same for all such clients of the process

    A client may be shared by threads and used after a fork. It ends with `close()` or a `with` block; calls that
    are running then end with `Cancelled`.

    >>> with recto.Client() as client:
    ...     client.optimize("report.pdf", profile="web").save("small.pdf")
    PosixPath('small.pdf')
    """

    @classmethod
    def from_env(
        cls,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        wait_timeout: float | None = None,
        connect_timeout: float | None = None,
        stall_timeout: float | None = None,
        retries: int | None = None,
        retry_unknown: bool = False,
        allow_http: bool = False,
        proxy: str | None = None,
        ca_bundle: types.Path | None = None,
        client_certificate: types.Path | None = None,
        user_agent: str | None = None,
        json_limit: int | None = None,
        headers: types.Headers | None = None,
        keep_files: bool = False,
        local: types.LocalSettings | None = None,
    ) -> typing.Self:
        """Make a client from `RECTO_BASE_URL`, `RECTO_API_KEY` and `RECTO_TIMEOUT`; settings given here override them.

        Use it to make the client of a worker process: a client contains its key, so it cannot be pickled.

        >>> recto.Client.from_env()
        <recto.Client of the embedded service>
        """
        return cls(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            wait_timeout=wait_timeout,
            connect_timeout=connect_timeout,
            stall_timeout=stall_timeout,
            retries=retries,
            retry_unknown=retry_unknown,
            allow_http=allow_http,
            proxy=proxy,
            ca_bundle=ca_bundle,
            client_certificate=client_certificate,
            user_agent=user_agent,
            json_limit=json_limit,
            headers=headers,
            keep_files=keep_files,
            local=local,
        )
