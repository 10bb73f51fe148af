#!/usr/bin/env bash
# Installs the Python package into a virtual environment in target/python/ and runs its tests, and those of rapidfuzz.
#
#     tests/python.sh                     all tests
#     tests/python.sh -k NAME             arguments go to pytest
#
# SWATH_PYTHON_MODULE is the extension module, else maturin builds the wheel (SWATH_MATURIN_ARGUMENTS
# adds arguments); SWATH_COMMAND is the command swath, else it is built. Without Python 3.11 or PyPI
# the tests are skipped; SWATH_REQUIRE_PYTHON=1 makes that an error.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
    echo "tests of the Python package: skipped: $1" >&2
    [[ -z "${SWATH_REQUIRE_PYTHON:-}" ]]
    exit
}

python=
for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python="$name"
        break
    fi
done
[[ -n "$python" ]] || skip "there is no Python 3.11 or later with ensurepip (Debian: python3-venv)"

target="${CARGO_TARGET_DIR:-target}"
mkdir -p "$target"
target="$(cd "$target" && pwd)"
work="$target/python"
requirements=bindings/python/tests/requirements.txt
# The environment is made again when the interpreter or the dependencies change.
mark="$("$python" -VV; cat "$requirements")"
if [[ "$(cat "$work/mark" 2>/dev/null)" != "$mark" ]]; then
    rm -rf "$work"
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install -q --disable-pip-version-check -r "$requirements" || skip "PyPI is not reachable"
    # The tests of rapidfuzz are in its source distribution; nothing of it is built.
    SKBUILD_WHEEL_CMAKE=false "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps \
        --no-build-isolation --no-binary :all: --require-hashes -r bindings/python/tests/peers/sources.txt -d "$work/sources"
    for archive in "$work"/sources/*.tar.gz; do tar -xzf "$archive" -C "$work/sources"; done
    printf '%s\n' "$mark" >"$work/mark"
fi

rm -rf "$work/wheels"
unset PYO3_NO_PYTHON PYO3_BUILD_EXTENSION_MODULE
if [[ -n "${SWATH_PYTHON_MODULE:-}" ]]; then
    "$work/venv/bin/pip" uninstall -q --disable-pip-version-check -y swath 2>/dev/null
    packages="$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
    rm -rf "$packages/swath"
    cp -r bindings/python/python/swath "$packages/"
    cp "$SWATH_PYTHON_MODULE" "$packages/swath/_swath.abi3.so"
else
    # shellcheck disable=SC2086 # Several arguments.
    CARGO_TARGET_DIR="$target" "$work/venv/bin/maturin" build -q --release --locked -m bindings/python/Cargo.toml \
        --interpreter "$work/venv/bin/python" --out "$work/wheels" ${SWATH_MATURIN_ARGUMENTS:-}
    "$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$work"/wheels/*.whl
fi

if [[ -z "${SWATH_COMMAND:-}" ]]; then
    cargo build -q --release --locked -p swath-cli
    SWATH_COMMAND="$target/release/swath"
fi
export SWATH_COMMAND SWATH_PEER_SOURCES="$work/sources"
"$work/venv/bin/python" -m pytest bindings/python/tests "$@"
