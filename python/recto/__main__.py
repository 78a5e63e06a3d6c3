"""`python -m recto` and the `recto` script: the command line of the Rust program, in this process."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line with the arguments of this process and return the exit code."""
    from recto._native import run

    # Python's signal handler only sets a flag for the interpreter, but the interpreter does not run while the command
    # line runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["recto", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
