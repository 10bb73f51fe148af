// bit_parallel/span_each: each strip is swept through words of its own: those of a band, up to where two directions meet.
//
// Left:     behind the words that a strip leaves out, its rows have the differences of a first column.
// Above:    over the words that the strip above leaves out, a row has the differences of a first row.
// Part of:  strip_sweep.wgsl. Twin: span_whole.wgsl.
const SPANS = true;

@group(0) @binding(5) var<storage, read> spans: array<vec2<u32>>;    // [direction][strip]: first word, end of its words

fn span(direction: u32, strip: u32) -> vec2<u32> {
    return spans[direction * params.strips + strip];
}
