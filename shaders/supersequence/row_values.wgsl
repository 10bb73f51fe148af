// supersequence/row_values: a length alone needs the values of cells and nothing else.
alias Entry = u32;

fn first_column(row: u32) -> Entry {
    return row;
}

fn cell(across: Entry, above: Entry) -> Entry {
    return min(across, above + 1u);
}

fn hand_down(entry: Entry, block: u32, column: u32) -> Entry {
    return entry;
}
