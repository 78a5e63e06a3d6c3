"""`python -m recto` and the `recto` script: the command line of the Rust program, in this process."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line with the arguments of this process and return the exit code."""
    from recto._native import run

    # Python's handler only sets a flag for the interpreter, which does not run while the command line does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["recto", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
