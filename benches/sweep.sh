#!/usr/bin/env bash
# Runs the benchmarks on each device and writes records for benches/record/<machine>/.
#
#     benches/sweep.sh [OUT]      target/bench by default
#
# DEVICES   devices, such as `cuda:0 vulkan:0`; `auto` by default
# ONLY      programs; all of `programs` below by default
# BENCHES   folder of the built programs and of the command `swath`, for a machine without Rust
#
# A program that fails does not stop the others; the script fails at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
programs="problems lists sort applications slices auto bench papers"
mkdir -p "${1:-target/bench}"
# `cargo bench` runs a program in the folder of its package.
out="$(cd "${1:-target/bench}" && pwd)"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
features=()
[[ "${DEVICES:-}" != *cuda* ]] || features=(--features cuda)
[[ -n "${BENCHES:-}" ]] || cargo build --release ${features[@]+"${features[@]}"}
swath="$(cd "${BENCHES:-target/release}" && pwd)/swath"

# The arguments: a program, a device, and the name of the record without its end.
run() {
    case "$1" in
    bench) "$swath" bench --device cpu --device "$2" --json "$3.json" --html "$3.html" ;;
    papers) "$swath" bench --paper --device "$2" --json "$3.json" --html "$3.html" ;;
    auto) set -- "$@" --swath "$swath" ;;&
    *)
        local call=("${BENCHES:-}/$1")
        [[ -n "${BENCHES:-}" ]] || call=(cargo bench --quiet -p swath-bench ${features[@]+"${features[@]}"} --bench "$1" --)
        "${call[@]}" --device "$2" --json "$3.json" "${@:4}"
        ;;
    esac
}

everything() {
    local program device failed=()
    echo "commit   $SWATH_COMMIT"
    "$swath" devices
    for device in ${DEVICES:-auto}; do
        "$swath" selftest --device "$device" || failed+=("selftest on $device")
        for program in ${ONLY:-$programs}; do
            echo "== $program, $device"
            run "$program" "$device" "$out/$(date +%F)-$program-${device%%:*}" || failed+=("$program on $device")
        done
    done
    [[ ${#failed[@]} -eq 0 ]] || printf 'failed: %s\n' "${failed[@]}"
    [[ ${#failed[@]} -eq 0 ]]
}
everything 2>&1 | tee "$out/$(date +%F).txt"
