#!/usr/bin/env bash
# CUDA beside wgpu on one machine, in one run: what each device is, the self-test and the suites on it, from process start to
# answer, each benchmark's rows on one device after the other, the command's own benchmark, and the papers' tables with a page of
# plots. It fails at the end where any of it has failed.
#
#     benches/backends.sh [OUT]     builds what it runs
#
# DEVICES names the devices, `cuda:0 vulkan:0` where it does not say. BENCHES names a folder with the benchmarks, the command
# `swath` and, in its folder `tests`, the suites, built with the feature `cuda`, for a machine that has no toolchain. ONLY names
# one part: those are listed below. The part `sanitizer`, minutes of memcheck over each suite on CUDA devices, runs only where ONLY
# names it or SANITIZER=1. LIMIT is how many seconds one command may take, 900 where it does not say, and PAPER_SECONDS how many a
# row of the papers' tables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
read -ra devices <<<"${DEVICES:-cuda:0 vulkan:0}"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
stamp="$(date +%Y-%m-%d)"
limit="${LIMIT:-900}"
swath="${BENCHES:-target/release}/swath"

parts="devices embedded suites sanitizer latency lcs edit_distance supersequence parenthesization sort substring slices bench papers"
suites="pairwise trees sort substring calls harness"
failed=()

if [[ -n "${ONLY:-}" && " $parts " != *" $ONLY "* ]]; then
    echo "there is no part '$ONLY': ONLY is one of $parts" >&2
    exit 2
fi
mkdir -p "$out"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Runs a command for as long as one may take; it ends with this script.
limited() {
    timeout --kill-after=30 "$limit" "$@" &
    # One that is stopped gets the signal once it goes on.
    trap 'jobs -p | xargs -r kill; jobs -p | xargs -r kill -CONT; exit 130' INT TERM
    wait "$!"
}

# What a status of `limited` says of a command.
told() {
    case "$1" in
    124 | 137) echo "$2, which did not end within $limit s" ;;
    *) echo "$2" ;;
    esac
}

# Goes on where a command fails, and remembers it.
try() {
    limited "$@" || failed+=("$(told "$?" "$*")")
}

wants() {
    case "${ONLY:-}" in
    "") [[ "$1" != sanitizer || -n "${SANITIZER:-}" ]] ;;
    *) [[ "$ONLY" == "$1" ]] ;;
    esac
}

