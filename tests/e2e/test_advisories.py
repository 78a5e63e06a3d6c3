"""`scripts/advisories` fails for a crate with an advisory, and reports clearly that nothing was checked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from e2e.support import ROOT

CACHE = Path(os.environ.get("RECTO_CACHE") or Path.home() / ".cache/recto")
CARGO_DENY = CACHE / "cargo-deny/bin/cargo-deny"

ADVISORY = """```toml
[advisory]
id = "RUSTSEC-2020-9999"
package = "{package}"
date = "2020-01-01"
[versions]
patched = []
```

# An invented advisory

It exists only in this test.
"""


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def _database(folder: Path, package: str) -> Path:
    """A database with one advisory, in the layout of the real one."""
    entry = folder / "crates" / package / "RUSTSEC-2020-9999.md"
    entry.parent.mkdir(parents=True)
    entry.write_text(ADVISORY.format(package=package))
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message=One advisory")
    return folder


def _check(cache: Path, source: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs the script; git fetches from `source` instead of the real address."""
    environment = dict(
        os.environ,
        RECTO_CACHE=str(cache),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"url.{source.as_uri()}.insteadOf",
        GIT_CONFIG_VALUE_0="https://github.com/RustSec/advisory-db",
    )
    environment.pop("RECTO_REQUIRE_ADVISORIES", None)
    command = [ROOT / "scripts/advisories", CARGO_DENY]
    return subprocess.run(command, env=environment | variables, capture_output=True, text=True, timeout=300)


@pytest.fixture(autouse=True)
def cargo_deny() -> None:
    if not CARGO_DENY.exists():
        if os.environ.get("CI"):
            pytest.fail("the step `deny` has not installed cargo-deny")
        pytest.skip("cargo-deny is not installed")


def test_an_advisory_for_a_linked_crate_fails(tmp_path: Path) -> None:
    done = _check(tmp_path / "cache", _database(tmp_path / "database", "bytes"))
    assert done.returncode != 0, done
    assert "RUSTSEC-2020-9999" in done.stderr, done


def test_without_findings_it_passes_also_with_an_earlier_copy(tmp_path: Path) -> None:
    database = _database(tmp_path / "database", "no-such-crate")
    done = _check(tmp_path / "cache", database)
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1].startswith("advisories checked;"), done
    shutil.rmtree(database)
    done = _check(tmp_path / "cache", database, RECTO_REQUIRE_ADVISORIES="true")
    assert done.returncode == 0, done
    assert "an earlier copy" in done.stdout, done


def test_without_a_copy_it_says_so(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    done = _check(tmp_path / "cache", nowhere)
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1].startswith("advisories NOT CHECKED: "), done
    assert _check(tmp_path / "cache", nowhere, RECTO_REQUIRE_ADVISORIES="true").returncode == 1
