// lcs/pair_subgroup: reads the pair of carries of another lane by a subgroup shuffle.
//
// Needs:    a workgroup of exactly one subgroup, with lanes in local order.
// Twin:     pair_workgroup.wgsl, for any device.
fn pair_of(source: u32, lane: u32, step: u32, pair: u32) -> u32 {
    return subgroupShuffle(pair, source);
}
