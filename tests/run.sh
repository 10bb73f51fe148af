#!/usr/bin/env bash
# All tests, the GPU tests among them: installs the software Vulkan driver lavapipe when no Vulkan driver is there.
# Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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

install_packages() {
    command -v apt-get >/dev/null || {
        echo "tests/run.sh: install a Vulkan driver (Mesa's lavapipe will do), the Vulkan loader and spirv-val, then run this again" >&2
        exit 1
    }
    local as_root=()
    if [[ "$(id -u)" != 0 ]]; then
        command -v sudo >/dev/null || {
            echo "tests/run.sh: as root, run: apt-get install mesa-vulkan-drivers spirv-tools" >&2
            exit 1
        }
        as_root=(sudo)
    fi
    # Lists that cannot be refreshed may still do.
    "${as_root[@]}" apt-get update -q </dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        mesa-vulkan-drivers spirv-tools </dev/null
}

if ! has_vulkan_driver || { [[ "$(uname -s)" == Linux ]] && ! command -v spirv-val >/dev/null; }; then
    install_packages
fi

# With this set a GPU test that finds no adapter fails instead of passing unseen.
export SWATH_REQUIRE_GPU_TESTS=1
exec cargo test --release "$@" </dev/null
