"""Restores Ctrl-C for the tests and for every program that they start."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # Shells start background jobs with SIGINT ignored, and child processes inherit this setting. Without this reset,
    # tests of Ctrl-C would wait for an interrupt that is never delivered.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
