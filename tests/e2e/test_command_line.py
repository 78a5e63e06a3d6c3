"""The command: batches, journals, dry runs, resuming by token, the config file, help, completions and manual."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest

from e2e.support import EXAMPLES, Oracle
from python.loopback import KEY, PDF, Loopback

FORM = EXAMPLES / "form.pdf"


def _documents(folder: Path, count: int) -> list[Path]:
    """Small documents, each with a different page width."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:04}.pdf" for number in range(count)]
    for path in paths:
        with pikepdf.new() as document:
            document.add_blank_page(page_size=(100 + int(path.stem), 100))
            document.save(path)
    return paths


def _run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, timeout=120, env={**os.environ, **environment}, check=False
    )


@pytest.fixture
def service(command: str, scratch: Path) -> Iterator[dict[str, str]]:
    """A running service: its address and key as environment variables."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen([command, "serve"], stdout=subprocess.PIPE, text=True, env=environment) as serving:
        assert serving.stdout is not None
        lines = [serving.stdout.readline().strip() for _ in range(2)]
        yield dict(line.split("=", 1) for line in lines)
        serving.terminate()


@pytest.mark.usefixtures("scratch")
def test_a_folder_keeps_its_structure_and_failures_are_counted(tmp_path: Path, command: str) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    for name in ["a.pdf", "deep/b.pdf", "notes.txt"]:
        shutil.copy(FORM, source / name)
    (source / "bad.pdf").write_text("no document")
    done = _run(command, "optimize", source, "--recursive", "-o", out, "--jobs", "2")
    assert done.returncode == 1
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*")) == ["a.pdf", "deep/b.pdf"]
    assert len(done.stdout.splitlines()) == 2
    failure, summary = done.stderr.splitlines()
    assert "bad.pdf" in failure
    assert summary == "3 documents: 2 done, 1 failed"


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(
    ("operation", "option", "value"),
    [("validate", "conformance", "pdf99"), ("stamp-text", "text-color", "nonsense")],
)
def test_a_value_that_only_the_service_can_check_is_a_usage_error_too(
    operation: str, option: str, value: str, tmp_path: Path, command: str
) -> None:
    more: list[str | Path] = [] if operation == "validate" else ["--text", "x", "-o", tmp_path / "out.pdf"]
    done = _run(command, operation, FORM, f"--{option}", value, *more)
    assert done.returncode == 2
    assert value in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("scratch")
def test_json_output_has_one_line_for_each_document(tmp_path: Path, command: str) -> None:
    paths = [*_documents(tmp_path / "in", 3), tmp_path / "missing.pdf"]
    done = _run(command, "optimize", *paths, "-o", tmp_path / "out", "--json")
    lines = {Path(line["input"]).name: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.stderr == ""
    assert done.returncode == 3
    assert lines["missing.pdf"]["error"] == "IoError"
    for path in paths[:3]:
        line = lines[path.name]
        assert Path(line["output"]) == tmp_path / "out" / path.name
        assert line["outputBytes"] == (tmp_path / "out" / path.name).stat().st_size


@pytest.mark.usefixtures("scratch")
def test_a_dry_run_writes_nothing(tmp_path: Path, command: str) -> None:
    (tmp_path / "letter.txt").touch()
    done = _run(command, "optimize", FORM, tmp_path / "letter.txt", "-o", tmp_path / "out", "--dry-run")
    assert done.returncode == 2
    assert done.stdout == f"optimize: {FORM} -> {tmp_path / 'out'}\n"
    assert "letter.txt" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("scratch")
def test_a_batch_ends_at_its_timeout(tmp_path: Path, command: str) -> None:
    paths = _documents(tmp_path / "in", 60)
    done = _run(command, "optimize", *paths, "-o", tmp_path / "out", "--jobs", "1", "--timeout", "0.01")
    assert done.returncode == 5
    assert re.search(r"^60 documents: \d+ done, \d+ not tried$", done.stderr, re.MULTILINE)


@pytest.mark.usefixtures("scratch")
def test_several_documents_need_a_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    targets: list[str | Path] = ["-", tmp_path / "small.pdf", tmp_path / "file"]
    for target in targets:
        done = _run(command, "optimize", FORM, EXAMPLES / "scan.pdf", "-o", target)
        assert done.returncode == 2
        assert "folder" in done.stderr


def test_a_batch_that_is_killed_again_and_again_does_each_document_once(
    tmp_path: Path, command: str, service: dict[str, str]
) -> None:
    paths = _documents(tmp_path / "in", 120)
    out, journal = tmp_path / "out", tmp_path / "run.jsonl"
    words: list[str | Path] = [
        command,
        "optimize",
        tmp_path / "in",
        "-o",
        out,
        "--journal",
        journal,
        "--jobs",
        "4",
    ]
    chance, kills, goal = random.Random(5), 0, 0
    environment = {**os.environ, **service}
    while kills < 6:
        running = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        # Kill the command after some more documents are finished, while other documents are in progress.
        goal += chance.randint(5, 20)
        while running.poll() is None and len(list(out.glob("*.pdf"))) < goal:
            time.sleep(0.001)
        if running.poll() is not None:
            break
        running.kill()
        running.wait()
        kills += 1
    assert kills >= 3, "the batch ended before it could be killed"
    last = _run(*words, **service)
    assert last.returncode == 0, last.stderr
    steps = [json.loads(line) for line in journal.read_text().splitlines()]
    started = [Path(step["item"]).name for step in steps if step.get("step") == "started"]
    finished = {Path(step["item"]).name for step in steps if step.get("step") == "finished"}
    assert finished == {path.name for path in paths} == {path.name for path in out.iterdir()}
    assert len(started) == len(set(started)), "an operation that the journal had as started was started again"
    assert service["RECTO_API_KEY"] not in journal.read_text()
    for path in paths:
        with pikepdf.open(out / path.name) as document:
            assert document.pages[0].mediabox[2] == 100 + int(path.stem)
    again = _run(*words, **service)
    assert again.stderr.strip() == "120 documents: 0 done, 120 done before"


def test_an_operation_is_resumed_by_its_token(tmp_path: Path, command: str, service: dict[str, str]) -> None:
    started = _run(command, "optimize", FORM, "--no-wait", **service)
    assert started.returncode == 0, started.stderr
    token = started.stdout.strip()
    assert service["RECTO_API_KEY"] not in token
    waited = _run(command, "wait", token, **service)
    assert waited.stdout.strip().endswith("finished")
    fetched = _run(command, "fetch", token, "-o", tmp_path / "small.pdf", **service)
    assert fetched.returncode == 0, fetched.stderr
    assert (tmp_path / "small.pdf").read_bytes().startswith(b"%PDF-")
    alone = _run(command, "optimize", FORM, "--no-wait")
    assert alone.returncode == 2
    assert "ends with the command" in alone.stderr


def test_the_result_of_an_operation_is_processed_by_its_token(
    tmp_path: Path, command: str, service: dict[str, str], loopback: Loopback
) -> None:
    first = _run(command, "stamp-text", FORM, "--text", "FIRST", "--no-wait", **service).stdout.strip()
    words = ("stamp-text", "--text", "SECOND", "--from-token", first)
    second = _run(command, *words, "--no-wait", **service)
    assert second.returncode == 0, second.stderr
    fetched = _run(command, "fetch", second.stdout.strip(), "-o", tmp_path / "both.pdf", **service)
    assert fetched.returncode == 0, fetched.stderr
    with pikepdf.open(tmp_path / "both.pdf") as document:
        assert len(document.pages) > 0
    checked = _run(command, "validate", "--from-token", first, "--json", **service)
    assert json.loads(checked.stdout)["isConforming"] is True, checked.stdout

    # Nothing is sent a second time: the service has the file.
    settings = _at(loopback)
    token = _run(command, "optimize", FORM, "--no-wait", **settings).stdout.strip()
    newer = _run(command, "run", "stamp/text", "--from-token", token, "-o", tmp_path / "new.pdf", **settings)
    assert newer.returncode == 0, newer.stderr
    assert len(loopback.of("put")) == 1
    assert loopback.of("start")[1].json["input"] == {"fileId": "result-1"}

    cases: list[tuple[list[str | Path], str]] = [
        ([FORM, "--from-token", first], "cannot be used with"),
        (["--from-token", first, "--dry-run"], "cannot be used with"),
        ([], "required"),
        (["--from-token", "nonsense"], "token"),
    ]
    for wrong, says in cases:
        refused = _run(command, "optimize", *wrong, "-o", tmp_path / "no.pdf", **service)
        assert refused.returncode == 2, refused.stderr
        assert says in refused.stderr
    alone = _run(command, "optimize", "--from-token", first, "-o", tmp_path / "no.pdf")
    assert alone.returncode == 2
    assert "keeps running" in alone.stderr


def test_the_config_file_names_services(tmp_path: Path, command: str, service: dict[str, str]) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        f'service = "house"\n[services.house]\nbase_url = "{service["RECTO_BASE_URL"]}"\n'
        f'api_key = "{service["RECTO_API_KEY"]}"\n'
    )
    listed = _run(command, "files", "list", "--config", config)
    assert listed.returncode == 0, listed.stderr
    # A flag overrides an environment variable, and an environment variable overrides the config file.
    for words, answer in [(("--service", "local"), 2), (("--base-url", "http://127.0.0.1:1"), 4)]:
        assert _run(command, "files", "list", *words, RECTO_CONFIG=str(config)).returncode == answer
    doctor = _run(command, "doctor", RECTO_CONFIG=str(config))
    assert doctor.returncode == 0
    assert "the config file" in doctor.stdout
    assert f"chmod 600 {config}" in doctor.stdout
    assert service["RECTO_API_KEY"] not in doctor.stdout + doctor.stderr
    unknown = _run(command, "files", "list", "--service", "huose", "--config", config)
    assert unknown.returncode == 2
    assert "known services: house, local" in unknown.stderr


@pytest.mark.usefixtures("scratch")
def test_the_doctor_reports_what_to_repair(command: str) -> None:
    done = _run(command, "doctor", PATH="/nowhere")
    assert done.returncode == 0
    assert re.search(r"ok    connection: it started in [\d.]+ ms and responds", done.stdout)
    assert ("warn  user: the service would run as root" in done.stdout) == (os.geteuid() == 0)
    done = _run(command, "doctor", RECTO_WORKER="/nowhere/recto")
    assert done.returncode == 4
    assert (
        "BAD   isolation: no document can be processed: cannot start a worker from /nowhere/recto"
        in done.stdout
    )
    done = _run(command, "doctor", RECTO_BASE_URL="http://127.0.0.1:1", RECTO_TIMEOUT="2")
    assert done.returncode == 4
    assert "BAD   connection" in done.stdout


def test_a_typo_gets_a_suggestion(command: str) -> None:
    done = _run(command, "optimise", FORM)
    assert done.returncode == 2
    assert "optimize" in done.stderr
    assert "\x1b[" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_completions(shell: str, command: str, tmp_path: Path, oracle: Oracle) -> None:
    script = tmp_path / "script"
    script.write_text(_run(command, "completions", shell).stdout)
    assert "image-to-pdf" in script.read_text()
    if shell == "bash":
        assert oracle("bash", "-n", script).returncode == 0


def test_the_manual_has_a_page_for_each_command(command: str, tmp_path: Path) -> None:
    assert _run(command, "man", tmp_path / "man").returncode == 0
    pages = {path.name for path in (tmp_path / "man").iterdir()}
    assert {"recto.1", "recto-optimize.1", "recto-stamp-qr.1", "recto-files-list.1"} <= pages
    assert ".TH recto 1" in _run(command, "man").stdout


@pytest.mark.usefixtures("scratch")
def test_a_terminal_shows_progress_and_standard_output_has_the_lines(tmp_path: Path, command: str) -> None:
    _documents(tmp_path / "in", 20)
    controller, terminal = pty.openpty()
    words: list[str | Path] = [command, "optimize", tmp_path / "in", "-o", tmp_path / "out"]
    running = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=terminal, text=True, env={**os.environ, "TERM": "xterm"}
    )
    os.close(terminal)
    shown = bytearray()
    while True:
        try:
            piece = os.read(controller, 4096)
        except OSError:  # The terminal was closed.
            break
        if not piece:
            break
        shown += piece
    output, _ = running.communicate(timeout=60)
    os.close(controller)
    assert running.returncode == 0
    assert len(output.splitlines()) == 20
    assert b"/20" in shown
    assert b"20 documents: 20 done" in shown


@pytest.mark.usefixtures("scratch")
def test_a_result_in_a_folder_never_replaces_its_document(tmp_path: Path, command: str) -> None:
    form = tmp_path / "form.pdf"
    shutil.copy(FORM, form)
    form.chmod(0o600)
    before = form.read_bytes()
    (tmp_path / "linked").symlink_to(tmp_path)
    for target in [tmp_path, tmp_path / "linked"]:
        refused = _run(command, "optimize", form, "-o", target)
        assert refused.returncode == 2, refused.stderr
        assert "would replace its source" in refused.stderr
    with form.open("rb") as document:
        words: list[str | Path] = [command, "optimize", "-", "--name", "form.pdf", "-o", tmp_path]
        assert (
            subprocess.run(words, stdin=document, capture_output=True, timeout=120, check=False).returncode
            == 2
        )
    assert _run(command, "optimize", form, "-o", form, "--no-overwrite").returncode == 3
    assert form.read_bytes() == before
    replaced = _run(command, "optimize", form, "-o", form)
    assert replaced.returncode == 0, replaced.stderr
    assert form.read_bytes() != before
    assert form.stat().st_mode & 0o777 == 0o600
    (tmp_path / "out").mkdir()
    for code in [0, 0]:
        assert _run(command, "optimize", form, "-o", tmp_path / "out").returncode == code
    assert _run(command, "optimize", form, "-o", tmp_path / "out", "--no-overwrite").returncode == 3
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["form.pdf"]


@pytest.mark.usefixtures("scratch")
def test_a_name_does_not_control_the_terminal(tmp_path: Path, command: str) -> None:
    hostile = "a\x1b]0;title\x07\x9b31m\u202efdp.pdf"
    shutil.copy(FORM, tmp_path / hostile)
    (tmp_path / "out").mkdir()
    calls: list[list[str | Path]] = [
        ["optimize", tmp_path / hostile, "-o", tmp_path / "out"],
        ["optimize", tmp_path / hostile, "-o", tmp_path / "out", "--json"],
        ["validate", tmp_path / hostile],
        ["optimize", tmp_path / f"missing{hostile}", "-o", tmp_path / "out"],
    ]
    for words in calls:
        done = _run(command, *words)
        printed = (done.stdout + done.stderr).replace("\n", "")
        assert "title" in printed
        assert not [character for character in printed if not character.isprintable()], printed
    assert (tmp_path / "out" / hostile).exists()


@pytest.mark.usefixtures("scratch")
def test_an_address_is_shown_without_its_query(tmp_path: Path, command: str) -> None:
    for address in [
        "http://127.0.0.1:9/a.pdf?sig=signature-1",
        "https:/documents.test/a.pdf?sig=signature-1",
    ]:
        done = _run(command, "optimize", address, "-o", tmp_path / "out.pdf")
        assert done.returncode != 0
        assert "/a.pdf?[redacted]" in done.stderr
        assert "signature" not in done.stdout + done.stderr
    refused = _run(command, "optimize", FORM, "-o", "https://documents.test/a.pdf?sig=signature-1")
    assert refused.returncode == 2
    assert "signature" not in refused.stderr


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A service that records its requests."""
    service = Loopback()
    yield service
    service.close()


