// anti_diagonal/supersequence: the length of the shortest common supersequence: a shared symbol counts once, else the cheaper
// neighbour and one more (Zhao, "Parallel Computing the Shortest Common Supersequence Problem", equation 2).
DEVICE u32 cell(u32 corner, u32 above, u32 left, bool equal) {
    return select(min(above, left), corner, equal) + 1u;
}
