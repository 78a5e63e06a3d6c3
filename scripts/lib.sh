# shellcheck shell=bash
# What the scripts share; sourced, not run. Everything kept between runs lies in $RECTO_CACHE, outside the clone.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
RECTO_CACHE=${RECTO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/recto}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$RECTO_CACHE/target}
export PIP_DISABLE_PIP_VERSION_CHECK=1
PYTHON=${PYTHON:-python3}
# Rust as rustup installs it comes first, as in the shells that rustup sets up: a distribution's cargo is often too old.
case ":$PATH:" in
    *":$HOME/.cargo/bin:"*) ;;
    *) [ ! -d "$HOME/.cargo/bin" ] || PATH=$HOME/.cargo/bin:$PATH ;;
esac

say() { printf '\033[1m== %s\033[0m\n' "$*"; }

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# requirements GROUP...: what the groups of pyproject.toml name, a requirement a line.
requirements() {
    "$PYTHON" - "$ROOT/pyproject.toml" "$@" <<'PY'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    groups = tomllib.load(file)["dependency-groups"]
print(*sorted({line for group in sys.argv[2:] for line in groups[group]}), sep="\n")
PY
}

# venv_with GROUP...: the path of a cached virtual environment that holds the groups.
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

# build_wheel FOLDER: the release wheel, alone in FOLDER; prints its path. It is what `pip install .` builds, but always
# with the same interpreter, as pyo3 is compiled anew for another one.
build_wheel() {
    local bin
    bin=$(venv_with build)/bin
    rm -rf "$1"
    PATH=$bin:$PATH "$bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$1" "$ROOT" >&2
    ls "$1"/recto-*.whl
}