def _at(service: Loopback) -> dict[str, str]:
    return {"RECTO_BASE_URL": service.base_url, "RECTO_API_KEY": KEY, "RECTO_LOG": "trace"}


def test_headers_and_newer_options_are_sent(tmp_path: Path, command: str, loopback: Loopback) -> None:
    secrets, small = tmp_path / "headers.txt", tmp_path / "small.pdf"
    secrets.write_text("X-Gateway-Token: sesame-open\n\nX-B:2\n")
    words = ["--header", "traceparent: 00-1", f"--header=@{secrets}", "--option", "newer.deep=[1]"]
    loopback.answer("get", 403, {"detail": "the token sesame-open is unknown"})
    done = _run(command, "optimize", FORM, "-o", small, "--option=text=a b", *words, **_at(loopback))
    assert done.returncode == 0, done.stderr
    assert small.read_bytes() == PDF
    refused = _run(command, "files", "get", "x", f"--header=@{secrets}", **_at(loopback))
    assert refused.returncode == 4
    assert "sesame" not in done.stderr + done.stdout + refused.stderr + refused.stdout
    assert loopback.of("start")[0].json["options"] == {"newer": {"deep": [1]}, "text": "a b"}
    for step in ("ticket", "start", "result"):
        headers = loopback.of(step)[0].headers
        sent = [headers[name] for name in ("traceparent", "x-gateway-token", "x-b")]
        assert sent == ["00-1", "sesame-open", "2"]
    assert "x-gateway-token" not in loopback.of("put")[0].headers


