"""The Python runner of the recorded exchanges: makes the calls of a scenario and reports the outcomes.

The replay server sends the calls and checks the report; `tests/recordings/README.md` describes the protocol.
"""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recto
from recto import _native

Json = dict[str, Any]

KINDS = {row["name"]: row for row in _native.operations()}


class Control:
    """The control connection of a replay server: one line of JSON for each request and response."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)))
        self._lines = self._socket.makefile("r", encoding="utf-8")

    def ask(self, **request: Any) -> Json:
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        answer: Json = json.loads(self._lines.readline())
        if "fault" in answer:
            raise RuntimeError(answer["fault"])
        return answer

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Log(logging.Handler):
    """Keeps the log records of all threads, at the lowest level."""

    def __init__(self) -> None:
        super().__init__(1)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")


LOG = Log()


def listen() -> None:
    """Starts to keep the log."""
    logger = logging.getLogger("recto")
    if LOG not in logger.handlers:
        logger.addHandler(LOG)
        logger.setLevel(1)


def play(address: str, scenario: str) -> Json:
    """Replays one scenario and returns the server's verdict: `pass` and `report`."""
    control = Control(address)
    try:
        run = control.ask(do="start", id=scenario)
        first = len(LOG.lines)
        runner = Runner(run["client"])
        steps = [runner.step(call) for call in run["calls"]]
        runner.end()
        log = "\n".join(LOG.lines[first:] + runner.printed)
        return control.ask(do="finish", run=run["run"], outcome={"steps": steps, "log": log})
    finally:
        control.close()


