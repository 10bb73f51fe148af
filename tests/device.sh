#!/usr/bin/env bash
# Tests what users call on a real GPU, by every interface that it has: the command, the Python package,
# and the library's tests in several processes. Each step has a time limit; one that hangs prints the
# stacks of its threads. Answers are compared with those of the CPU, or with stored ones.
#
#     tests/device.sh                      builds, then runs on cuda:0 and vulkan:0
#     tests/device.sh --build FOLDER       builds into FOLDER, for a machine without Rust
#     tests/device.sh --from FOLDER        runs what was built there
#
# More arguments go to device/run.py: --devices cuda:0, --only NAME, --limit SECONDS. Needs Python 3.11 with
# NumPy. It takes less than six minutes on one H200 with 16 cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="$PWD/target/device"
build=1 run=1
case "${1:-}" in
--build) folder="$2" run= && shift 2 ;;
--from) folder="$2" build= && shift 2 ;;
esac

if [[ -n "$build" ]]; then
    export PYO3_NO_PYTHON=1 PYO3_BUILD_EXTENSION_MODULE=1
    packages=(--profile tests --workspace --exclude swath-bench --features cuda)
    tests="$(cargo build "${packages[@]}" --lib --bins --test it --message-format json-render-diagnostics |
        sed -n 's/.*"name":"it".*"executable":"\([^"]*\)".*/\1/p')"
    target="${CARGO_TARGET_DIR:-target}/tests"
    mkdir -p "$folder/swath"
    cp -r bindings/python/python/swath/. "$folder/swath/"
    # Symbols stay, for the stacks.
    strip --strip-debug -o "$folder/swath/_swath.abi3.so" "$target/lib_swath.so"
    strip --strip-debug -o "$folder/command" "$target/swath"
    strip --strip-debug -o "$folder/it" "$tests"
fi
[[ -z "$run" ]] || exec "${PYTHON:-python3}" tests/device/run.py "$folder" "$@"
