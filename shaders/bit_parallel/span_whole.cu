// bit_parallel/span_whole: every strip covers all column words of the table.
//
// Part of:  strip_sweep.cu. Twin: span_each.cu.
constexpr bool SPANS = false;

template <class Params> DEVICE u32x2 span(const Arguments& at, const Params& params, u32 direction, u32 strip) {
    return {0u, params.words};
}
