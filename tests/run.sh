#!/usr/bin/env bash
# Runs the tests needed for a change, on a GPU or on the software Vulkan driver lavapipe, which is
# installed if missing.
#
#     tests/run.sh                    unit tests, kernels on the device, CUDA emulator, command, Python package, C library
#     tests/run.sh --full             all of that and more: see below
#     tests/run.sh [--full] -- NAME   tests whose names contain NAME
#
# --full adds all combinations of kernel variants, long random runs, all lane orders of the
# emulator, the self-test on SwiftShader, Tint, all CUDA architectures, aarch64 under QEMU, the
# desktop examples in windows, and the npm package in browsers.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

full=
if [[ "${1:-}" == --full ]]; then
    full=1
    shift
fi
[[ "${1:-}" != -- ]] || shift

has_vulkan_driver() {
    [[ "$(uname -s)" == Linux ]] || return 0 # Metal and DX12 come with the system.
    [[ -z "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ]] || return 0
    local folder loader
    loader="$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -F 'libvulkan.so.1' || true)"
    [[ -n "$loader" ]] || return 1
    for folder in "${XDG_DATA_HOME:-${HOME:-/root}/.local/share}" /etc /usr/local/etc /usr/local/share /usr/share; do
        compgen -G "$folder/vulkan/icd.d/*.json" >/dev/null && return 0
    done
    return 1
}

# Chromium's software driver: a further test device, also used by Tint's package.
swiftshader=/usr/lib/chromium/vk_swiftshader_icd.json
tint=target/tint

missing=()
features=()
for tool in git patch; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
has_vulkan_driver || missing+=(mesa-vulkan-drivers)
if [[ "$(uname -s)" == Linux ]]; then
    features=(--features cuda) # Builds without a toolkit; the emulator is its device.
    command -v spirv-val >/dev/null || missing+=(spirv-tools)
    command -v c++ >/dev/null || missing+=(g++)
    command -v valgrind >/dev/null || missing+=(valgrind)
    if [[ -n "$full" ]]; then
        command -v node >/dev/null || missing+=(nodejs)
        command -v npm >/dev/null || missing+=(npm)
        [[ -f "$swiftshader" ]] || missing+=(chromium)
    fi
fi
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

# With these variables a test fails instead of being skipped if its device or tool is missing.
export SWATH_REQUIRE_GPU_TESTS=1
if [[ -n "$full" ]]; then
    export SWATH_TEST_TIER=full
    if [[ "$(uname -s)" == Linux ]]; then
        if [[ ! -d "$tint/node_modules/webgpu" ]]; then
            mkdir -p "$tint"
            npm install --prefix "$tint" --no-save --no-audit --no-fund --ignore-scripts webgpu@0.6.2
        fi
        export SWATH_REQUIRE_TINT=1 SWATH_REQUIRE_SWIFTSHADER=1
    fi
fi
# NVIDIA's Vulkan driver deadlocks if a test's thread ends while another test closes its device
# (docs/drivers.md).
[[ ! -e /proc/driver/nvidia/version ]] || export RUST_TEST_THREADS="${RUST_TEST_THREADS:-1}"

# The software driver compiles kernels in many threads. glibc keeps what they have freed: a quarter of
# the memory of the test program `it`. A single arena would make it slower by half.
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072

# Programs of tests open devices without a screen.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}"
packages=(--profile tests --workspace --exclude swath-bench ${features[@]+"${features[@]}"})
if [[ "$(uname -s)" == Linux && -z "$full" ]]; then
    # The extension module is built beside the tests, not as a wheel, so that every dependency is compiled once.
    export PYO3_NO_PYTHON=1 PYO3_BUILD_EXTENSION_MODULE=1
    export SWATH_PYTHON_MODULE="${CARGO_TARGET_DIR:-$PWD/target}/tests/lib_swath.so"
    cargo build "${packages[@]}" --lib --bins --tests
else
    packages+=(--exclude swath-python)
fi
test=(cargo test --no-fail-fast "${packages[@]}")

# Tests on the CUDA emulator with random order of blocks, warps and lanes: the CUDA-only ones, and
# one suite per family.
emulated=(
    harness::kernels harness::plans sort:: sequences::lcs::full_and_partial_limbs sequences::letters
    sequences::lcs::calls_split_into_slices sequences::edit_sweep::full_and_partial_limbs sequences::edit_sweep::an_empty_input
    sequences::edit_pieces::a_gpu_finds sequences::traceback_chunks::launches_that_end
    pairs:: neighbors:: calls::same_bytes calls::portable::subsequences calls::portable::alignments
    calls::jobs::cancelling_from_the_progress_callback_ends_the_call_on_the_gpu constructs:: trees::user_problems
)
test_on_emulator() {
    local emulator="${CARGO_TARGET_DIR:-target}/tmp/cuda_emulator"
    tests/cuda_emulator/build.sh "$emulator"
    emulator="$(cd "$emulator" && pwd)"
    # With the threads of a large host, which divide tracebacks and lists into more parts.
    local on_emulator=(env LD_LIBRARY_PATH="$emulator" XDG_CACHE_HOME="$emulator" SWATH_TEST_DEVICE=cuda:0 RAYON_NUM_THREADS=16)
    CUDA_EMULATOR_SHUFFLE=1 "${on_emulator[@]}" "${test[@]}" --test it -- "${emulated[@]}"
    [[ -z "$full" ]] || "${on_emulator[@]}" "${test[@]}" --test it -- "${emulated[@]}"
}

# The other tests leave a core idle while the software driver compiles their kernels.
test_beside() {
    [[ "$(uname -sm)" != "Linux x86_64" ]] || test_on_emulator
    SWATH_COMMAND="$(cd "${CARGO_TARGET_DIR:-target}/tests" && pwd)/swath" tests/python.sh
    [[ "$(uname -s)" != Linux || -n "$full" ]] || SWATH_C_LIBRARY="${CARGO_TARGET_DIR:-target}/tests" tests/c.sh
}

if [[ "$#" != 0 ]]; then
    "${test[@]}" -- "$@"
    exit
fi
"${test[@]}" --no-run
echo "The tests on the CUDA emulator, of the Python package and of the C library run at the same time; their output comes last."
output="$(mktemp)"
# In a process group of its own, which is ended with this script.
set -m
test_beside >"$output" 2>&1 &
set +m
beside="$!"
trap 'kill -- "-$beside" 2>/dev/null || true; rm -f "$output"' EXIT
failed=
"${test[@]}" || failed=1
wait "$beside" || failed=1
cat "$output"
[[ -z "$failed" ]] || exit 1

if [[ -n "$full" && "$(uname -s)" == Linux ]]; then
    tests/platforms.sh
    tests/cuda.sh
    tests/desktop.sh
    tests/c.sh --full
    tests/gtk.sh
    SWATH_COMMAND="${CARGO_TARGET_DIR:-target}/tests/swath" tests/web.sh
fi
