// anti_diagonal/edit_distance: Levenshtein distance with unit costs.
//
// Recurrence: Wagner and Fischer 1974, doi:10.1145/321796.321811.
fn cell(corner: u32, above: u32, left: u32, equal: bool) -> u32 {
    return select(min(min(above, left), corner) + 1u, corner, equal);
}
