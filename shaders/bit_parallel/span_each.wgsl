// bit_parallel/span_each: gives each strip its own range of column words: a band, up to where two
// directions meet.
//
// Left:     at its first word a strip has the differences of a first column.
// Above:    where the strip above has no words, a strip reads the differences of a first row.
// Part of:  strip_sweep.wgsl. Twin: span_whole.wgsl.
const SPANS = true;

// [direction][strip]: first word, end
@group(0) @binding(5) var<storage, read> spans: array<vec2<u32>>;

fn span(direction: u32, strip: u32) -> vec2<u32> {
    return spans[direction * params.strips + strip];
}
