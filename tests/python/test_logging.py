"""Log records: with the standard logging module, only if enabled, and without secrets."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading

import pytest

import recto
from python.loopback import KEY, PDF, Loopback


def test_requests_are_logged_under_the_name_recto(
    remote: recto.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="recto"):
        remote.optimize(PDF).read()
    records = [record for record in caplog.records if record.name == "recto"]
    assert records
    assert all(record.levelno <= logging.WARNING for record in records)
    text = caplog.text
    assert "/v1/operations/optimize" in text
    assert KEY not in text
    assert "signature-that-nobody-must-see" not in text
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="recto"):
        remote.optimize(PDF).read()
    assert caplog.records == []


def test_no_password_is_logged(remote: recto.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(1, logger="recto"):
        remote.encrypt(PDF, password="open sesame").read()
    assert caplog.records
    assert "sesame" not in caplog.text


def test_a_handler_may_use_a_client_and_threads_do_not_block_each_other(
    remote: recto.Client,
) -> None:
    depth = threading.local()
    seen: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record.getMessage())
            if not getattr(depth, "inside", False):
                depth.inside = True
                remote.files.get("1")
                depth.inside = False

    logger = logging.getLogger("recto")
    handler = Handler()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        threads = [threading.Thread(target=lambda: remote.optimize(PDF).read()) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive(), "a deadlock"
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    assert seen


def test_nothing_is_installed_in_a_program_that_does_not_log(loopback: Loopback) -> None:
    program = (
        "import sys, recto\n"
        f"recto.Client(**{loopback.settings()!r}).files.list()\n"
        "assert 'logging' not in sys.modules\n"
        "import logging\n"
        "assert logging.getLogger('recto').handlers == [] == logging.getLogger().handlers\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
