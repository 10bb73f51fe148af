#!/usr/bin/env bash
# What can be tested of the CUDA kernels without a GPU: that the feature builds without a toolkit, that texts match their WGSL
# twins, compile for every GPU that is supported and spill nothing. That they and the back end are right on an emulated device is in
# tests/cuda_emulated.rs.
# NVIDIA's compilers come as Python packages.
# Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compilers=target/cuda
if [[ ! -x "$compilers/bin/pip" ]]; then
    python3 -m venv "$compilers"
fi
"$compilers/bin/pip" install --quiet --disable-pip-version-check \
    nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79
packages="$(echo "$PWD/$compilers"/lib/python3*/site-packages/nvidia)"
export LD_LIBRARY_PATH="$packages/cuda_nvrtc/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PATH="$packages/cuda_nvcc/bin:$PATH"
# With this set a missing compiler fails the tests.
export SWATH_REQUIRE_NVRTC=1
cargo clippy --lib --no-default-features --features cuda -- -D warnings </dev/null
cargo test --release --features cuda --lib --test cuda_kernels "$@" </dev/null
