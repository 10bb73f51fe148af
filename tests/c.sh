#!/usr/bin/env bash
# Builds the C library and runs its tests with AddressSanitizer: every function on the CPU and on a device, wrong
# arguments, jobs and threads, 10,000 calls, the examples in C and C++, and those of the headers. Then 2,000 calls in
# valgrind.
#
#     tests/c.sh             all tests
#     tests/c.sh --full      10,000 calls in valgrind
#
# SWATH_C_LIBRARY is the folder of libswath_c.so and libswath_c.a, else they are built. SWATH_EDLIB_SOURCES is a clone of
# edlib's repository, whose own tests are run with this library, too.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

full=
[[ "${1:-}" != --full ]] || full=1
missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v c++ >/dev/null || missing+=(g++)
command -v valgrind >/dev/null || missing+=(valgrind)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

work="${CARGO_TARGET_DIR:-target}/c"
library="${SWATH_C_LIBRARY:-}"
if [[ -z "$library" ]]; then
    cargo build -q --locked --profile tests -p swath-c
    library="${CARGO_TARGET_DIR:-target}/tests"
fi
library="$(cd "$library" && pwd)"
rm -rf "$work"
mkdir -p "$work"
work="$(cd "$work" && pwd)"
# Under the name that it is installed by.
ln -s "$library/libswath_c.so" "$work/libswath.so"
package=bindings/c

warnings=(-Wall -Wextra -Wpedantic -Werror -g -O1)
sanitize=(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
link=("-L$work" -lswath -lpthread "-Wl,-rpath,$work:$library")
in_c=(cc -std=c99 "${warnings[@]}" "-I$package/include")
in_cpp=(c++ -std=c++17 "${warnings[@]}" "-I$package/include")
# Programs of tests open devices without a screen.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}"

# Each example in the comments of a header as a function, which is compiled.
compile_examples() {
    local header="$1" fixture="$2" name examples functions
    name="$(basename "$header" .h)"
    awk -v name="$name" -v fixture="$fixture" '
        BEGIN { printf "#include <stdio.h>\n#include \"%s.h\"\n", name }
        /^ \*     / {
            if (!within) printf "void example_%d(%s) {\n{\n", ++count, fixture
            within = 1
            sub(/^ \*     /, "")
            print
            next
        }
        within { print "}\n}"; within = 0 }
    ' "$header" >"$work/$name.c"
    "${in_c[@]}" -Wno-unused -c "$work/$name.c" -o "$work/$name.o"
    examples="$(grep -c '^void example_' "$work/$name.c")"
    functions="$(cpp -P "-I$package/include" "$header" | tr -d '\n' | grep -oE '(swath|edlib)_?[A-Za-z_]+\([^*]' | sort -u | wc -l)"
    echo "$name.h: $examples examples of $functions functions"
    [[ "$examples" -eq "$functions" ]] || {
        echo "c: $name.h does not have one example a function" >&2
        exit 1
    }
}
compile_examples "$package/include/swath.h" "swath_engine_options options, swath_engine *engine, swath_query *query,
    swath_answer *answer, swath_job *job, swath_cancel *cancel, swath_devices *devices, char *plan"
compile_examples "$package/include/swath_edlib.h" "EdlibAlignConfig config, EdlibAlignResult result"
if command -v cbindgen >/dev/null; then
    "$package/header.sh" --check
fi

for test in problems errors jobs many edlib; do
    "${in_c[@]}" "${sanitize[@]}" "$package/tests/$test.c" -o "$work/$test" "${link[@]}" &
done
"${in_c[@]}" "${sanitize[@]}" examples/c/genomes.c -o "$work/genomes" "${link[@]}"
"${in_cpp[@]}" "${sanitize[@]}" examples/cpp/align.cpp -o "$work/align" "${link[@]}"
# The static library, with the libraries that rustc names for it.
"${in_c[@]}" "$package/tests/many.c" -o "$work/many_static" "$library/libswath_c.a" -lpthread -ldl -lm -lgcc_s
for job in $(jobs -p); do
    wait "$job"
done

"$work/problems" cpu
# Drivers keep memory until the process ends.
ASAN_OPTIONS=detect_leaks=0 "$work/problems" gpu
"$work/errors"
"$work/jobs"
"$work/many"
"$work/edlib" tests/data/edlib.tsv
"$work/many_static" 100

# Parts of the two genomes of the tests.
for strain in ELS37 G27; do
    gzip -dc "tests/data/hpylori_$strain.fasta.gz" | head -c 60000 >"$work/$strain.fasta" || true
done
"$work/genomes" "$work/ELS37.fasta" "$work/G27.fasta" cpu 2>"$work/progress"
grep -q '100 %' "$work/progress"
# Ctrl-C after the first report of progress.
mkfifo "$work/reports"
gzip -dc tests/data/hpylori_ELS37.fasta.gz >"$work/ELS37.fasta"
gzip -dc tests/data/hpylori_G27.fasta.gz >"$work/G27.fasta"
"$work/genomes" "$work/ELS37.fasta" "$work/G27.fasta" cpu 2>"$work/reports" &
genomes="$!"
{
    IFS= read -r -d '%' _
    kill -INT "$genomes"
    cat
} <"$work/reports" >"$work/progress"
code=0
wait "$genomes" || code="$?"
[[ "$code" -eq 1 ]] # And not that of a leak.
grep -q 'stopped: cancelled' "$work/progress"
"$work/align" | tee "$work/align.txt"
grep -q '^distance 3, 1X3=1X1=1D$' "$work/align.txt"
grep -q '^cancelled$' "$work/align.txt"

# Also inside of the library, which AddressSanitizer does not instrument.
"${in_c[@]}" "$package/tests/many.c" -o "$work/many_plain" "${link[@]}"
calls=2000
[[ -z "$full" ]] || calls=10000
# Threads that wait for the next job are not leaks.
valgrind -q --error-exitcode=1 --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect "$work/many_plain" "$calls"

if [[ -n "${SWATH_EDLIB_SOURCES:-}" ]]; then
    sources="$SWATH_EDLIB_SOURCES"
    c++ -O2 "-I$sources/edlib/include" "-I$sources/test" "$sources/test/runTests.cpp" -o "$work/edlib_tests" "${link[@]}"
    "$work/edlib_tests" 100
fi
