# shellcheck shell=bash
# Functions and variables that the other scripts share. This file is sourced, not run. Everything that is kept between
# runs is in $RECTO_CACHE, outside the repository.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
RECTO_CACHE=${RECTO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/recto}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$RECTO_CACHE/target}
export PIP_DISABLE_PIP_VERSION_CHECK=1
PYTHON=${PYTHON:-python3}
# The Rust that rustup installs is used first, as in shells that rustup has set up: the cargo of a distribution is
# often too old.
case ":$PATH:" in
    *":$HOME/.cargo/bin:"*) ;;
    *) [ ! -d "$HOME/.cargo/bin" ] || PATH=$HOME/.cargo/bin:$PATH ;;
esac

say() { printf '\033[1m== %s\033[0m\n' "$*"; }

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# requirements GROUP...: prints the requirements in these dependency groups of pyproject.toml, one on each line.
requirements() {
    "$PYTHON" - "$ROOT/pyproject.toml" "$@" <<'PY'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    groups = tomllib.load(file)["dependency-groups"]
print(*sorted({line for group in sys.argv[2:] for line in groups[group]}), sep="\n")
PY
}

# venv_with GROUP...: prints the path of a cached virtual environment in which these groups are installed.
venv_with() {
    local wanted venv
    wanted=$(requirements "$@")
    venv=$RECTO_CACHE/venv/$(printf '%s\n' "$("$PYTHON" -VV)" "$wanted" | sha256sum | cut -c1-16)
    if [ ! -e "$venv/complete" ]; then
        rm -rf "$venv"
        "$PYTHON" -m venv "$venv"
        printf '%s\n' "$wanted" | "$venv/bin/pip" install --quiet --requirement /dev/stdin
        touch "$venv/complete"
    fi
    printf '%s\n' "$venv"
}

# build_wheel FOLDER: builds the release wheel and prints its path. FOLDER then contains only this wheel.
# `pip install .` builds the same wheel. This function always builds with the same Python interpreter, because pyo3 is
# compiled again for another interpreter.
build_wheel() {
    local bin
    bin=$(venv_with build)/bin
    rm -rf "$1"
    PATH=$bin:$PATH "$bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$1" "$ROOT" >&2
    ls "$1"/recto-*.whl
}
