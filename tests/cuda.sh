#!/usr/bin/env bash
# What can be tested of the CUDA kernels without a GPU: that the feature builds without a toolkit, that texts match their WGSL
# twins, compile for every GPU that is supported and spill nothing. That they and the back end are right on an emulated device is in
# tests/cuda_emulated.rs.
# NVIDIA's compilers come as Python packages.
# Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compilers=target/cuda
if { [[ -x "$compilers/bin/pip" ]] || python3 -m venv "$compilers"; } &&
    "$compilers/bin/pip" install --quiet --disable-pip-version-check \
        nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79; then
    packages="$(echo "$PWD/$compilers"/lib/python3*/site-packages/nvidia)"
    export LD_LIBRARY_PATH="$packages/cuda_nvrtc/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PATH="$packages/cuda_nvcc/bin:$PATH"
    # With this set a missing compiler fails the tests.
    export SWATH_REQUIRE_NVRTC=1
else
    echo "cuda: NVIDIA's compilers cannot be fetched: texts are compared with their twins and not compiled"
fi
cargo clippy --all-targets --features cuda -- -D warnings </dev/null
cargo check --lib --no-default-features --features cuda </dev/null
cargo test --release --features cuda --test cuda_kernels "$@" </dev/null
