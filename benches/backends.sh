#!/usr/bin/env bash
# CUDA beside wgpu on one machine, in one run: the self-test, then each benchmark's rows on one device after the other.
#
#     benches/backends.sh [OUT]     builds what it runs
#
# DEVICES names the devices, `cuda:0 vulkan:0` where it does not say. BENCHES names a folder with the benchmarks and the command
# `swath`, built with the feature `cuda`, for a machine that has no toolchain. ONLY names one benchmark.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
mkdir -p "$out"
read -ra devices <<<"${DEVICES:-cuda:0 vulkan:0}"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
stamp="$(date +%Y-%m-%d)"

# Rows of a benchmark whose names hold a text.
rows() {
    [[ -z "${ONLY:-}" || "$ONLY" == "$1" ]] || return 0
    for device in "${devices[@]}"; do
        echo "== $1, $2, $device"
        if [[ -n "${BENCHES:-}" ]]; then
            "$BENCHES/$1" --bench --device "$device" --only "$2" || true
        else
            cargo bench --quiet --features cuda --bench "$1" -- --device "$device" --only "$2" || true
        fi
    done
}

# Process start to answer of 200,000 x 200,000 symbols, the second and third time: kernels are kept by then.
latency() {
    local swath="${BENCHES:-target/release}/swath" a b
    [[ -n "${BENCHES:-}" ]] || cargo build --quiet --release --features cuda
    a="$(mktemp)" b="$(mktemp)"
    for file in "$a" "$b"; do
        head -c 4000000 /dev/urandom | LC_ALL=C tr -dc ACGT | cut -c1-200000 >"$file"
    done
    for device in "${devices[@]}"; do
        "$swath" selftest --device "$device" | tail -1
        for command in lcs edit; do
            for run in 1 2 3; do
                start="$(date +%s%N)"
                "$swath" "$command" "$a" "$b" --device "$device" --method bit-parallel >/dev/null
                end="$(date +%s%N)"
                echo "$device: $command 200000 x 200000, run $run, process start to end: $(((end - start) / 1000000)) ms"
            done
        done
    done
    rm -f "$a" "$b"
}

{
    echo "commit   $SWATH_COMMIT"
    echo "command  benches/backends.sh"
    latency
    rows lcs "letters"
    rows edit_distance "distance 1"
    rows edit_distance "alignment 1000000"
    rows supersequence "60000"
    rows parenthesization "chain"
    rows sort "00000"
    rows substring "gpu: random A-Z 100000000"
} 2>&1 | tee "$out/$stamp-backends.txt"
