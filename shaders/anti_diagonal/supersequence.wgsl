// anti_diagonal/supersequence: length of the shortest common supersequence.
//
// Recurrence: a shared symbol counts once, otherwise the shorter neighbour plus one (Zhao,
//             "Parallel Computing the Shortest Common Supersequence Problem", equation 2).
fn cell(corner: u32, above: u32, left: u32, equal: bool) -> u32 {
    return select(min(above, left), corner, equal) + 1u;
}
