// pairs/jaro: matches and transpositions of a query and a target in one lane.
//
// Match:    a column matches the first row with its symbol that is free, and no farther from it than
//           half of the longer string, less one.
// Passes:   1 the rows that are matched; 2 the same columns again, each beside the next of these rows:
//           it is transposed if their symbols differ.
// Value:    matches << 17, or 9 for strings of up to 127 symbols | half of the transposed columns << 3
//           | symbols of a common prefix up to 4, with MEASURE = 1.
// Strips:   one.
// Part of:  pairs/lanes.wgsl, pairs/entries.wgsl.
const VERTICAL = 1u;
const HORIZONTAL = 1u;
alias Carries = array<u32, HORIZONTAL>;
alias Flags = array<u32, LIMBS>;

// Bits of a limb from `first` to before `end`, which count from the top of the strip.
fn bits_between(limb: u32, first: u32, end: u32) -> u32 {
    let below = limb * LIMB_ROWS;
    let before = min(max(first, below) - below, LIMB_ROWS);
    let until = min(max(end, below) - below, LIMB_ROWS);
    return ((1u << until) - 1u) & ~((1u << before) - 1u);
}

// Eight codes of a target.
fn codes_of(columns: Columns, eight: u32) -> Block {
    let codes = target_codes[columns.first + eight / 2u * columns.step];
    return select(codes.xy, codes.zw, eight % 2u == 1u);
}

// Takes the first free row with the symbol of a column between two places; false without one.
fn take_row(rows: ptr<function, Rows>, column: ptr<function, Column>, taken: ptr<function, Flags>, first: u32, end: u32) -> bool {
    for (var limb = 0u; limb < LIMBS; limb++) {
        let free = matching(rows, column, limb, bits_between(limb, first, end) & ~(*taken)[limb]);
        if free != 0u {
            (*taken)[limb] |= free & (0u - free);
            return true;
        }
    }
    return false;
}

fn value_of(rows: ptr<function, Rows>, columns: Columns, query_len: u32, padding: u32) -> u32 {
    let longer = max(query_len, columns.len);
    let reach = max(longer / 2u, 1u) - 1u;
    // Columns behind these reach no row.
    let len = min(columns.len, query_len + reach);
    var taken = Flags();
    var matches = 0u;
    var prefix = 0u;
    for (var k = 0u; k < len; k++) {
        var column = open_column(rows, codes_of(columns, k / 8u), k % 8u);
        let first = padding + max(k, reach) - reach;
        let end = padding + min(k + reach + 1u, query_len);
        matches += u32(take_row(rows, &column, &taken, first, end));
        if MEASURE == 1u && k < 4u && k == prefix && k < query_len {
            prefix += u32(has_row(rows, &column, padding + k));
        }
    }
    var again = Flags();
    var rest = taken;
    var transposed = 0u;
    for (var k = 0u; k < len; k++) {
        var column = open_column(rows, codes_of(columns, k / 8u), k % 8u);
        let first = padding + max(k, reach) - reach;
        let end = padding + min(k + reach + 1u, query_len);
        if take_row(rows, &column, &again, first, end) {
            for (var limb = 0u; limb < LIMBS; limb++) {
                if rest[limb] != 0u {
                    let next = rest[limb] & (0u - rest[limb]);
                    rest[limb] ^= next;
                    transposed += u32(matching(rows, &column, limb, next) == 0u);
                    break;
                }
            }
        }
    }
    return (matches << select(17u, 9u, longer <= 127u)) | ((transposed / 2u) << 3u) | prefix;
}

fn has_row(rows: ptr<function, Rows>, column: ptr<function, Column>, row: u32) -> bool {
    for (var limb = 0u; limb < LIMBS; limb++) {
        if matching(rows, column, limb, bits_between(limb, row, row + 1u)) != 0u {
            return true;
        }
    }
    return false;
}
