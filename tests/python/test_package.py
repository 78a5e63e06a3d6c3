"""The installed package: its files, its types, its command."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import recto

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    "__init__.py", "__main__.py", "_async_handle.py", "_async_operations.py", "_async_sources.py", "_client.py",
    "_columns.py", "_documents.py", "_enum_types.py", "_frozen.py", "_imports.py", "_interpreter.py",
    "_lazy.py", "_native.pyi", "_operations.py", "_option_types.py", "_threads.py", "_types.py", "_udf.py",
    "_watch.py", "aio.py", "enums.py", "errors.py", "hooks.py", "notebook.py", "ocrmypdf/__init__.py",
    "ocrmypdf/_client.py", "ocrmypdf/_optimize.py", "ocrmypdf/_pdfa.py", "ocrmypdf/_raster.py", "options.py",
    "progress.py", "py.typed", "records.py",
}  # fmt: skip

# The variable is read at import, because a fixture later removes the environment variables of the developer.
NAMED = os.environ.get("RECTO_WHEEL")


def tool(name: str) -> str:
    """A program of the test environment; one that is missing fails the test in CI and skips it elsewhere."""
    found = shutil.which(name, path=Path(sys.executable).parent) or shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed; it is in the dependency groups of pyproject.toml")
        pytest.skip(f"{name} is not installed")
    return found


def test_the_installed_package_has_no_dependencies_but_those_of_extras() -> None:
    metadata = importlib.metadata.metadata("recto")
    needed = metadata.get_all("Requires-Dist") or []
    assert [line for line in needed if "extra ==" not in line] == []
    assert metadata.get_all("Provides-Extra") == ["ocrmypdf"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Version"] == recto.__version__ == importlib.metadata.version("recto")


def test_the_package_has_these_files() -> None:
    assert files_of(ROOT / "python/recto") == MODULES


def files_of(package: Path) -> set[str]:
    """The files of the package, without native modules and bytecode."""
    files = [
        path for path in package.rglob("*") if path.is_file() and path.suffix not in (".so", ".pyd", ".pyc")
    ]
    return {path.relative_to(package).as_posix() for path in files}


def wheel() -> Path:
    """The wheel that `scripts/test` built, or that `RECTO_WHEEL` names."""
    built = [Path(NAMED)] if NAMED else sorted((ROOT / "build/wheel").glob("recto-*.whl"))
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


def test_the_wheel_uses_only_the_stable_abi() -> None:
    report = subprocess.run(
        [tool("abi3audit"), "--strict", "--report", str(wheel())], capture_output=True, text=True, check=False
    )
    assert report.returncode == 0, report.stdout + report.stderr
    (checked,) = json.loads(report.stdout)["specs"].values()
    results = [library["result"] for library in checked["wheel"]]
    assert len(results) == 1
    assert results[0]["is_abi3"]
    assert results[0]["is_abi3_baseline_compatible"]
    assert results[0]["baseline"] == "3.11"


SMOKE = """
import asyncio, sys
import recto

async def twice():
    async with recto.AsyncClient() as client:
        return await (await client.optimize(sys.argv[1])).read()

with recto.Client() as client:
    name = client.optimize(sys.argv[1], profile="web").save(sys.argv[2]).name
    (item,) = client.batch("optimize", [sys.argv[1]], to=sys.argv[2])
    assert item.error is None, item.error
assert asyncio.run(twice()).startswith(b"%PDF-")
print(name, getattr(sys, "_is_gil_enabled", lambda: True)())
"""


def interpreter(version: str) -> str | None:
    """A Python of that version: on the path, or installed by pyenv."""
    found = [shutil.which(f"python{version}")]
    plain = version.removesuffix("t")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += sorted(map(str, pyenv.glob(f"{plain}.*{version.removeprefix(plain)}/bin/python")))
    for python in filter(None, found):
        probe = [python, "-c", "import venv, sys; print(sys.version_info[:2])"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return python
    return None


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_works_in_an_empty_environment_without_rust(
    version: str, tmp_path: Path, report: Path
) -> None:
    base = interpreter(version)
    if base is None:
        pytest.skip(f"Python {version} is not installed")
    built = wheel()
    subprocess.run([base, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python, out = tmp_path / "venv/bin/python", tmp_path / "out"
    out.mkdir()
    # PATH contains no programs, so that the installation cannot use a cargo in /usr/bin.
    environment = {"PATH": str(tmp_path / "no programs"), "HOME": str(tmp_path)}
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-index",
        str(built),
    ]
    subprocess.run(install, check=True, env=environment)
    run = subprocess.run(
        [python, "-X", "dev", "-W", "error", "-c", SMOKE, report, out],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("report.pdf True\n", "")
    command = subprocess.run(
        [tmp_path / "venv/bin/recto", "--version"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert command.stdout == f"recto {recto.__version__}\n"


def test_the_source_distribution_has_all_that_a_build_needs(tmp_path: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("the source distribution is made with cargo, which is not installed")
    make = [tool("maturin"), "sdist", "--out", str(tmp_path)]
    subprocess.run(make, cwd=ROOT, capture_output=True, check=True)
    (made,) = tmp_path.glob("recto-*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(tmp_path, filter="data")
    root = tmp_path / made.name.removesuffix(".tar.gz")
    assert {path.name for path in root.iterdir()} == {
        "Cargo.lock", "Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "PKG-INFO", "README.md", "pyproject.toml",
        "cli", "compare", "core", "engine", "interface", "python", "service",
    }  # fmt: skip
    assert files_of(root / "python/recto") == MODULES
    assert not [path for path in root.rglob("*") if path.suffix in (".so", ".pyc", ".a", ".orig")]
    # cargo must find all files of the workspace, and use the versions of the lock file.
    compiler = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = next(line.split()[1] for line in compiler.splitlines() if line.startswith("host:"))
    offline = ["cargo", "metadata", "--offline", "--format-version", "1", "--filter-platform", host]
    metadata = subprocess.run(offline, cwd=root, capture_output=True, text=True, check=False)
    assert metadata.returncode == 0, metadata.stderr
    locked = {
        (package["name"], package["version"])
        for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    }
    used = {(package["name"], package["version"]) for package in json.loads(metadata.stdout)["packages"]}
    assert used <= locked


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


GOOD = """
import recto
from pathlib import Path
from typing import Any, assert_type
client = recto.Client(api_key='k')
assert_type(recto.Client.from_env(timeout=60, ca_bundle=Path('ca.pem')), recto.Client)
assert_type(recto.AsyncClient.from_env(concurrency=8, api_key='k'), recto.AsyncClient)
assert_type(client.optimize('a.pdf', profile='web'), recto.Operation)
assert_type(client.optimize(b'', profile=recto.Profile.WEB).save('b.pdf'), Path)
assert_type(client.files.list(), list[recto.FileRecord])
assert_type(client.files.upload(Path('a.pdf')), recto.FileId)
async def main() -> None:
    async with recto.AsyncClient(base_url='https://pdf.example.org') as client:
        assert_type(await client.optimize('a.pdf'), recto.AsyncOperation)
        assert_type(await (await client.optimize('a.pdf')).read(), bytes)
