#!/usr/bin/env bash
# Builds the example with GTK 4 and runs it on a virtual screen: it has to show progress, then the dot plot, and to end a
# longer call when its button is pressed. The first argument is the file of the screenshot, target/gtk/window.png by
# default. SWATH_C_LIBRARY is as for tests/c.sh.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/packages.sh

work="${CARGO_TARGET_DIR:-target}/gtk"
mkdir -p "$work"
work="$(cd "$work" && pwd)"
picture="${1:-$work/window.png}"
missing=()
for tool in cc:gcc pkg-config:pkg-config Xvfb:xvfb xauth:xauth import:imagemagick xdotool:xdotool; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
pkg-config --exists gtk4 2>/dev/null || missing+=(libgtk-4-dev)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"

library="${SWATH_C_LIBRARY:-}"
if [[ -z "$library" ]]; then
    cargo build -q --locked --profile tests -p swath-c
    library="${CARGO_TARGET_DIR:-target}/tests"
fi
library="$(cd "$library" && pwd)"
ln -sf "$library/libswath_c.so" "$work/libswath.so"
# shellcheck disable=SC2046 # Several arguments.
cc -std=c11 -Wall -Wextra -Werror -O1 -g -Ibindings/c/include examples/gtk/dotplot.c -o "$work/dotplot" \
    $(pkg-config --cflags --libs gtk4) "-L$work" -lswath "-Wl,-rpath,$work:$library"

for strain in ELS37 G27; do
    gzip -dc "tests/data/hpylori_$strain.fasta.gz" >"$work/$strain.fasta"
    head -c 300000 "$work/$strain.fasta" >"$work/$strain.part.fasta"
done
rm -f "$work"/*.png "$work/answer" "$work/late_answer" "$work/late_errors"
export GSK_RENDERER=cairo SWATH_WORK="$work" SWATH_PICTURE="$picture"
timeout 300 xvfb-run --auto-servernum --server-args='-screen 0 640x760x24' bash -euo pipefail -c '
    cd "$SWATH_WORK"
    # A loaded machine starts the screen late.
    until xdotool getmouselocation >/dev/null 2>&1; do sleep 0.2; done
    ./dotplot ELS37.part.fasta G27.part.fasta >answer 2>errors &
    program="$!"
    while kill -0 "$program" && [[ ! -s answer ]]; do
        import -window root next.png
        [[ -s answer ]] || mv next.png computing.png
        sleep 0.1
    done
    sleep 1
    import -window root "$SWATH_PICTURE"
    kill "$program"
    wait "$program" || true
    # The whole genomes, which take longer; the second button of the second row cancels.
    ./dotplot ELS37.fasta G27.fasta >late_answer 2>late_errors &
    program="$!"
    for _ in $(seq 300); do
        xdotool mousemove 150 67 click 1
        ! grep -q "^cancelled$" late_errors || break
        sleep 0.2
    done
    kill "$program"
    wait "$program" || true
'
cat "$work/answer"
grep -qE '^[1-9][0-9]* common bases, ' "$work/answer"
grep -q '^cancelled$' "$work/late_errors" || {
    echo "gtk: the call was not cancelled" >&2
    exit 1
}

# Number of pixels of the colour of the plot, whose diagonal has 600 rows.
pixels() {
    convert "$1" -alpha off -depth 8 -format %c histogram:info:- |
        awk '$2 == "(0,102,204)" { count += $1 } END { print count + 0 }'
}
[[ "$(pixels "$picture")" -gt 300 ]] || {
    echo "gtk: $picture shows no plot" >&2
    exit 1
}
[[ -f "$work/computing.png" && "$(pixels "$work/computing.png")" -eq 0 ]] || {
    echo "gtk: there is no picture of the call, or it shows a plot" >&2
    exit 1
}
echo "gtk: the picture is $picture"
