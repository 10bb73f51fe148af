#!/usr/bin/env bash
# Writes include/swath.h from the sources with cbindgen 0.29 (cargo install cbindgen).
#
#     bindings/c/header.sh           writes the header
#     bindings/c/header.sh --check   fails if the header is another one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cbindgen --quiet --config cbindgen.toml . ${1:+--verify} --output include/swath.h
