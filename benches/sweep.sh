#!/usr/bin/env bash
# The whole sweep of benchmarks on this machine, with the record that goes into benches/record/<device>/.
#
#     benches/sweep.sh [OUT] [A.fasta.gz B.fasta.gz]     builds what it runs and times file to answer on two genomes
#
# BENCHES names a folder with the benchmarks and SWATH a command that are built already, for a machine that has no toolchain. It
# fails at the end where a benchmark has failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${1:-target/bench}"
a="${2:-tests/data/hpylori_ELS37.fasta.gz}"
b="${3:-tests/data/hpylori_G27.fasta.gz}"
mkdir -p "$out"
export SWATH_COMMIT="${SWATH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
[[ -n "${SWATH:-}" ]] || cargo build --release
SWATH="${SWATH:-target/release/swath}"
stamp="$(date +%Y-%m-%d)"
failed=()

bench() {
    if [[ -n "${BENCHES:-}" ]]; then
        "$BENCHES/$1" --json "$out/$stamp-$1.json"
    else
        cargo bench --quiet --bench "$1" -- --json "$out/$stamp-$1.json"
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
