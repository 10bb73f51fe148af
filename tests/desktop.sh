#!/usr/bin/env bash
# The desktop example, built and run on a screen that is not there: it has to end with an answer. The first argument names the
# picture of its window, target/desktop/window.png where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

picture="${1:-target/desktop/window.png}"
bases="${SWATH_DESKTOP_BASES:-100000}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
mkdir -p "$(dirname "$picture")"

missing=()
command -v Xvfb >/dev/null || missing+=(xvfb)
command -v xauth >/dev/null || missing+=(xauth)
command -v import >/dev/null || missing+=(imagemagick)
# winit and wgpu load these when the program runs.
for library in libxkbcommon-x11.so.0:libxkbcommon-x11-0 libX11-xcb.so.1:libx11-xcb1 libXcursor.so.1:libxcursor1 libXi.so.6:libxi6 \
    libvulkan.so.1:libvulkan1; do
    PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | grep -qF "${library%%:*}" || missing+=("${library##*:}")
done
compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || missing+=(mesa-vulkan-drivers)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

cargo build --manifest-path examples/desktop/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target/desktop}" </dev/null
program="${CARGO_TARGET_DIR:-target/desktop}/debug/swath-desktop"

# The beginnings of two genomes.
for strain in ELS37 G27; do
    { echo ">$strain"; gzip -dc "tests/data/hpylori_$strain.fasta.gz" | tail -n +2 | tr -d '\n' | head -c "$bases" || true; echo; } \
        >"$folder/$strain.fasta"
done

export SWATH_DESKTOP_PROGRAM="$program" SWATH_DESKTOP_FOLDER="$folder" SWATH_DESKTOP_PICTURE="$picture"
timeout 900 xvfb-run --auto-servernum --server-args='-screen 0 760x860x24' bash -euo pipefail -c '
    answer="$SWATH_DESKTOP_FOLDER/answer"
    "$SWATH_DESKTOP_PROGRAM" --exit-after-answer "$SWATH_DESKTOP_FOLDER"/{ELS37,G27}.fasta >"$answer" &
    while kill -0 "$!" 2>/dev/null && ! grep -q "frames while computing" "$answer"; do sleep 0.2; done
    sleep 1
    import -window root "$SWATH_DESKTOP_PICTURE"
    wait "$!"
'
cat "$folder/answer"
grep -qE '^Distance [0-9]+, by ' "$folder/answer" || {
    echo "desktop: no answer came" >&2
    exit 1
}
echo "desktop: the picture is $picture"
