"""The package as it is installed: its files, its types, its command."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import recto

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    "__init__.py", "__main__.py", "_client.py", "_frozen.py", "_native.pyi", "_operations.py", "_types.py", "aio.py",
    "enums.py", "errors.py", "options.py", "progress.py", "py.typed", "records.py",
}  # fmt: skip


def tool(name: str) -> str:
    """A program of the test environment; one that is missing is a failure where everything must run."""
    found = shutil.which(name, path=Path(sys.executable).parent) or shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed; it is in the dependency groups of pyproject.toml")
        pytest.skip(f"{name} is not installed")
    return found


def test_the_installed_package_has_no_dependencies() -> None:
    metadata = importlib.metadata.metadata("recto")
    assert metadata.get_all("Requires-Dist") is None
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Version"] == recto.__version__ == importlib.metadata.version("recto")


def test_the_package_is_made_of_these_files() -> None:
    sources = {path.name for path in (ROOT / "python/recto").iterdir() if path.suffix not in (".so", ".pyd")}
    assert sources - {"__pycache__"} == MODULES


def wheel() -> Path:
    """The wheel that the checks built, or that `RECTO_WHEEL` names."""
    named = os.environ.get("RECTO_WHEEL")
    built = [Path(named)] if named else sorted((ROOT / "build/wheel").glob("recto-*.whl"))
    if not built:
        pytest.skip("no wheel was built: pip wheel --no-deps -w build/wheel .")
    return built[-1]


def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    names = zipfile.ZipFile(wheel()).namelist()
    package = {name.removeprefix("recto/") for name in names if name.startswith("recto/")}
    assert package - {"_native.abi3.so", "_native.pyd"} == MODULES
    assert len(package - MODULES) == 1, "one native module, for all versions of Python"
    others = {name.split("/")[-1] for name in names if not name.startswith("recto/")}
    assert {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "LICENSE-MIT", "LICENSE-APACHE"} <= others
    assert all(".dist-info/" in name for name in names if not name.startswith("recto/"))
    assert "-cp311-abi3-" in wheel().name


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_works_on_every_python(version: str, tmp_path: Path, report: Path) -> None:
    interpreter = shutil.which(f"python{version}")
    probe = [interpreter or "", "-c", "import venv, sys; print(sys.version_info[:2])"]
    if interpreter is None or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"Python {version} is not installed")
    built = wheel()
    subprocess.run([interpreter, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}  # no Rust
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", built],
        check=True,
        env=environment,
    )
    program = "import recto, sys; c = recto.Client(); print(c.files.get(c.files.upload(sys.argv[1])).name)"
    run = subprocess.run(
        [python, "-c", program, report], check=True, capture_output=True, text=True, env=environment
    )
    assert run.stdout == "report.pdf\n"


@pytest.mark.parametrize("entry", [["-m", "recto"], None], ids=["python -m recto", "recto"])
def test_the_command_line_is_the_rust_program(entry: list[str] | None) -> None:
    command = [sys.executable, *entry] if entry else [tool("recto")]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.split() == ["recto", recto.__version__]
    wrong = subprocess.run([*command, "no-such-command"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "no-such-command" in wrong.stderr


def test_the_stubs_describe_the_native_module() -> None:
    pytest.importorskip("mypy")
    command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "recto",
        "--mypy-config-file",
        str(ROOT / "pyproject.toml"),
    ]
    command += ["--allowlist", str(Path(__file__).with_name("stubtest.txt"))]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_type_checker_sees_what_the_documentation_promises(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    good = (
        "import recto\n"
        "from pathlib import Path\n"
        "from typing import assert_type\n"
        "client = recto.Client(api_key='k')\n"
        "assert_type(client.optimize('a.pdf', profile='web'), recto.Operation)\n"
        "assert_type(client.optimize(b'', profile=recto.Profile.WEB).save('b.pdf'), Path)\n"
        "assert_type(client.files.list(), list[recto.FileRecord])\n"
        "assert_type(client.files.upload(Path('a.pdf')), recto.FileId)\n"
        "async def main() -> None:\n"
        "    async with recto.AsyncClient() as client:\n"
        "        assert_type(await (await client.optimize('a.pdf')).read(), bytes)\n"
    )
    wrong = [
        "client.optimize('a.pdf', profile='wbe')",
        "client.optimize('a.pdf', 'web')",
        "client.archive_pdfa('a.pdf')",
        "client.pdf_to_png('a.pdf', color_space='cmyk')",
        "client.stamp_qr('a.pdf', value=3)",
    ]
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "wrong.py").write_text("import recto\nclient = recto.Client()\n" + "\n".join(wrong) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file="]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    for name in ("good", "wrong"):
        run = subprocess.run(
            [*command, tmp_path / f"{name}.py"],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment,
        )
        errors = [line for line in run.stdout.splitlines() if "error:" in line]
        assert len(errors) == (0 if name == "good" else len(wrong)), run.stdout
