#!/usr/bin/env bash
# Runs all benchmarks on this machine and writes the records for benches/record/<device>/.
#
#     benches/sweep.sh [OUT] [A.fasta.gz B.fasta.gz]
#
# Builds the benchmarks, and also times two genomes from file to answer.
#
# On a machine without a toolchain BENCHES names a folder of built benchmarks and SWATH a built
# command. A benchmark that fails does not stop the others; the script fails at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
a="${2:-tests/data/hpylori_ELS37.fasta.gz}"
b="${3:-tests/data/hpylori_G27.fasta.gz}"
mkdir -p "$out"
# `cargo bench` runs a benchmark in the folder of its package.
out="$(cd "$out" && pwd)"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
[[ -n "${SWATH:-}" ]] || cargo build --release
SWATH="${SWATH:-target/release/swath}"
stamp="$(date +%Y-%m-%d)"
failed=()

bench() {
    if [[ -n "${BENCHES:-}" ]]; then
        "$BENCHES/$1" --json "$out/$stamp-$1.json"
    else
        cargo bench --quiet -p swath-bench --bench "$1" -- --json "$out/$stamp-$1.json"
    fi
}

{
    echo "commit   $SWATH_COMMIT"
    echo "command  benches/sweep.sh"
    "$SWATH" devices
    "$SWATH" selftest
    for problem in lcs edit_distance supersequence parenthesization sort substring figures auto frames progress; do
        echo "== $problem"
        bench "$problem" || failed+=("$problem")
    done
    for run in 1 2 3; do
        echo "file to answer, with the subsequence, run $run: $a $b"
        start="$(date +%s.%N)"
        "$SWATH" lcs "$a" "$b" -o "$out/subsequence.txt"
        end="$(date +%s.%N)"
        awk -v s="$start" -v e="$end" 'BEGIN { printf "wall         %.3f s\n", e - s }'
        "$SWATH" lcs "$a" "$b" -o "$out/subsequence.txt" --json |
            tr ',' '\n' | grep -A1 '"name":"[a-z ]*"' | grep -v '^--' | tr -d '{}[]"' | paste - - || true
    done
    rm -f "$out/subsequence.txt"
    [[ ${#failed[@]} -eq 0 ]] || {
        echo "failed: ${failed[*]}"
        exit 1
    }
} 2>&1 | tee "$out/$stamp.txt"