assert_type(client.stamp_text(client.optimize('a.pdf'), text='x'), recto.Operation)
assert_type(client.optimize(('a.pdf', [b''])).iter_bytes(), recto.ByteStream)
assert_type(client.with_options(timeout=3, headers={'traceparent': '00'}), recto.Client)
client.image_to_pdf(b'', name='a.png', page_margin='1.5cm')
async def chunks() -> None:
    async with recto.AsyncClient().with_options(retries=1) as client:
        operation = await client.optimize('a.pdf')
        async for chunk in (await client.stamp_qr(operation, value='x')).aiter_bytes():
            assert_type(chunk, bytes)
        assert_type((await operation.result()).request_id, str | None)
for item in client.batch('optimize', [('a.pdf', b''), b'', recto.FileId('1'), Path('a.pdf')]):
    assert_type(item, recto.BatchItem)
assert_type(recto.Udf('optimize', profile='web', to=Path('out')), recto.Udf)
assert_type(recto.Udf('stamp-qr', value='x', settings={'timeout': 60}).one(b''), dict[str, Any])
for item in client.batch('stamp-qr', ['a.pdf'], value='x', margin=recto.Margin(left=1, unit='cm')):
    assert_type(item, recto.BatchItem)
"""
WRONG = [
    "client.optimize('a.pdf', profile='wbe')",
    "client.optimize('a.pdf', 'web')",
    "client.archive_pdfa('a.pdf')",
    "client.pdf_to_png('a.pdf', color_space='cmyk')",
    "client.stamp_qr('a.pdf', value=3)",
    "client.batch('optimize', ['a.pdf'], profile='wbe')",
    "client.batch('optimize', ['a.pdf'], proflie='web')",
    "client.batch('optimize', [3])",
    "client.optimize(3)",
    "client.optimize((1, b''))",
    "client.with_options(timout=3)",
    "client.files.list(headers=[('a', 'b')])",
    "recto.Client(api_kye='k')",
    "recto.Client.from_env(api_kye='k')",
    "recto.Client.from_env(timeout='60')",
    "recto.AsyncClient(base_ulr='https://pdf.example.org')",
    "recto.AsyncClient(retries='3')",
    "recto.AsyncClient.from_env(concurency=8)",
    "recto.Margin(topp=1)",
    "recto.Udf('optimize', profile='wbe')",
    "recto.Udf('optimize', proflie='web')",
    "recto.Udf('optimize', settings={'api_key': 'k'})",
]


def mypy_errors(folder: Path) -> set[tuple[str, int]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "."]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    found = [line.split(":") for line in run.stdout.splitlines() if " error: " in line]
    return {(place[0], int(place[1])) for place in found}


def pyright_errors(folder: Path) -> set[tuple[str, int]]:
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "python")], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [tool("basedpyright"), "--pythonpath", sys.executable, "--outputjson"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    found = [each for each in json.loads(run.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    return {(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in found}


@pytest.mark.parametrize("errors", [mypy_errors, pyright_errors], ids=["mypy", "pyright"])
def test_a_type_checker_accepts_what_is_documented_and_refuses_a_typo(
    errors: Callable[[Path], set[tuple[str, int]]], tmp_path: Path
) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text("import recto\nclient = recto.Client()\n" + "\n".join(WRONG) + "\n")
    assert errors(tmp_path) == {("wrong.py", line) for line in range(3, 3 + len(WRONG))}
