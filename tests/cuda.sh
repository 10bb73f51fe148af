#!/usr/bin/env bash
# What can be tested of the CUDA kernels without a GPU: that the feature builds without a toolkit, that texts match their WGSL
# twins, compile for every GPU that is supported and spill nothing, and that the archive of embedded PTX is what they compile to. That they
# and the back end are right on an emulated device is in tests/cuda_emulated.rs.
# NVIDIA's compilers come as Python packages. The archive is of the oldest that takes the texts: drivers of its version and later load it. With
# SWATH_WRITE_ARCHIVE=1 the archive is written anew, after any change of a text or of the list in tests/support/embedded.rs.
# Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compilers=target/cuda
libraries="${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if { [[ -x "$compilers/bin/pip" ]] || python3 -m venv "$compilers"; } &&
    "$compilers/bin/pip" install --quiet --disable-pip-version-check \
        nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 &&
    "$compilers/bin/pip" install --quiet --disable-pip-version-check --upgrade --target "$compilers/archive" \
        nvidia-cuda-nvrtc-cu12==12.0.76; then
    packages="$(echo "$PWD/$compilers"/lib/python3*/site-packages/nvidia)"
    export LD_LIBRARY_PATH="$packages/cuda_nvrtc/lib$libraries"
    export PATH="$packages/cuda_nvcc/bin:$PATH"
    # With this set a missing compiler fails the tests.
    export SWATH_REQUIRE_NVRTC=1
elif [[ "${SWATH_REQUIRE_NVRTC:-}" == 1 ]]; then
    echo "cuda: SWATH_REQUIRE_NVRTC=1 and NVIDIA's compilers cannot be fetched" >&2
    exit 1
else
    echo "cuda: NVIDIA's compilers cannot be fetched: texts are compared with their twins and not compiled"
fi
cargo clippy --all-targets --features cuda -- -D warnings </dev/null
cargo check --lib --no-default-features --features cuda </dev/null
cargo test --release --features cuda --test cuda_kernels "$@" </dev/null
export LD_LIBRARY_PATH="$PWD/$compilers/archive/nvidia/cuda_nvrtc/lib$libraries"
if [[ "${SWATH_WRITE_ARCHIVE:-}" == 1 ]]; then
    cargo test --release --features cuda --test cuda_archive entries_are_what_their_texts_compile_to </dev/null
    unset SWATH_WRITE_ARCHIVE
fi
cargo test --release --features cuda --test cuda_archive "$@" </dev/null
