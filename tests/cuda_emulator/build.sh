#!/usr/bin/env bash
# Builds a CUDA driver and an NVRTC that run kernels on the CPU into the given folder, unless they
# are up to date. Programs that find them through LD_LIBRARY_PATH have a device cuda:0. Compiled
# kernels are stored there too, as are the programs' caches with XDG_CACHE_HOME set to the folder.
set -euo pipefail
sources="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
mkdir -p "$1"
folder="$(cd "$1" && pwd)"
built_from="$(cat "$sources"/* | cksum) in $sources"
[[ "$(cat "$folder/built_from" 2>/dev/null)" != "$built_from" ]] || exit 0
# Cached kernels may be of an older emulator.
rm -rf "$folder/swath" "$folder/built_from"

library() {
    c++ -std=c++17 -O2 -Wall -Wextra -fPIC -shared -DSOURCES="\"$sources\"" -DFOLDER="\"$folder\"" "$sources/$1.cpp" \
        -o "$folder/$2" "${@:3}"
}
library lanes liblanes.so
# The names that are tried first: the machine's own driver may have the others.
library driver libcuda.so -L"$folder" -llanes -ldl -Wl,-rpath,"$folder"
library compiler libnvrtc.so
echo "$built_from" >"$folder/built_from"
