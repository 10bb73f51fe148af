#!/usr/bin/env bash
# All tests, the GPU tests among them: installs the software Vulkan driver lavapipe when no Vulkan driver is there.
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

if ! has_vulkan_driver || { [[ "$(uname -s)" == Linux ]] && ! command -v spirv-val >/dev/null; }; then
    # Elsewhere any Vulkan driver and loader will do.
    install_packages mesa-vulkan-drivers spirv-tools
fi

# With this set a GPU test that finds no adapter fails instead of passing unseen.
export SWATH_REQUIRE_GPU_TESTS=1
exec cargo test --release "$@" </dev/null
