#!/usr/bin/env bash
# Builds the npm package: the module, its types, the engine in a worker, and the page.
#
#     bindings/web/build.sh            into target/web/package
#     SWATH_WEB_PROFILE=tests bindings/web/build.sh   a larger module, in a third of the time
#
# Takes wasm-bindgen of the version in Cargo.lock from the path, else installs it.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

profile="${SWATH_WEB_PROFILE:-dist}"
target="${CARGO_TARGET_DIR:-target}"
package="$target/web/package"
version="$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print }' Cargo.lock)"

rustup target add wasm32-unknown-unknown
export PATH="$target/web/tools/bin:$PATH"
if [[ "$(wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $version" ]]; then
    cargo install wasm-bindgen-cli --version "$version" --root "$target/web/tools"
fi

# Vector instructions: Chrome 91, Firefox 89, Safari 16.4, Node 16.4. wasm-bindgen reads a section that stripping removes.
CARGO_PROFILE_DIST_STRIP=none RUSTFLAGS="-C target-feature=+simd128" \
    cargo build --locked --profile "$profile" --target wasm32-unknown-unknown -p swath-web
rm -rf "$package"
mkdir -p "$package"
wasm-bindgen --target web --remove-name-section --remove-producers-section --out-dir "$package" "$target/wasm32-unknown-unknown/$profile/swath_web.wasm"
rm -f "$package/swath_web_bg.wasm.d.ts"
cp -r bindings/web/{package.json,README.md,js/.,page} "$package"
gzip -9 -c "$package/swath_web_bg.wasm" | wc -c |
    xargs -I SIZE echo "$package: the module has $(wc -c <"$package/swath_web_bg.wasm") bytes, SIZE in gzip"
