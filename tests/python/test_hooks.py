"""The pre-commit hooks and the action: each is run in a git repository that is made for it.

No runner of a forge is here, so a test runs the steps of action.yml with bash, as a runner does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from python.conftest import EXAMPLES

ROOT = EXAMPLES.parent
ACTION = ROOT / "actions/small-pdfs"
BIN = Path(sys.executable).parent


def run(
    repository: Path, *command: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    settings = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(repository.parent),
        "PRE_COMMIT_HOME": str(repository.parent / "pre-commit"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **(environment or {}),
    }
    return subprocess.run(command, cwd=repository, env=settings, capture_output=True, text=True, check=False)


def git(repository: Path, *arguments: str | Path) -> str:
    author = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    done = run(repository, "git", *author, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a document that can be made smaller, one that cannot be read, and a text."""
    made = tmp_path / "repository"
    (made / "a folder").mkdir(parents=True)
    git(made, "init", "--quiet", "--initial-branch", "main")
    shutil.copy(EXAMPLES / "report.pdf", made / "a folder/the report.pdf")
    (made / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
    (made / "notes.txt").write_text("not a PDF")
    git(made, "add", ".")
    return made


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A repository with the hooks, as pre-commit fetches it."""
    made = tmp_path / "hooks"
    made.mkdir()
    git(made, "init", "--quiet", "--initial-branch", "main")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", made)
    git(made, "add", ".")
    git(made, "commit", "--quiet", "--message", "hooks")
    return made


def size(repository: Path) -> int:
    return (repository / "a folder/the report.pdf").stat().st_size


def pre_commit(repository: Path, hooks: Path, hook: str) -> subprocess.CompletedProcess[str]:
    revision = git(hooks, "rev-parse", "HEAD").strip()
    configuration = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [{"id": hook}]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    git(repository, "add", ".")
    return run(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose")


def test_the_check_reports_a_large_pdf_and_changes_nothing(repository: Path, hooks: Path) -> None:
    before = size(repository)
    done = pre_commit(repository, hooks, "recto-check")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"the report\.pdf: [\d,]+ bytes; could be [\d,]+ \(\d+ % less\)", done.stdout)
    assert "broken.pdf: skipped: " in done.stdout
    assert size(repository) == before
    assert git(repository, "diff", "--name-only") == ""


def test_the_hook_rewrites_a_large_pdf_once(repository: Path, hooks: Path) -> None:
    before = size(repository)
    done = pre_commit(repository, hooks, "recto-rewrite")
    assert done.returncode == 1, done.stdout + done.stderr
    assert size(repository) < before
    assert git(repository, "diff", "--name-only").splitlines() == ["a folder/the report.pdf"]
    git(repository, "add", ".")
    assert pre_commit(repository, hooks, "recto-rewrite").returncode == 0


def test_the_commands_exit_code_is_the_outcome(repository: Path) -> None:
    (repository / "small.pdf").write_bytes((EXAMPLES / "report.pdf").read_bytes())
    assert run(repository, BIN / "recto-hook", "small.pdf").returncode == 1
    assert run(repository, BIN / "recto-hook", "--check", "small.pdf").returncode == 0
    assert (
        run(repository, BIN / "recto-hook", "--at-least", "99.9", "a folder/the report.pdf").returncode == 0
    )
    missing = run(repository, BIN / "recto-hook", "missing.pdf")
    assert (missing.returncode, "missing.pdf" in missing.stderr) == (2, True)
    assert run(repository, BIN / "recto-hook", "--at-least", "0", "small.pdf").returncode == 2
    assert run(repository, BIN / "recto-hook").returncode == 0


def act(repository: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Runs the steps of the action as a runner does: the status, the outputs of the last step, what was printed."""
    action: dict[str, Any] = yaml.safe_load((ACTION / "action.yml").read_text())
    unknown = set(inputs) - set(action["inputs"])
    assert not unknown
    values = {f"inputs.{name}": str(known["default"]) for name, known in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    values["github.action_path"] = str(ACTION)
    output = repository.parent / "output"
    status, printed = 0, ""
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input reaches a step through its environment only"
        output.write_text("")
        environment = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text)
            for name, text in step["env"].items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = run(repository, *command, environment={**environment, "GITHUB_OUTPUT": str(output)})
        printed += done.stdout + done.stderr
        status = done.returncode
        if status != 0:
            break
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return status, outputs, printed


def test_the_action_checks_the_files_of_the_repository(repository: Path) -> None:
    before = size(repository)
    shutil.copy(EXAMPLES / "form.pdf", repository / "untracked.pdf")
    status, outputs, printed = act(repository)
    assert (status, outputs) == (1, {"changed": "true"}), printed
    assert "the report.pdf" in printed
    assert "untracked.pdf" not in printed
    assert size(repository) == before


def test_the_action_rewrites_and_then_finds_nothing(repository: Path) -> None:
    before = size(repository)
    status, outputs, printed = act(repository, mode="rewrite", profile="web")
    assert (status, outputs) == (0, {"changed": "true"}), printed
    assert size(repository) < before
    status, outputs, printed = act(repository)
    assert (status, outputs) == (0, {"changed": "false"}), printed


def test_the_action_refuses_an_unknown_input(repository: Path) -> None:
    status, outputs, printed = act(repository, mode="delete; touch owned")
    assert (status, outputs) == (2, {})
    assert "is not check or rewrite" in printed
    assert act(repository, profile="wbe")[0] == 2
    assert not (repository / "owned").exists()


def test_the_action_passes_in_a_repository_without_pdfs(repository: Path) -> None:
    git(repository, "rm", "--quiet", "--cached", "a folder/the report.pdf", "broken.pdf")
    assert act(repository)[:2] == (0, {"changed": "false"})
