"""`python -m recto` and the `recto` script: the command line of the Rust program, in this process."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line of this process and return its exit code."""
    from recto._native import run

    # Python's handler would only note a Ctrl-C for the interpreter, which is not running then.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["recto", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