class Runner:
    """One client, its current operation and token, and all that it printed."""

    SETTINGS = {  # noqa: RUF012 (a table)
        "baseUrl": "base_url",
        "apiKey": "api_key",
        "retries": "retries",
        "retryUnknown": "retry_unknown",
        "allowHttp": "allow_http",
        "proxy": "proxy",
        "caBundle": "ca_bundle",
        "clientCertificate": "client_certificate",
        "userAgent": "user_agent",
        "jsonLimit": "json_limit",
        "headers": "headers",
    }
    TIMES = ("timeout", "connectTimeout", "stallTimeout", "waitTimeout")

    def __init__(self, settings: Json) -> None:
        self.settings = settings
        self.client: recto.Client | None = None
        self.operation: recto.Operation | None = None
        self.result: recto.Result | None = None
        self.token = ""
        self.printed: list[str] = []

    def end(self) -> None:
        if self.client is not None:
            self.client.close()

    def connect(self, base_url: str | None = None) -> recto.Client:
        given = self.given(self.settings)
        if base_url is not None:
            given["base_url"] = base_url
        environment = self.settings.get("environment") or {}
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            self.client = recto.Client(**given)
        finally:
            for name in environment:
                os.environ.pop(name)
                if name in before:
                    os.environ[name] = before[name]
        self.printed.append(repr(self.client))
        return self.client

    def given(self, settings: Json) -> Json:
        """The settings of a client, under their names in Python."""
        given = {ours: settings[name] for name, ours in self.SETTINGS.items() if name in settings}
        for name in self.TIMES:
            if f"{name}Ms" in settings:
                given[snake(name)] = settings[f"{name}Ms"] / 1000
        return given

    def step(self, call: Json) -> Json:
        """Makes one call and reports its result or its error."""
        progress: list[Json] = []
        began = time.monotonic()
        try:
            step: Json = {"ok": self.make(call, progress)}
        except (recto.Error, OSError) as error:
            step = {"error": self.described(error)}
        step["elapsedMs"] = round((time.monotonic() - began) * 1000)
        if call.get("progress"):
            step["progress"] = progress
        return step

    def make(self, call: Json, progress: list[Json]) -> Json:
        if call["op"] == "newClient":
            self.end()
            self.operation = None
            self.connect(call.get("baseUrl"))
            return {}
        client = self.client or self.connect()
        timers = []
        settings: Json = {}
        if "cancelAfterMs" in call:
            cancel = settings["cancel"] = recto.Cancel()
            timers.append(threading.Timer(call["cancelAfterMs"] / 1000, cancel.cancel))
        if "closeAfterMs" in call:
            timers.append(threading.Timer(call["closeAfterMs"] / 1000, client.close))
        if call.get("progress") or "stopAtPhase" in call:
            settings["on_progress"] = self.listener(progress, call.get("stopAtPhase"))
        for name in ("timeout", "waitTimeout"):
            if f"{name}Ms" in call:
                settings[snake(name)] = call[f"{name}Ms"] / 1000
        for name in ("headers", "extraOptions", "deleteAfter"):
            if name in call:
                settings[snake(name)] = call[name]
        for timer in timers:
            timer.start()
        try:
            action: Callable[..., Json] = getattr(self, f"do_{snake(call['op'])}")
            return action(client, call, settings)
        finally:
            for timer in timers:
                timer.cancel()

    def listener(self, progress: list[Json], stop: str | None) -> Callable[[recto.Progress], None]:
        def note(report: recto.Progress) -> None:
            progress.append({"phase": report.phase, "done": report.done, "total": report.total})
            if report.phase == stop:
                raise recto.Cancelled("stopped by the callback")

        return note

    def do_upload(self, client: recto.Client, call: Json, settings: Json) -> Json:
        source, name = source_of(call)
        return {"fileId": client.files.upload(source, name, **settings)}

    def do_upload_url(self, client: recto.Client, call: Json, settings: Json) -> Json:
        return {"fileId": client.files.upload_from_url(call["url"], **settings)}

    def do_list(self, client: recto.Client, call: Json, settings: Json) -> Json:
        return self.records(client.files.list(call.get("onlyResultFiles", False), **settings))

    def do_get(self, client: recto.Client, call: Json, settings: Json) -> Json:
        return self.record(client.files.get(call["fileId"], **settings))

    def do_delete(self, client: recto.Client, call: Json, settings: Json) -> Json:
        return self.records(client.files.delete(call["fileId"], **settings))

    def do_start(self, client: recto.Client, call: Json, settings: Json) -> Json:
        source, name = self.input_of(call)
        if "force" in call:
            settings["force"] = call["force"]
        return self.started(
            client.start(call["operation"], source, call.get("options"), name=name, **settings)
        )

    def do_run(self, client: recto.Client, call: Json, settings: Json) -> Json:
        source, name = self.input_of(call)
        return self.started(client.run(call["operation"], source, call.get("options"), name=name, **settings))

    def do_resume(self, client: recto.Client, call: Json, _: Json) -> Json:
        return self.started(client.operation(call.get("token", self.token)))

    def do_status(self, _: recto.Client, __: Json, settings: Json) -> Json:
        return {"status": self.current().status(**settings)}

    def do_wait(self, _: recto.Client, __: Json, settings: Json) -> Json:
        result = self.result = self.current().result(**settings)
        self.printed.append(repr(result))
        output, validation = result.output, result.validation
        return {
            "operationType": result.operation_type,
            "status": result.status,
            "output": output and {"fileId": output.file_id, "name": output.name, "url": output.url},
            "validation": validation
            and {
                "isConforming": validation.is_conforming,
                "errors": list(validation.errors),
                "conformance": validation.conformance,
            },
            "raw": result.raw,
        }

    def do_save(self, _: recto.Client, call: Json, settings: Json) -> Json:
        if "overwrite" in call:
            settings["overwrite"] = call["overwrite"]
        return {"path": str(self.current().save(call["to"], **settings))}

    def do_read(self, _: recto.Client, call: Json, settings: Json) -> Json:
        return {"bytes": Path(call["to"]).write_bytes(self.current().read(**settings))}

    def do_write_to(self, _: recto.Client, call: Json, settings: Json) -> Json:
        content = io.BytesIO()
        length = self.current().write_to(content, **settings)
        Path(call["to"]).write_bytes(content.getvalue())
        return {"bytes": length}

    def do_token(self, *_: object) -> Json:
        self.token = self.current().token
        return {"token": self.token}

    def do_delete_operation(self, _: recto.Client, __: Json, settings: Json) -> Json:
        self.current().delete(**settings)
        return {}

    def do_with_options(self, client: recto.Client, call: Json, _: Json) -> Json:
        self.client = client.with_options(**self.given(call["changes"]))
        self.printed.append(repr(self.client))
        return {}

    def do_close(self, client: recto.Client, *_: object) -> Json:
        client.close()
        return {}

    def input_of(self, call: Json) -> tuple[Any, str | None]:
        """The source of a start, and its name."""
        match call["from"]:
            case "operation":
                return self.current(), None
            case "result":
                return self.result, None
            case _:
                return source_of(call)

    def current(self) -> recto.Operation:
        assert self.operation is not None, "the scenario has no operation yet"
        return self.operation

    def started(self, operation: recto.Operation) -> Json:
        self.operation = operation
        self.printed.append(repr(operation))
        return {"operationId": operation.id, "operation": operation.kind, "operationType": operation.type}

    def records(self, records: list[recto.FileRecord]) -> Json:
        return {"files": [self.record(record) for record in records]}

    def record(self, record: recto.FileRecord) -> Json:
        self.printed.append(repr(record))
        return {
            "id": record.id,
            "createdAt": record.created_at and record.created_at.isoformat(),
            "origin": record.origin,
            "name": record.name,
            "extension": record.extension,
        }

    def described(self, error: recto.Error | OSError) -> Json:
        self.printed += [repr(error), str(error)]
        if not isinstance(error, recto.Error):
            return {
                "kind": "IoError",
                "message": str(error),
                "fields": {"phase": getattr(error, "phase", None)},
            }
        names = (
            "status", "code", "title", "detail", "request_id", "operation_id", "attempts", "phase", "method", "url",
            "body", "token", "retryable",
        )  # fmt: skip
        fields = {camel(name): getattr(error, name) for name in names}
        if error.retry_after is not None:
            fields["retryAfterMs"] = round(error.retry_after * 1000)
        self.token = error.token or self.token
        return {"kind": type(error).__name__, "message": str(error), "fields": fields}


class Reader:
    """A stream that is not seekable and has no length."""

    def __init__(self, path: str) -> None:
        self.file: Any = Path(path).open("rb")  # noqa: SIM115 (read to its end)

    def read(self, size: int) -> bytes:
        piece: bytes = self.file.read(size)
        if not piece:
            self.file.close()
            self.file = io.BytesIO()
        return piece


class SizedReader(Reader):
    """A stream that is not seekable, with a length."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.length = Path(path).stat().st_size

    def __len__(self) -> int:
        return self.length


def source_of(call: Json) -> tuple[Any, str | None]:
    """The source of a call, and its name."""
    match call["from"]:
        case "path":
            return call["file"], None
        case "bytes":
            return Path(call["file"]).read_bytes(), call["name"]
        case "reader":
            return Reader(call["file"]), call["name"]
        case "sizedReader":
            return SizedReader(call["file"]), call["name"]
        case "fileId":
            return recto.FileId(call["fileId"]), None
        case other:
            raise AssertionError(f"a source from {other}")


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
