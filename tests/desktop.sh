#!/usr/bin/env bash
# Builds and runs the desktop example on a virtual screen. It has to draw seeds and their chain
# while it computes, and then the alignment. The first argument is the file of the screenshot,
# target/desktop/window.png by default.
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
# Libraries that winit and wgpu load at run time.
for library in libxkbcommon-x11.so.0:libxkbcommon-x11-0 libX11-xcb.so.1:libx11-xcb1 libXcursor.so.1:libxcursor1 libXi.so.6:libxi6 \
    libvulkan.so.1:libvulkan1; do
    PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | grep -F "${library%%:*}" >/dev/null || missing+=("${library##*:}")
done
compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || missing+=(mesa-vulkan-drivers)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

# Host code need not be fast, as the kernels run on the window's device: build in the shortest time.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_OPT_LEVEL=0
target="${CARGO_TARGET_DIR:-target/desktop}"
cargo --config profile.dev.package.swath.opt-level=0 build --locked --manifest-path examples/desktop/Cargo.toml --target-dir "$target" </dev/null
program="$target/debug/swath-desktop"

# Prefixes of two genomes.
for strain in ELS37 G27; do
    { echo ">$strain"; gzip -dc "tests/data/hpylori_$strain.fasta.gz" | tail -n +2 | tr -d '\n' | head -c "$bases" || true; echo; } \
        >"$folder/$strain.fasta"
done

export SWATH_DESKTOP_PROGRAM="$program" SWATH_DESKTOP_FOLDER="$folder" SWATH_DESKTOP_PICTURE="$picture"
timeout 900 xvfb-run --auto-servernum --server-args='-screen 0 760x860x24' bash -euo pipefail -c '
    answer="$SWATH_DESKTOP_FOLDER/answer"
    "$SWATH_DESKTOP_PROGRAM" --exit-after-answer "$SWATH_DESKTOP_FOLDER"/{ELS37,G27}.fasta >"$answer" &
    is_computing() { kill -0 "$!" 2>/dev/null && [[ ! -s "$answer" ]]; }
    while is_computing; do
        import -window root "$SWATH_DESKTOP_FOLDER/next.png"
        # The picture shows the computation only if it still runs.
        ! is_computing || mv "$SWATH_DESKTOP_FOLDER"/{next,computing}.png
        sleep 0.3
    done
    sleep 1
    import -window root "$SWATH_DESKTOP_PICTURE"
    wait "$!"
'
cat "$folder/answer"
grep -qE '^Distance [0-9]+, by ' "$folder/answer" || {
    echo "desktop: no answer came" >&2
    exit 1
}
grep -qE '^[1-9][0-9]* frames while computing, ' "$folder/answer" || {
    echo "desktop: no frame was timed" >&2
    exit 1
}

# Number of pixels of a colour of the plot.
pixels() {
    local colour
    colour="$(sed -n "s/^const $2: Color32 = Color32::from_rgb(\(.*\));$/\1/p" examples/desktop/src/plot.rs | tr -d ' ')"
    convert "$1" -alpha off -depth 8 -format %c histogram:info:- |
        awk -v colour="($colour)" '$2 == colour { count += $1 } END { print count + 0 }'
}

# Checks the number of pixels of a colour against a minimum and a maximum.
has() {
    local count
    count="$(pixels "$1" "$2")"
    [[ "$count" -ge "$3" && "$count" -le "$4" ]] || {
        echo "desktop: $1 has $count pixels of the colour $2, and has to have from $3 to $4" >&2
        exit 1
    }
}
[[ -f "$folder/computing.png" ]] || {
    echo "desktop: it was over before a picture of it could be taken" >&2
    exit 1
}
# The plot has 640 x 640 pixels, and the alignment is its diagonal.
has "$folder/computing.png" SEED 100 20000
has "$folder/computing.png" CHAIN 300 2000
has "$folder/computing.png" RUN 0 0
has "$picture" SEED 100 20000
has "$picture" CHAIN 0 0
has "$picture" RUN 600 2000
echo "desktop: the picture is $picture"
