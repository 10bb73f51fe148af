// supersequence/row_values: cells with a value only, for the length alone.
typedef u32 Entry;

DEVICE Entry first_column(u32 row) {
    return row;
}

DEVICE Entry cell(Entry across, Entry above) {
    return min(across, above + 1u);
}

template <class P> DEVICE Entry hand_down(const Arguments& at, const P& params, Entry entry, u32 block, u32 column) {
    return entry;
}
