// anti_diagonal/supersequence: length of the shortest common supersequence.
//
// Recurrence: a shared symbol counts once, otherwise the shorter neighbour plus one (Zhao,
//             "Parallel Computing the Shortest Common Supersequence Problem", equation 2).
DEVICE u32 cell(u32 corner, u32 above, u32 left, bool equal) {
    return select(min(above, left), corner, equal) + 1u;
}
