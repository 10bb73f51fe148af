// bit_parallel/span_whole: every strip covers all column words of the table.
//
// Part of:  strip_sweep.wgsl. Twin: span_each.wgsl.
const SPANS = false;

fn span(direction: u32, strip: u32) -> vec2<u32> {
    return vec2(0u, params.words);
}
