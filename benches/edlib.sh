#!/usr/bin/env bash
# Times this library's edlib functions beside edlib on the pairs of edlib's repository.
#
#     benches/edlib.sh EDLIB [LIBRARY]
#
# EDLIB is a clone of https://github.com/Martinsos/edlib. LIBRARY is libswath.so, target/dist/libswath_c.so by default (the profile
# `tests` leaves it without optimization).
# Best of several calls in one process; lines of one pair stand below each other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
edlib="$1"
library="${2:-target/dist/libswath_c.so}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cc -O2 -I"$edlib/edlib/include" benches/edlib.c -o "$work/swath" "$library" "-Wl,-rpath,$(dirname "$(realpath "$library")")"
c++ -O3 -DNDEBUG -I"$edlib/edlib/include" -c "$edlib/edlib/src/edlib.cpp" -o "$work/edlib.o"
cc -O2 -I"$edlib/edlib/include" benches/edlib.c "$work/edlib.o" -lstdc++ -o "$work/edlib"

row() {
    for peer in edlib swath; do
        printf '%-6s %-40s ' "$peer" "$1"
        "$work/$peer" "${@:2}"
    done
}
chromosome="$edlib/test_data/Chromosome_2890043_3890042_0"
for similarity in 99 97 94; do
    row "1 M bases, $similarity %, NW distance" "$chromosome/mutated_${similarity}_perc.fasta" "$chromosome"/Chromosome*.fasta NW distance 3
done
row "1 M bases, 99 %, NW path" "$chromosome/mutated_99_perc.fasta" "$chromosome"/Chromosome*.fasta NW path 1
for len in 100 1000 10000; do
    { echo '>read'; sed 1d "$chromosome/mutated_94_perc.fasta" | tr -d '\n' | cut -c"500001-$((500000 + len))"; } >"$work/read.fasta"
    { echo '>piece'; sed 1d "$chromosome"/Chromosome*.fasta | tr -d '\n' | cut -c"490001-$((510000 + len))"; } >"$work/piece.fasta"
    { echo '>same'; sed 1d "$chromosome"/Chromosome*.fasta | tr -d '\n' | cut -c"500001-$((500000 + len))"; } >"$work/same.fasta"
    row "$len in 1 M bases, 94 %, HW distance" "$work/read.fasta" "$chromosome"/Chromosome*.fasta HW distance 5
    row "$len in 20 k bases, 94 %, HW path" "$work/read.fasta" "$work/piece.fasta" HW path 20
    row "$len and $len bases, NW path" "$work/read.fasta" "$work/same.fasta" NW path 20
done
