"""The GitHub workflows: valid according to actionlint, pinned, and with the least permissions."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EACH = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)


def test_there_are_workflows_for_tests_wheels_crates_and_releases() -> None:
    assert {path.stem for path in WORKFLOWS} == {"tests", "wheels", "crates", "release"}


def test_actionlint_reports_nothing() -> None:
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip(
            "actionlint is not installed: go install github.com/rhysd/actionlint/cmd/actionlint@latest"
        )
    run = subprocess.run([actionlint, *WORKFLOWS], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@EACH
def test_each_says_what_was_not_tried(workflow: Path) -> None:
    opening = re.match(r"(?:#.*\n)+", workflow.read_text(encoding="utf-8"))
    assert opening is not None
    assert "not tried" in opening[0].lower()


@EACH
def test_actions_are_pinned_to_a_commit_with_its_version(workflow: Path) -> None:
    uses = re.findall(r"uses: (.+)", workflow.read_text(encoding="utf-8"))
    pinned = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\./\.github/workflows/\w+\.yml")
    assert [action for action in uses if not pinned.fullmatch(action)] == []


@EACH
def test_only_a_job_that_needs_it_may_write(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert re.search(r"^permissions:(?: \{\}|\n  contents: read)$", text, re.MULTILINE)
    assert text.count("persist-credentials: false") == text.count("uses: actions/checkout@")
