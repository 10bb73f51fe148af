// anti_diagonal/edit_distance: Levenshtein distance with unit costs.
//
// Recurrence: Wagner and Fischer 1974, doi:10.1145/321796.321811.
DEVICE u32 cell(u32 corner, u32 above, u32 left, bool equal) {
    return select(min(min(above, left), corner) + 1u, corner, equal);
}
