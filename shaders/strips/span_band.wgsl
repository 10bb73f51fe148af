// strips/span_band: each strip is swept through the words of a band around the diagonal.
//
// Left:     behind the words that a strip leaves out, its rows have the differences of a first column.
// Above:    over the words that the strip above leaves out, a row has the differences of a first row.
// Part of:  strip_sweep.wgsl. Twin: span_whole.wgsl.
const BANDED = true;

@group(0) @binding(5) var<storage, read> spans: array<vec2<u32>>;    // [strip]: first word, end of its words

fn span(strip: u32) -> vec2<u32> {
    return spans[strip];
}
