"""A small fake service on loopback: a test can delay, break or change each of its responses."""

from __future__ import annotations

import contextlib
import itertools
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PDF = b"%PDF-1.7\n% not much of a document\n%%EOF\n"
KEY = "key-that-nobody-must-see"

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Request:
    """One received request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Hold:
    """Delays a response until it is released, and notices if the client disconnects meanwhile."""

    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    dropped: threading.Event = field(default_factory=threading.Event)
    dropped_at: float = 0.0

    def watch(self, connection: socket.socket) -> bool:
        """Reads and discards until the test releases the response; returns true if the client disconnects."""
        self.reached.set()
        while not self.released.is_set():
            readable, _, _ = select.select([connection], [], [], 0.005)
            if not readable:
                continue
            try:
                gone = not connection.recv(1 << 16)
            except OSError:
                gone = True
            if gone:
                self.dropped_at = time.monotonic()
                self.dropped.set()
                return True
        return False


class Loopback:
    """Files, operations and results in memory. `hold("result")` delays the responses of one step."""

    STEPS = ("ticket", "put", "from_url", "list", "get", "delete", "start", "result", "download")

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.files: dict[str, bytes] = {}
        self.names: dict[str, str] = {}
        self.result_bytes = PDF
        self.result_name = "result.pdf"
        self.result: dict[str, Any] | None = None
        self.answers: dict[str, Iterator[Answer]] = {}
        self._holds: dict[str, Hold] = {}
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self) -> dict[str, Any]:
        """The settings of a client of this service."""
        return {"base_url": self.base_url, "api_key": KEY}

    def hold(self, step: str) -> Hold:
        """Delays the responses of `step` from now on."""
        assert step in self.STEPS
        return self._holds.setdefault(step, Hold())

    def answer(
        self, step: str, status: int, body: object = b"", *, times: int | None = None, **headers: str
    ) -> None:
        """Sends this response to `step` from now on, or `times` times."""
        assert step in self.STEPS
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = (status, fields, data)
        self.answers[step] = itertools.repeat(answer) if times is None else itertools.repeat(answer, times)

    def of(self, step: str) -> list[Request]:
        """The requests of one step."""
        return [request for request in self.requests if step_of(request.method, request.path) == step]

    def close(self) -> None:
        for hold in self._holds.values():
            hold.released.set()
        self._server.shutdown()
        self._server.server_close()

    def identifier(self, kind: str) -> str:
        # `next` of a count is atomic: two requests at the same time get different identifiers.
        return f"{kind}-{next(self._numbers)}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self) -> None:
                step = step_of(self.command, self.path)
                hold = loopback._holds.get(step)
                length = int(self.headers.get("content-length", 0))
                if hold is not None and step == "put":
                    loopback.requests.append(Request(self.command, self.path, dict(self.headers), b""))
                    hold.watch(self.connection)
                    self.close_connection = True
                    return
                body = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                loopback.requests.append(Request(self.command, self.path, headers, body))
                if hold is not None and step != "download" and hold.watch(self.connection):
                    self.close_connection = True
                    return
                special = next(loopback.answers.get(step, iter(())), None)
                if special is not None:
                    status, extra, data = special
                    self.send(status, data, extra)
                elif step == "download" and hold is not None:
                    data = loopback.result_bytes
                    self.send(200, data[: len(data) // 2], {"content-length": str(len(data))})
                    self.wfile.flush()
                    hold.watch(self.connection)
                    self.close_connection = True
                else:
                    getattr(self, f"on_{step}")(body)

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

            def on_ticket(self, body: bytes) -> None:
                file_id = loopback.identifier("file")
                loopback.names[file_id] = json.loads(body)["fileName"]
                url = f"{loopback.base_url}/storage/{file_id}?sig=signature-that-nobody-must-see"
                self.send_json({"fileId": file_id, "uploadUrl": url})

            def on_put(self, body: bytes) -> None:
                loopback.files[self.path.split("/")[-1].split("?")[0]] = body
                self.send(200, b"")

            def on_from_url(self, body: bytes) -> None:
                file_id = loopback.identifier("file")
                loopback.names[file_id] = json.loads(body)["fileUrl"].split("/")[-1]
                self.send_json({"fileId": file_id})

            def on_list(self, _: bytes) -> None:
                self.send_json({"files": [self.record(file_id) for file_id in loopback.files]})

            def on_get(self, _: bytes) -> None:
                self.send_json(self.record(self.path.split("/")[-1]))

            def on_delete(self, _: bytes) -> None:
                loopback.files.pop(self.path.split("/")[-1], None)
                self.on_list(b"")

            def on_start(self, _: bytes) -> None:
                self.send_json(
                    {
                        "operationId": loopback.identifier("operation"),
                        "operationType": TYPES.get(self.path, "optimize"),
                        "operationStatus": "inProgress",
                    }
                )

            def on_result(self, _: bytes) -> None:
                url = f"{loopback.base_url}/download/1?sig=signature-that-nobody-must-see"
                output = {"fileId": "result-1", "name": loopback.result_name, "url": url}
                result = {"operationType": "optimize", "operationStatus": "finished", "outputFile": output}
                self.send_json(result if loopback.result is None else loopback.result)

            def on_download(self, _: bytes) -> None:
                self.send(200, loopback.result_bytes)

            def record(self, file_id: str) -> dict[str, Any]:
                name = loopback.names.get(file_id, "a.pdf")
                return {
                    "id": file_id,
                    "createdAt": "2026-01-02T03:04:05.678901Z",
                    "origin": "fromLocal",
                    "name": name,
                    "extension": name.rsplit(".", 1)[-1],
                }

            def send_json(self, body: object) -> None:
                self.send(200, json.dumps(body).encode(), {"content-type": "application/json"})

            def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
                self.send_response(status)
                for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler


TYPES = {"/v1/operations/validate": "validate", "/v1/operations/stamp/qr": "stampQR"}


def step_of(method: str, path: str) -> str:
    """The step of the interface that a request belongs to."""
    path = path.split("?")[0]
    if path.startswith("/storage/"):
        return "put"
    if path.startswith("/download/"):
        return "download"
    if path.endswith("/fromLocal"):
        return "ticket"
    if path.endswith("/fromUrl"):
        return "from_url"
    if path.endswith("/result"):
        return "result"
    if path.startswith("/v1/files"):
        return "list" if path == "/v1/files" else {"GET": "get", "DELETE": "delete"}[method]
    return "start"
