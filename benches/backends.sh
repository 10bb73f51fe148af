#!/usr/bin/env bash
# CUDA beside wgpu on one machine, in one run: what each device is, the self-test and the suites on it, from process start to
# answer, each benchmark's rows on one device after the other, and the papers' tables with a page of plots. It fails at the end
# where any of it has failed.
#
#     benches/backends.sh [OUT]     builds what it runs
#
# DEVICES names the devices, `cuda:0 vulkan:0` where it does not say. BENCHES names a folder with the benchmarks, the command
# `swath` and, in its folder `tests`, the suites, built with the feature `cuda`, for a machine that has no toolchain. ONLY names
# one part: `devices`, `suites`, `latency`, a benchmark, or `papers`. PAPER_SECONDS is how long a row of those may take.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
mkdir -p "$out"
read -ra devices <<<"${DEVICES:-cuda:0 vulkan:0}"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
stamp="$(date +%Y-%m-%d)"

suites="pairwise trees sort substring calls harness"
failed=()

# Goes on where a command fails, and remembers it.
try() {
    "$@" || failed+=("$*")
}

wants() {
    [[ -z "${ONLY:-}" || "$ONLY" == "$1" ]]
}

swath() {
    "${BENCHES:-target/release}/swath" "$@"
}

# Rows of a benchmark whose names hold a text; a third word is added to the record's name.
rows() {
    local device record
    wants "$1" || return 0
    for device in "${devices[@]}"; do
        echo "== $1, $2, $device"
        record="$out/$stamp-$1-${device%%:*}${3:+-$3}.json"
        if [[ -n "${BENCHES:-}" ]]; then
            try "$BENCHES/$1" --bench --device "$device" --only "$2" --json "$record"
        else
            try cargo bench --quiet --features cuda --bench "$1" -- --device "$device" --only "$2" --json "$record"
        fi
    done
}

# What a suite says in its last line; an emulated device is none of those that are measured.
suite() {
    local said
    if [[ -n "${BENCHES:-}" ]]; then
        said="$("$BENCHES/tests/$1" --skip emulated 2>&1)"
    else
        said="$(cargo test --quiet --release --features cuda --test "$1" -- --skip emulated 2>&1)"
    fi || {
        echo "$said"
        return 1
    }
    echo "$SWATH_TEST_DEVICE, $1: $(grep '^test result' <<<"$said")"
}

# All suites of a device at once.
all_suites() {
    local name running=()
    for name in $suites; do
        SWATH_TEST_DEVICE="$1" SWATH_REQUIRE_GPU_TESTS=1 suite "$name" &
        running+=("$!:$name")
    done
    for name in "${running[@]}"; do
        wait "${name%%:*}" || failed+=("${name#*:} on $1")
    done
}

checks() {
    for device in "${devices[@]}"; do
        swath selftest --device "$device" | tail -1 || failed+=("selftest of $device")
        if wants suites; then all_suites "$device"; fi
    done
}

# Process start to the first line of the answer, and to the end of the process, of 200,000 x 200,000 symbols; kernels are kept by the
# second time.
latency() {
    local a b
    a="$(mktemp)" b="$(mktemp)"
    for file in "$a" "$b"; do
        # A byte in 64 is one of the four letters.
        head -c 16000000 /dev/urandom | LC_ALL=C tr -dc ACGT | cut -c1-200000 | tr -d '\n' >"$file"
        [[ "$(wc -c <"$file")" == 200000 ]] || {
            failed+=("latency: an input is not 200000 long")
            return
        }
    done
    for device in "${devices[@]}"; do
        for command in lcs edit; do
            for run in 1 2 3; do
                start="$(date +%s%N)"
                answer="$(swath "$command" "$a" "$b" --device "$device" --method bit-parallel | { read -r _ && date +%s%N && cat >/dev/null; })" || answer=""
                end="$(date +%s%N)"
                [[ -n "$answer" ]] || {
                    failed+=("latency: $command on $device")
                    continue
                }
                echo "$device: $command 200000 x 200000, run $run, process start to answer: $(((answer - start) / 1000000)) ms, to its end: $(((end - start) / 1000000)) ms"
            done
        done
    done
    rm -f "$a" "$b"
}

papers() {
    local asked=()
    for device in "${devices[@]}"; do
        asked+=(--device "$device")
    done
    try swath bench --paper "${asked[@]}" --limit "${PAPER_SECONDS:-10}" --json "$out/$stamp-papers.json" --html "$out/$stamp-papers.html"
}

everything() {
    echo "commit   $SWATH_COMMIT"
    echo "command  benches/backends.sh"
    swath devices
    if wants devices || wants suites; then checks; fi
    if wants latency; then latency; fi
    rows lcs "letters"
    rows edit_distance "distance 1"
    rows edit_distance "alignment 1000000" alignment
    rows supersequence "60000"
    rows parenthesization "chain"
    rows sort "00000"
    rows substring "gpu: random A-Z 100000000"
    if wants papers; then papers; fi
    [[ ${#failed[@]} -eq 0 ]] && return
    printf 'failed: %s\n' "${failed[@]}"
    return 1
}

[[ -n "${BENCHES:-}" ]] || cargo build --quiet --release --features cuda
everything 2>&1 | tee "$out/$stamp-backends.txt"
