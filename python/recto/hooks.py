"""`recto-hook`: keeps the PDFs of a repository small, for pre-commit and for continuous integration.

    recto-hook [--check] [--profile PROFILE] [--at-least PERCENT] [--] FILE...

It rewrites each file that becomes smaller by at least PERCENT; with `--check` it changes nothing. The default profile,
`archive`, is lossless. The exit code is 0 if all files are small, 1 if files were rewritten or should be, and 2 if a
file could not be read or the service could not be used. A PDF that is encrypted or damaged is reported and skipped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import recto

__all__ = ["main"]

_PROFILES = ("archive", "web", "print", "minimalFileSize")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check or rewrite the files and return the exit code."""
    options = _parser().parse_args(arguments)
    found = failed = 0
    with recto.Client.from_env() as client:
        for file in options.files:
            try:
                saved = _shrink(client, file, options)
            except recto.OperationFailed as error:
                print(f"{file}: skipped: {error}", file=sys.stderr)
            except (recto.Error, OSError) as error:
                failed += 1
                print(f"{file}: {error}", file=sys.stderr)
            else:
                found += saved
    if failed:
        return 2
    if found and options.check:
        print("Run `recto-hook` with these files to rewrite them, or the pre-commit hook `recto-rewrite`.")
    return 1 if found else 0


def _shrink(client: recto.Client, file: Path, options: argparse.Namespace) -> bool:
    """Whether the file can be made smaller; it is rewritten, unless it is only checked."""
    before = file.stat().st_size
    operation = client.optimize(file, profile=options.profile)
    after = len(operation.read())
    if before == 0 or (before - after) * 100 < before * options.at_least:
        return False
    if not options.check:
        operation.save(file)
    done = "could be" if options.check else "is now"
    print(f"{file}: {before:,} bytes; {done} {after:,} ({100 - after * 100 // before} % less)")
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="recto-hook", description="Keep the PDFs of a repository small.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="the PDF files")
    parser.add_argument("--check", action="store_true", help="only report the files; change nothing")
    parser.add_argument(
        "--profile",
        choices=_PROFILES,
        default="archive",
        help="the profile; default: archive, which is lossless",
    )
    parser.add_argument(
        "--at-least",
        type=_percent,
        default=5,
        metavar="PERCENT",
        help="the saving that is worth a change, in percent; default: 5",
    )
    return parser


def _percent(text: str) -> float:
    value = float(text)
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not a percentage above 0 and up to 100")
    return value


if __name__ == "__main__":
    sys.exit(main())
