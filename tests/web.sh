#!/usr/bin/env bash
# Builds the package for browsers and runs it in Chromium, with WebGPU on SwiftShader and on the CPU alone, and in Firefox,
# with WebGPU on the system's driver: every method beside references and the native command, errors, progress, cancellation,
# lost devices, and in Chromium the page, which makes no request after it is loaded.
#
#     tests/web.sh             all tests
#
# SWATH_COMMAND is the native command, else it is built. The times and pictures of the page are in target/web/tests.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[[ -n "${CHROMIUM:-}" ]] || command -v chromium >/dev/null || missing+=(chromium)
[[ -n "${FIREFOX:-}" ]] || command -v firefox-esr >/dev/null || missing+=(firefox-esr)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

target="${CARGO_TARGET_DIR:-target}"
work="$target/web/tests"
mkdir -p "$work"
SWATH_WEB_PROFILE="${SWATH_WEB_PROFILE:-tests}" bindings/web/build.sh
command="${SWATH_COMMAND:-}"
if [[ -z "$command" ]]; then
    cargo build -q --locked --profile tests -p swath-cli
    command="$target/tests/swath"
fi
if [[ ! -d "$work/node_modules/playwright-core" ]]; then
    npm install --prefix "$work" --no-save --no-audit --no-fund --ignore-scripts playwright-core@1.65.1
fi
cp bindings/web/tests/* "$work"

# The first 100,000 bases of the two genomes of the tests, and the answers of the command.
for strain in ELS37 G27; do
    sequence="$(gzip -dc "tests/data/hpylori_$strain.fasta.gz" | grep -v '^>' | tr -d '\n')"
    printf '%s' "${sequence:0:100000}" >"$work/$strain.txt"
done
answer() {
    "$command" "$@" "$work/ELS37.txt" "$work/G27.txt" --input plain --device cpu
}
number() {
    answer "${@:2}" --json | node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"
}
sha256() {
    tr -d '\n' | sha256sum | cut -d' ' -f1
}
cat >"$work/data.json" <<END
{
    "a": "$(base64 -w0 "$work/ELS37.txt")",
    "b": "$(base64 -w0 "$work/G27.txt")",
    "expected": {
        "lcs": $(number length lcs),
        "subsequence": "$(answer lcs --format text | sha256)",
        "distance": $(number distance edit),
        "cigar": "$(answer edit --format cigarx | sha256)",
        "substring": $(number length substring)
    }
}
END

node "$work/browser.mjs" "$target/web/package" "$work/data.json" "$work"
