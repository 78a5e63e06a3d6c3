"""Kills a service at random moments under load; prints what its clients saw.

python benches/service/kills.py data-dir --kills 200
python benches/service/kills.py many --kills 200     # needs Debian's postgresql, and moto[server]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from common import ROOT, machine, recto

sys.path.insert(0, str(ROOT / "tests"))

from cluster import setups


def main() -> int:
    """Prints the table; returns 1 if a client saw a fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("form", choices=sorted(setups.FORMS))
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{machine()}, seed {given.seed}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        form = setups.FORMS[given.form]
        seen, left = form(recto().resolve(), Path(folder), given.kills, given.clients, given.seed)
    kills = ", ".join(f"{count} of {name}" for name, count in sorted(seen.kills.items()))
    print(
        "| service | kills | seconds | operations accepted | finished once, with their result | faults | remaining |"
    )
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {given.form} | {kills} | {seen.seconds:.0f} | {len(seen.accepted)} | {len(seen.finished)}"
        f" | {len(seen.faults)} | {len(left)} |"
    )
    for fault in [*seen.faults, *left][:20]:
        print("FAULT", fault)
    return 1 if seen.faults or left else 0


if __name__ == "__main__":
    sys.exit(main())
