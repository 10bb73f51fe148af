// anti_diagonal/supersequence: the length of the shortest common supersequence: a shared symbol counts once, else the cheaper
// neighbour and one more (Zhao, "Parallel Computing the Shortest Common Supersequence Problem", equation 2).
fn cell(corner: u32, above: u32, left: u32, equal: bool) -> u32 {
    return select(min(above, left), corner, equal) + 1u;
}