# Those of the devices that CUDA drives; a part that is for them alone says where there are none.
cuda_devices() {
    local device found=()
    for device in "${devices[@]}"; do
        [[ "$device" != cuda* ]] || found+=("$device")
    done
    [[ ${#found[@]} -gt 0 ]] || echo "$1: skipped, no device of ${devices[*]} is CUDA's" >&2
    printf '%s ' ${found[@]+"${found[@]}"}
}

# The program of a suite or a benchmark, built where it is not at hand.
program() {
    local kind="$1" name="$2"
    if [[ -n "${BENCHES:-}" ]]; then
        if [[ "$kind" == test ]]; then echo "$BENCHES/tests/$name"; else echo "$BENCHES/$name"; fi
    else
        cargo "$kind" --quiet --release --features cuda "--$kind" "$name" --no-run --message-format=json |
            sed -n "s|.*\"executable\":\"\([^\"]*/$name-[^\"/]*\)\".*|\1|p"
    fi
}

# Rows of a benchmark whose names hold a text; a third word is added to the record's name.
rows() {
    local device record bench
    wants "$1" || return 0
    bench="$(program bench "$1")" || failed+=("the build of $1")
    for device in "${devices[@]}"; do
        echo "== $1, $2, $device"
        record="$out/$stamp-$1-${device%%:*}${3:+-$3}.json"
        try "$bench" --bench --device "$device" --only "$2" --json "$record"
    done
}

# What a suite says in its last line, and a tool that it runs under in its own; where it fails, all. An emulated device is none of those
# that are measured.
suite() {
    local name="$1" said="$scratch/$1" status=0
    shift
    # NVIDIA's driver for Vulkan stands still where a test's thread ends while another one's device is closed: one test at a time there.
    [[ "$SWATH_TEST_DEVICE" == cuda:* ]] || local -x RUST_TEST_THREADS=1
    limited "$@" "$(program test "$name")" --skip emulated >"$said" 2>&1 || status="$?"
    if [[ "$status" != 0 ]]; then
        cat "$said"
        echo "$SWATH_TEST_DEVICE, $name: failed, $(grep -c '^test .* ok$' "$said" || true) tests had passed"
        return "$status"
    fi
    echo "$SWATH_TEST_DEVICE, $name: $(grep -o '^test result.*\|ERROR SUMMARY.*' "$said" | paste -sd' ')"
}

# All suites of a device at once, under a tool where there is one.
all_suites() {
    local name running=()
    for name in $suites; do
        program test "$name" >/dev/null || failed+=("the build of $name")
    done
    for name in $suites; do
        SWATH_TEST_DEVICE="$1" SWATH_REQUIRE_GPU_TESTS=1 suite "$name" "${@:2}" &
        running+=("$!:$name")
    done
    for name in "${running[@]}"; do
        wait "${name%%:*}" || failed+=("$(told "$?" "${name#*:} on $1${2:+ under ${2##*/}}")")
    done
}

selftest() {
    limited "$swath" selftest --device "$1" | tail -1 || failed+=("$2")
}

checks() {
    local device
    for device in "${devices[@]}"; do
        selftest "$device" "selftest of $device"
        if wants suites; then all_suites "$device"; fi
    done
}

# Kernels of a device without NVRTC, if the program was built with SWATH_EMBEDDED_PTX.
embedded() {
    local device
    if ! SWATH_CUDA_KERNELS=embedded "$swath" devices | grep -q "embedded PTX"; then
        echo "embedded: skipped, the program has no embedded kernels"
        return
    fi
    for device in $(cuda_devices embedded); do
        echo "== embedded kernels, $device"
        SWATH_CUDA_KERNELS=embedded selftest "$device" "selftest of the embedded kernels on $device"
    done
}

memcheck() {
    local device found sanitizer=""
    for found in "$(command -v compute-sanitizer || true)" /usr/local/cuda*/bin/compute-sanitizer; do
        [[ -n "$sanitizer" || ! -x "$found" ]] || sanitizer="$found"
    done
    if [[ -z "$sanitizer" ]]; then
        echo "sanitizer: skipped, there is no compute-sanitizer in PATH or in /usr/local/cuda*/bin"
        return
    fi
    for device in $(cuda_devices sanitizer); do
        echo "== memcheck, $device"
        all_suites "$device" "$sanitizer" --tool memcheck --error-exitcode 99
    done
}

# Process start to the first line of the answer, and to the end of the process, of 200,000 x 200,000 symbols; kernels are kept by the
# second time. The first process that opens a device waits for its driver to set it up, and to give it up at the end: all is measured
# alone, and beside a process that has the device open and does nothing.
latency() {
    local device holder file a="$scratch/a" b="$scratch/b"
    for file in "$a" "$b"; do
        # A byte in 64 is one of the four letters.
        head -c 16000000 /dev/urandom | LC_ALL=C tr -dc ACGT | cut -c1-200000 | tr -d '\n' >"$file"
        [[ "$(wc -c <"$file")" == 200000 ]] || {
            failed+=("latency: an input is not 200000 long")
            return
        }
    done
    for device in "${devices[@]}"; do
        latency_of "$device" "$a" "$b" ""
        "$swath" bench --device "$device" >/dev/null 2>&1 &
        holder="$!"
        sleep 3
        kill -STOP "$holder" || failed+=("latency: no process has $device open")
        sleep 1
        latency_of "$device" "$a" "$b" " beside another process"
        kill -KILL "$holder" && wait "$holder" 2>/dev/null || true
    done
}

# The same of two files on one device, and what the lines tell of it.
latency_of() {
    local command run stamps start answer end
    # The process that tells the time becomes the command.
    # shellcheck disable=SC2016
    local begun='date +%s%N && exec "$@"'
    for command in lcs edit; do
        for run in 1 2 3; do
            stamps="$(
                limited bash -c "$begun" - "$swath" "$command" "$2" "$3" --device "$1" --method bit-parallel |
                    { read -r start && read -r _ && echo "$start $(date +%s%N)" && cat >/dev/null; }
            )" || stamps=""
            end="$(date +%s%N)"
            read -r start answer <<<"$stamps"
            [[ -n "$answer" ]] || {
                failed+=("latency: $command on $1$4")
                continue
            }
            echo "$1$4: $command 200000 x 200000, run $run, process start to answer: $(((answer - start) / 1000000)) ms, to its end: $(((end - start) / 1000000)) ms"
        done
    done
}

# The command's own benchmark of all devices, whose cases have limits of their own: the files' name, and its arguments.
own_benchmark() {
    local device asked=() limit="$((4 * limit))"
    for device in "${devices[@]}"; do
        asked+=(--device "$device")
    done
    try "$swath" bench "${@:2}" "${asked[@]}" --json "$out/$stamp-$1.json" --html "$out/$stamp-$1.html"
}

everything() {
    echo "commit   $SWATH_COMMIT"
    echo "command  benches/backends.sh"
    try "$swath" devices
    if wants devices || wants suites; then checks; fi
    if wants embedded; then embedded; fi
    if wants sanitizer; then memcheck; fi
    if wants latency; then latency; fi
    rows lcs "letters"
    rows edit_distance "distance 1"
    rows edit_distance "alignment" alignment
    rows supersequence "60000"
    rows parenthesization "chain"
    rows sort "00000"
    rows substring "gpu: random A-Z 100000000"
    rows slices "slices of"
    if wants bench; then own_benchmark bench --quick; fi
    if wants papers; then own_benchmark papers --paper --limit "${PAPER_SECONDS:-10}"; fi
    [[ ${#failed[@]} -eq 0 ]] && return
    printf 'failed: %s\n' "${failed[@]}"
    return 1
}

[[ -n "${BENCHES:-}" ]] || cargo build --quiet --release --features cuda
everything 2>&1 | tee "$out/$stamp-backends.txt"
