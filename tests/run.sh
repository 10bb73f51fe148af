#!/usr/bin/env bash
# All tests, the GPU tests among them: installs the software Vulkan driver lavapipe when no Vulkan driver is there, and on Linux
# Tint, which Node runs on Chromium's software driver.
# Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

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

# Chromium's software driver: a test device of its own, and what Tint's package runs on.
swiftshader=/usr/lib/chromium/vk_swiftshader_icd.json
tint=target/tint

missing=()
has_vulkan_driver || missing+=(mesa-vulkan-drivers)
if [[ "$(uname -s)" == Linux ]]; then
    command -v spirv-val >/dev/null || missing+=(spirv-tools)
    command -v node >/dev/null || missing+=(nodejs)
    command -v npm >/dev/null || missing+=(npm)
    [[ -f "$swiftshader" ]] || missing+=(chromium)
fi
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
if [[ "$(uname -s)" == Linux ]]; then
    if [[ ! -d "$tint/node_modules/webgpu" ]]; then
        mkdir -p "$tint"
        npm install --prefix "$tint" --no-save --no-audit --no-fund --ignore-scripts webgpu@0.6.2 </dev/null
    fi
    # With these set a missing tool fails its test.
    export SWATH_REQUIRE_TINT=1 SWATH_REQUIRE_SWIFTSHADER=1
fi

# With this set a GPU test that finds no adapter fails instead of passing unseen.
export SWATH_REQUIRE_GPU_TESTS=1
# NVIDIA's driver for Vulkan stands still where a test's thread ends while another test closes its device.
[[ ! -e /proc/driver/nvidia/version ]] || export RUST_TEST_THREADS="${RUST_TEST_THREADS:-1}"
# CUDA's back end is built with the rest: it takes no toolkit, and tests/cuda.sh tests it in the same build.
features=()
[[ "$(uname -s)" != Linux ]] || features=(--features cuda)
cargo test --release ${features[@]+"${features[@]}"} "$@" </dev/null
[[ "$#" != 0 ]] || cargo test --release ${features[@]+"${features[@]}"} --examples </dev/null
