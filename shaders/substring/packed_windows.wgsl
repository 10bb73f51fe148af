// substring/packed_windows: keys of windows of at most 64 bits: their packed codes.
//
// Text:     BITS bits per code without gaps, so 32 codes fill BITS words; plus two words of
//           padding.
// Params:   rest: bits of a window.
@group(0) @binding(0) var<storage, read> tail: array<u32>;

struct Window {
    stretch: u32,
    place: u32,     // in the stretch
}

fn first_window(stretch: u32) -> Window {
    return Window(stretch, 0u);
}

fn move_to(window: ptr<function, Window>, place: u32) {
    (*window).place = place;
}

// Mask of the lowest bits, at most 32.
fn lowest(bits: u32) -> u32 {
    return select((1u << (bits & 31u)) - 1u, 0xffffffffu, bits >= 32u);
}

fn key_of(window: ptr<function, Window>) -> vec2<u32> {
    let bit = (*window).place * BITS;
    let word = (*window).stretch * BITS + (bit >> 5u);
    let shift = bit & 31u;
    let one = tail[word];
    let two = tail[word + 1u];
    let three = tail[word + 2u];
    // Shifts by 32 are done in two steps.
    let low = (one >> shift) | ((two << 1u) << (31u - shift));
    let high = (two >> shift) | ((three << 1u) << (31u - shift));
    return vec2<u32>(low & lowest(params.rest), high & lowest(max(params.rest, 32u) - 32u));
}
