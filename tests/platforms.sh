#!/usr/bin/env bash
# Checks of the library on other platforms: lints for each, and on aarch64 Linux under QEMU the
# tests of code that depends on the instruction set. Unchecked platforms are listed at the end; with
# SWATH_REQUIRE_PLATFORMS=1 they are a failure. Arguments select other tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

# No adapter works under QEMU.
unset SWATH_REQUIRE_GPU_TESTS
unchecked=()

# Checks that the toolchain has the target's standard library, or installs it.
has_target() {
    rustc --print target-libdir --target "$1" 2>/dev/null | { read -r folder && [[ -d "$folder" ]]; } && return 0
    command -v rustup >/dev/null && rustup target add "$1" </dev/null
}

lint() {
    echo "platforms: lints of the library for $1"
    cargo clippy -p swath --no-default-features --target "$1" -- -D warnings </dev/null
}

for target in aarch64-apple-darwin x86_64-pc-windows-msvc; do
    if has_target "$target"; then
        lint "$target"
    else
        unchecked+=("$target: the toolchain cannot add the target")
    fi
done

target=aarch64-unknown-linux-gnu
has_emulator() {
    command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null && [[ -e /usr/aarch64-linux-gnu/lib/libc.so ]]
}
if ! has_target "$target"; then
    unchecked+=("$target: the toolchain cannot add the target")
else
    lint "$target"
    if has_emulator || install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; then
        echo "platforms: tests of the library on $target under QEMU"
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
        [[ "$#" != 0 ]] || set -- bit_parallel::cpu bit_parallel::symbols host:: sequences::small
        # Dependencies of the tests need not be fast.
        CARGO_PROFILE_DEV_OPT_LEVEL=1 cargo --config 'profile.dev.package."*".opt-level=0' \
            test -p swath --lib --no-default-features --target "$target" -- "$@" </dev/null
    else
        unchecked+=("$target: linted, but its tests did not run: no cross linker or no qemu-aarch64")
    fi
fi

for platform in ${unchecked[@]+"${unchecked[@]}"}; do
    echo "platforms: NOT CHECKED: $platform" >&2
done
[[ "${#unchecked[@]}" == 0 || -z "${SWATH_REQUIRE_PLATFORMS:-}" ]]
