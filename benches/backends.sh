#!/usr/bin/env bash
# Compares CUDA with wgpu on one machine in one run: devices, self-test and tests on each, process
# start to answer, each benchmark on one device after the other, `swath bench`, and the papers'
# tables with a page of plots. A part that fails does not stop the others; the script fails at the
# end.
#
#     benches/backends.sh [OUT]     builds the programs it runs
#
# Environment:
#   DEVICES        devices to compare; `cuda:0 vulkan:0` by default
#   BENCHES        folder of programs built with the feature `cuda`, for a machine without a
#                  toolchain: the benchmarks, the command `swath`, and the tests as `tests/it`
#   ONLY           one part of `parts` below
#   SANITIZER=1    includes the part `sanitizer`, minutes of memcheck on CUDA devices
#   LIMIT          time limit of a command in seconds; 900 by default
#   PAPER_SECONDS  time limit of a row of the papers' tables in seconds; 10 by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
read -ra devices <<<"${DEVICES:-cuda:0 vulkan:0}"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
stamp="$(date +%Y-%m-%d)"
limit="${LIMIT:-900}"
swath="${BENCHES:-target/release}/swath"

parts="devices embedded suites sanitizer latency lcs edit_distance supersequence parenthesization sort substring slices bench papers"
# Modules of the test program `it`.
suites="sequences trees sort substring calls harness"
failed=()

if [[ -n "${ONLY:-}" && " $parts " != *" $ONLY "* ]]; then
    echo "there is no part '$ONLY': ONLY is one of $parts" >&2
    exit 2
fi
mkdir -p "$out"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Runs a command within the limit. It is killed when this script ends.
limited() {
    timeout --kill-after=30 "$limit" "$@" &
    # A stopped process receives the signal after SIGCONT.
    trap 'jobs -p | xargs -r kill; jobs -p | xargs -r kill -CONT; exit 130' INT TERM
    wait "$!"
}

# Name of a failed command, with a note if it ran into the limit.
failure() {
    case "$1" in
    124 | 137) echo "$2 (no end within $limit s)" ;;
    *) echo "$2" ;;
    esac
}

# Runs a command, and records its failure.
try() {
    limited "$@" || failed+=("$(failure "$?" "$*")")
}

wants() {
    case "${ONLY:-}" in
    "") [[ "$1" != sanitizer || -n "${SANITIZER:-}" ]] ;;
    *) [[ "$ONLY" == "$1" ]] ;;
    esac
}

# The CUDA devices among the devices; the argument names the part that is skipped if there are none.
cuda_devices() {
    local device found=()
    for device in "${devices[@]}"; do
        [[ "$device" != cuda* ]] || found+=("$device")
    done
    [[ ${#found[@]} -gt 0 ]] || echo "$1: skipped, no device of ${devices[*]} is CUDA's" >&2
    printf '%s ' ${found[@]+"${found[@]}"}
}

# Path of a test program or a benchmark, which is built unless BENCHES has it.
program() {
    local kind="$1" name="$2"
    if [[ -n "${BENCHES:-}" ]]; then
        if [[ "$kind" == test ]]; then echo "$BENCHES/tests/$name"; else echo "$BENCHES/$name"; fi
    else
        local package=swath-tests
        [[ "$kind" == test ]] || package=swath-bench
        cargo "$kind" --quiet --release -p "$package" --features cuda "--$kind" "$name" --no-run --message-format=json |
            sed -n "s|.*\"executable\":\"\([^\"]*/$name-[^\"/]*\)\".*|\1|p"
    fi
}

# Rows of a benchmark whose names contain the second argument; a third one is added to the record's
# name.
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

# Names of the tests of a module, but for those that run on an emulated device anyway.
tests_of() {
    "$1" --list --format terse | sed -n "/emulated/!s/^\($2::.*\): test\$/\1/p"
}

# Runs the tests of a module and prints the last line of their output and of the tool they run
# under; on failure, all output.
suite() {
    local it="$1" name="$2" output="$scratch/$2" status=0 tests
    shift 2
    mapfile -t tests < <(tests_of "$it" "$name")
    [[ ${#tests[@]} -gt 0 ]] || {
        echo "$SWATH_TEST_DEVICE, $name: no tests" >&2
        return 1
    }
    # NVIDIA's Vulkan driver deadlocks where a test's thread ends while another test closes its
    # device (docs/drivers.md).
    [[ "$SWATH_TEST_DEVICE" == cuda:* ]] || local -x RUST_TEST_THREADS=1
    limited "$@" "$it" --exact "${tests[@]}" >"$output" 2>&1 || status="$?"
    if [[ "$status" != 0 ]]; then
        cat "$output"
        echo "$SWATH_TEST_DEVICE, $name: failed, $(grep -c '^test .* ok$' "$output" || true) tests had passed"
        return "$status"
    fi
    echo "$SWATH_TEST_DEVICE, $name: $(grep -o '^test result.*\|ERROR SUMMARY.*' "$output" | paste -sd' ')"
}

# Runs all modules on a device at once, under a tool if one is given.
all_suites() {
    local it name running=()
    it="$(program test it)" || {
        failed+=("the build of the tests")
        return
    }
    for name in $suites; do
        SWATH_TEST_DEVICE="$1" SWATH_REQUIRE_GPU_TESTS=1 suite "$it" "$name" "${@:2}" &
        running+=("$!:$name")
    done
    for name in "${running[@]}"; do
        wait "${name%%:*}" || failed+=("$(failure "$?" "${name#*:} on $1${2:+ under ${2##*/}}")")
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

# Time from process start to the first line of the answer, and to process end, for 200,000 x 200,000
# symbols; from the second run on compiled kernels are cached. The first process that opens a device
# waits for the driver to initialise it and to release it: measured alone, and beside an idle
# process that holds the device open.
latency() {
    local device holder file a="$scratch/a" b="$scratch/b"
    for file in "$a" "$b"; do
        # One byte in 64 is one of the four letters.
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

# Latency of two files on one device; the last argument is added to its name.
latency_of() {
    local command run stamps start answer end
    # The process that prints the start time becomes the command.
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

# Runs `swath bench` on all devices: the name of its files, then its arguments. Its cases have their
# own limits.
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
