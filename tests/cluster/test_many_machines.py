"""Services that share PostgreSQL and a store: clients can send each request to any of them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cluster import setups
from cluster.infrastructure import (
    Api,
    Process,
    Store,
    exchange,
    free_port,
    object_store,
    postgres,
    wait_until,
)

OCTETS = {"Content-Type": "application/octet-stream"}
PASSWORD = "correct horse battery staple"
OPTIMIZE = "/v1/operations/optimize"


@dataclass
class Shared:
    """Two services that only accept requests, a worker, and what they share."""

    apis: list[Api]
    worker: Process
    database: str
    store: Store
    folder: Path

    def ticket(self, api: Api, name: str = "form.pdf") -> tuple[str, str]:
        status, ticket = api.request("POST", "/v1/files/upload/fromLocal", {"fileName": name})
        assert status == 200, ticket
        return ticket["fileId"], ticket["uploadUrl"]

    def upload(self, api: Api, document: bytes) -> str:
        file, url = self.ticket(api)
        assert exchange("PUT", url, document, OCTETS)[0] == 200
        return file

    def start(self, api: Api, path: str, file: str, **options: Any) -> str:
        status, handle = api.request("POST", path, {"input": {"fileId": file}, "options": options})
        assert status == 200, handle
        return str(handle["operationId"])

    def result(self, api: Api, operation: str, wait: int = 20) -> dict[str, Any]:
        status, result = api.request(
            "GET", f"/v1/operations/{operation}/result", headers={"Prefer": f"wait={wait}"}
        )
        assert status == 200, result
        return dict(result)

    def dump(self) -> str:
        """Everything in the database, as text."""
        command = ["pg_dump", "--data-only", "--inserts", self.database]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def logs(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))


@pytest.fixture(scope="module")
def shared(
    recto: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    request.getfixturevalue("infrastructure")
    folder = tmp_path_factory.mktemp("shared")
    secret = folder / "secret.key"
    secret.write_text("0123456789abcdef" * 4)
    with postgres() as database, object_store(folder / "store") as store:
        environment = setups.shared_environment(folder, database, store, secret)
        environment["RECTO_LOG"] = "debug"
        ports = [free_port(), free_port()]
        commands = [[str(recto), "serve", "--port", str(port), "--file-bytes", "1MiB"] for port in ports]
        processes = [
            Process([*command, "--workers", "0"], environment, folder / f"{number}.log")
            for number, command in enumerate(commands)
        ]
        worker = Process([str(recto), "worker", "--workers", "1"], environment, folder / "worker.log")
        try:
            for process in (*processes, worker):
                process.start()
            apis = [Api(f"http://127.0.0.1:{port}", setups.KEY) for port in ports]
            for api in apis:
                wait_until(api.is_up, 60, api.base_url)
            yield Shared(apis, worker, database, store, folder)
        finally:
            for process in (*processes, worker):
                process.kill()


def test_a_file_and_its_result_can_be_requested_from_every_service_and_are_in_the_store(
    shared: Shared,
) -> None:
    one, other = shared.apis
    file, url = shared.ticket(one, "a b.pdf")
    assert url.startswith(shared.store.endpoint)
    assert one.request("GET", f"/v1/files/{file}")[0] == 404, "its bytes are not uploaded yet"
    assert exchange("PUT", url, setups.FORM.read_bytes(), OCTETS) == (200, b"")
    assert other.request("GET", f"/v1/files/{file}")[1]["name"] == "a b.pdf"
    assert file in [listed["id"] for listed in other.request("GET", "/v1/files")[1]["files"]]
    operation = shared.start(other, OPTIMIZE, file)
    result = shared.result(one, operation)
    assert result["operationStatus"] == "finished", result
    assert result["outputFile"]["url"].startswith(shared.store.endpoint)
    status, result_bytes = exchange("GET", result["outputFile"]["url"])
    assert (status, result_bytes[:5]) == (200, b"%PDF-")


def test_a_held_request_gets_the_end_of_an_operation_on_another_machine_at_once(shared: Shared) -> None:
    one, _ = shared.apis
    file = shared.upload(one, setups.FORM.read_bytes())
    waits = []
    for _ in range(5):
        operation = shared.start(one, OPTIMIZE, file)
        began = time.monotonic()
        assert shared.result(one, operation)["operationStatus"] == "finished"
        waits.append(time.monotonic() - began)
    print(f"shortest wait: {min(waits):.3f} s")
    assert min(waits) < 0.9, "the end was found by polling, not by a notification"


def test_an_upload_above_the_limit_is_removed_and_rejected(shared: Shared) -> None:
    one, other = shared.apis
    file = shared.upload(one, bytes((1 << 20) + 1))
    status, problem = other.request("POST", OPTIMIZE, {"input": {"fileId": file}})
    assert (status, problem["code"]) == (413, "file_too_large")
    assert not any(file in key for key in shared.store.objects())
    status, problem = other.request("POST", OPTIMIZE, {"input": {"fileId": file}})
    assert (status, problem["code"]) == (409, "file_not_uploaded")


def test_an_operation_never_reads_bytes_that_were_uploaded_after_its_start(shared: Shared) -> None:
    one, _ = shared.apis
    assert shared.worker.stop() == 0
    file, url = shared.ticket(one)
    document = setups.FORM.read_bytes()
    assert exchange("PUT", url, document, OCTETS)[0] == 200
    assert exchange("PUT", url, document + b"\n", OCTETS)[0] == 200, "before the start it may be replaced"
    kept = shared.start(one, OPTIMIZE, file)
    other, other_url = shared.ticket(one)
    assert exchange("PUT", other_url, document, OCTETS)[0] == 200
    changed = shared.start(one, OPTIMIZE, other)
    assert exchange("PUT", other_url, b"%PDF-1.7 something else", OCTETS)[0] == 200
    shared.worker.start()
    assert shared.result(one, kept)["operationStatus"] == "finished"
    result = shared.result(one, changed)
    assert result["operationStatus"] == "failed", result


def test_a_password_is_in_no_table_and_in_no_log(shared: Shared) -> None:
    one, other = shared.apis
    assert shared.worker.stop() == 0
    file = shared.upload(one, setups.FORM.read_bytes())
    operation = shared.start(one, "/v1/operations/encrypt", file, password=PASSWORD)
    waiting = shared.dump()
    assert operation in waiting
    assert PASSWORD not in waiting
    assert PASSWORD.encode().hex() not in waiting
    shared.worker.start()
    assert shared.result(other, operation)["operationStatus"] == "finished"
    logs = shared.logs()
    assert operation in logs
    for secret in (
        PASSWORD,
        setups.KEY,
        shared.store.environment["AWS_SECRET_ACCESS_KEY"],
        "X-Amz-Signature",
    ):
        assert secret not in logs
    assert shared.database.split(":")[2].split("@")[0] not in logs


def test_deleting_a_file_removes_it_everywhere_and_cancels_waiting_operations(shared: Shared) -> None:
    one, other = shared.apis
    assert shared.worker.stop() == 0
    file = shared.upload(one, setups.FORM.read_bytes())
    operation = shared.start(one, OPTIMIZE, file)
    assert other.request("DELETE", f"/v1/files/{file}")[0] == 200
    result = shared.result(one, operation, wait=0)
    assert (result["operationStatus"], result["error"]["code"]) == ("failed", "cancelled")
    assert not any(file in key for key in shared.store.objects())
    assert one.request("GET", f"/v1/files/{file}")[0] == 404
    shared.worker.start()


def test_the_limit_of_stored_bytes_is_for_all_services_together(shared: Shared, recto: Path) -> None:
    shared.upload(shared.apis[0], setups.FORM.read_bytes())
    assert len(shared.apis[0].request("GET", "/v1/files")[1]["files"]) > 0
    environment = setups.shared_environment(
        shared.folder, shared.database, shared.store, shared.folder / "secret.key"
    )
    port = free_port()
    command = [str(recto), "serve", "--port", str(port), "--workers", "0", "--stored-bytes", "1KiB"]
    full = Process(command, environment, shared.folder / "full.log")
    full.start()
    try:
        api = Api(f"http://127.0.0.1:{port}", setups.KEY)
        wait_until(api.is_up, 60, api.base_url)
        status, problem = api.request("POST", "/v1/files/upload/fromLocal", {"fileName": "a.pdf"})
        assert (status, problem["code"]) == (507, "storage_full")
    finally:
        assert full.stop() == 0


def test_the_error_names_the_setting_that_is_missing_or_wrong(shared: Shared, recto: Path) -> None:
    secret = shared.folder / "secret.key"
    good = setups.shared_environment(shared.folder, shared.database, shared.store, secret)
    password = shared.database.split(":")[2].split("@")[0]

    def fails(command: str, **changed: str | None) -> str:
        environment = {name: value for name, value in {**good, **changed}.items() if value is not None}
        done = subprocess.run(
            [recto, command], capture_output=True, text=True, timeout=60, env=environment, check=False
        )
        assert done.returncode in {2, 3, 4}, done
        assert password not in done.stderr
        return done.stderr

    assert "set RECTO_API_KEY" in fails("serve", RECTO_API_KEY=None)
    assert "--bucket" in fails("serve", RECTO_SERVE_BUCKET=None)
    assert "not both" in fails("serve", RECTO_SERVE_DATA_DIR="data")
    assert "--database" in fails("worker", RECTO_SERVE_DATABASE=None, RECTO_SERVE_BUCKET=None)
    assert "database" in fails("serve", RECTO_SERVE_DATABASE=shared.database.replace("/postgres", "/other"))
    assert "database" in fails("serve", RECTO_SERVE_DATABASE=f"postgres:/{password}")
    assert "bucket" in fails("serve", RECTO_SERVE_BUCKET="http://documents")
    short = shared.folder / "short.key"
    short.write_text("short")
    assert "32 bytes" in fails("worker", RECTO_SERVE_SECRET_KEY_FILE=str(short))
