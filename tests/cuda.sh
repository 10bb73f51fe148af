#!/usr/bin/env bash
# Checks of the CUDA kernels without a GPU: the feature builds without a toolkit; hand-written sources
# match their WGSL, the others are generated from it; all compile for every supported GPU and spill
# no registers; the kernels that release builds embed compile with the oldest NVRTC. The answers of the kernels and the back end on
# an emulated device are tested in cli/tests/commands/cuda_emulated.rs.
#
# Writes the archive of embedded kernels to target/cuda/embedded.ptx. With `--archive [FILE]` it
# only writes the archive. A build embeds it with SWATH_EMBEDDED_PTX=FILE.
#
# NVIDIA's compilers are installed as Python packages. The archive is compiled by the oldest NVRTC
# that accepts the sources: drivers of its version and later load it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compilers=target/cuda
archive="$compilers/embedded.ptx"
archive_only=""
if [[ "${1:-}" == --archive ]]; then
    archive_only=1
    archive="${2:-$archive}"
    export SWATH_REQUIRE_NVRTC=1
fi
[[ "$archive" == /* ]] || archive="$PWD/$archive"

libraries="${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if { [[ -x "$compilers/bin/pip" ]] || python3 -m venv "$compilers"; } &&
    "$compilers/bin/pip" install --quiet --disable-pip-version-check \
        nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 &&
    "$compilers/bin/pip" install --quiet --disable-pip-version-check --upgrade --target "$compilers/archive" \
        nvidia-cuda-nvrtc-cu12==12.0.76; then
    packages="$(echo "$PWD/$compilers"/lib/python3*/site-packages/nvidia)"
    export LD_LIBRARY_PATH="$packages/cuda_nvrtc/lib$libraries"
    export PATH="$packages/cuda_nvcc/bin:$PATH"
    # A missing compiler fails the tests.
    export SWATH_REQUIRE_NVRTC=1
elif [[ "${SWATH_REQUIRE_NVRTC:-}" == 1 ]]; then
    echo "cuda: NVIDIA's compilers are required and cannot be fetched" >&2
    exit 1
else
    echo "cuda: NVIDIA's compilers cannot be fetched: texts are generated and compared with their twins, and not compiled"
fi
tools() {
    cargo test --profile tests -p swath-tests --features cuda --test tools "$@" </dev/null
}
if [[ -z "$archive_only" ]]; then
    cargo clippy --workspace --all-targets --features cuda -- -D warnings </dev/null
    cargo check -p swath --no-default-features --features cuda </dev/null
    tools cuda_kernels
fi
export LD_LIBRARY_PATH="$PWD/$compilers/archive/nvidia/cuda_nvrtc/lib$libraries"
mkdir -p "$(dirname "$archive")"
SWATH_WRITE_ARCHIVE="$archive" tools cuda_archive
