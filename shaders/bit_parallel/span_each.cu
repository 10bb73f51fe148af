// bit_parallel/span_each: gives each strip its own range of column words: a band, up to where two
// directions meet.
//
// Left, above: as in span_each.wgsl.
// Part of:  strip_sweep.cu. Twin: span_whole.cu.
constexpr bool SPANS = true;

BINDING(5, const u32x2, spans)    // [direction][strip]: first word, end

template <class Params> DEVICE u32x2 span(const Arguments& at, const Params& params, u32 direction, u32 strip) {
    return spans(at)[direction * params.strips + strip];
}
