"""Packs the Go module as `go get` downloads it: python3 pack.py FOLDER MODULE VERSION writes a file proxy (GOPROXY=file://).

Like a published version, the zip has the files that git lists, without the modules in folders of their own.
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def _files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(command, cwd=HERE, text=True).splitlines()  # noqa: S603
    inner = [name.removesuffix("go.mod") for name in listed if name.endswith("/go.mod")]
    return [name for name in listed if not name.startswith(tuple(inner))]


def main(folder: Path, module: str, version: str) -> None:
    """Writes the proxy."""
    target = folder / module / "@v"
    target.mkdir(parents=True)
    (target / "list").write_text(version + "\n")
    (target / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2026-01-01T00:00:00Z"}))
    (target / f"{version}.mod").write_bytes((HERE / "go.mod").read_bytes())
    with zipfile.ZipFile(target / f"{version}.zip", "w", zipfile.ZIP_DEFLATED) as pack:
        for name in _files():
            pack.write(HERE / name, f"{module}@{version}/{name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