def test_a_wrong_header_or_option_is_a_usage_error_without_its_value(
    tmp_path: Path, command: str, loopback: Loopback
) -> None:
    for words in (
        ["--header", "sesame-open"],
        ["--header", "X-Api-Key: sesame-open"],
        ["--header", "traceparent: sesame\nopen"],
        ["--option", "sesame-open"],
        ["--option", "a=1", "--option", "a=sesame-open"],
    ):
        done = _run(command, "optimize", FORM, "-o", tmp_path / "out.pdf", *words, **_at(loopback))
        assert done.returncode == 2, words
        assert "sesame" not in done.stderr, words
    assert loopback.requests == []


def test_headers_of_the_config_file_are_sent(tmp_path: Path, command: str, loopback: Loopback) -> None:
    config = tmp_path / "config.toml"
    service = f'base_url = "{loopback.base_url}"\nheaders = {{ X-Gateway = "blue", X-Other = "1" }}'
    config.write_text(f'service = "there"\n[services.there]\n{service}\n')
    done = _run(command, "files", "list", "--config", config, "--header", "x-gateway:green")
    assert done.returncode == 0, done.stderr
    headers = loopback.requests[0].headers
    assert [headers["x-gateway"], headers["x-other"]] == ["green", "1"]


def test_an_operation_that_is_newer_than_the_command_runs(
    tmp_path: Path, command: str, loopback: Loopback
) -> None:
    newer = "convert/pdf-to-webp"
    loopback.result_name, loopback.result_bytes = "page.webp", b"RIFF....WEBP"
    target = tmp_path / "page.webp"
    done = _run(command, "run", newer, FORM, "-o", target, "--option", "quality=80", **_at(loopback))
    assert done.returncode == 0, done.stderr
    assert target.read_bytes() == b"RIFF....WEBP"
    (start,) = loopback.of("start")
    assert (start.path, start.json["options"]) == (f"/v1/operations/{newer}", {"quality": 80})

    settings = _at(loopback)
    token = _run(command, "run", newer, FORM, "--no-wait", **settings).stdout.strip()
    assert _run(command, "fetch", token, "-o", target, "--delete-after", **settings).returncode == 0
    assert [request.path for request in loopback.of("delete")] == ["/v1/files/result-1"]
    printed = _run(command, "run", newer, FORM, "--json", **settings)
    assert json.loads(printed.stdout)["fileId"] == "result-1"
    assert _run(command, "run", "../files", FORM, **settings).returncode == 2
    assert _run(command, "run", newer, "-", **settings).returncode == 2


def test_the_files_of_an_operation_are_deleted(tmp_path: Path, command: str, loopback: Loopback) -> None:
    settings, target = _at(loopback), tmp_path / "small.pdf"
    done = _run(command, "optimize", FORM, "-o", target, "--delete-after", **settings)
    assert done.returncode == 0, done.stderr
    uploaded = loopback.of("put")[0].path.split("/")[-1].split("?")[0]
    assert [request.path for request in loopback.of("delete")] == [
        f"/v1/files/{uploaded}",
        "/v1/files/result-1",
    ]
    token = _run(command, "optimize", FORM, "--no-wait", **settings).stdout.strip()
    done = _run(command, "delete", token, **settings)
    assert (done.returncode, done.stdout) == (0, "")
    assert [request.path for request in loopback.of("delete")][2:] == ["/v1/files/result-1"]
    assert _run(command, "delete", "nonsense", **settings).returncode == 2
