//! Shapes of the strip sweep, each with an input of a few strips.

use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::sequences::bit_parallel::gpu::tiling::limb_rows;

use crate::inputs::{Input, Kind, Random};
use crate::tier::combinations;
use crate::tuning;

const MATCHINGS: [Matching; 2] = [Matching::Table, Matching::Planes];

/// Crews of these sizes, and a subgroup if the device has subgroups of a fixed size.
pub fn crews(workgroups: &[u32]) -> Vec<(CarryExchange, u32)> {
    let workgroups = workgroups
        .iter()
        .map(|&lanes| (CarryExchange::Workgroup, lanes));
    let subgroup = crate::subgroup_lanes().map(|lanes| (CarryExchange::Subgroup, lanes));
    workgroups.chain(subgroup).collect()
}

/// All parts of the kernel, each pair of them together at least once, with three strips, the last one
/// partly filled.
pub fn variants() -> impl Iterator<Item = (Input, Tuning, bool)> {
    let (crews, mut random) = (crews(&[8, 32]), Random::new(1));
    let all = combinations([crews.len(), 3, 2, 3, 2]).into_iter();
    all.map(move |[crew, limbs, matching, columns, path]| {
        let (crew, limbs) = (crews[crew], [2, 4, 6][limbs]);
        let input = Input::random(4, (crew.1 * limbs * 31 * 2 + 40) as usize, 171);
        let (steps, directions) = (random.pick(&[1, 3, 4, 16]), random.pick(&[1, 2]));
        let columns = [8, 16, 32][columns];
        let shape = tuning(MATCHINGS[matching], crew, limbs, columns, steps, directions);
        (input, shape, path == 1)
    })
}

/// Inputs of all kinds with full and partial limbs: `strips` strips, one row more or one fewer.
pub fn limb_edges(
    limbs: &'static [u32],
    strips: u32,
) -> impl Iterator<Item = (Input, [Tuning; 2])> {
    let (crews, mut random) = (crews(&[8]), Random::new(3));
    let limb_rows = limb_rows(crate::is_cuda());
    let all = combinations([crews.len(), limbs.len(), Kind::ALL.len(), 2]).into_iter();
    all.map(move |[crew, limb, kind, matching]| {
        let (crew, limbs) = (crews[crew], limbs[limb]);
        let more = random.pick(&[0, 1, limb_rows - 1, limb_rows, limb_rows + 1]);
        let rows = crew.1 * limbs * limb_rows * strips + more - 1;
        // Planes of large alphabets leave registers for few limbs.
        let letters = [1, 2, 4, 26, 300];
        let letters = random.pick(&letters[..if limbs == 2 { 5 } else { 4 }]);
        // A shape for each kernel, so that few are compiled.
        let (columns, steps) =
            [(8, 4), (16, 1), (32, 3), (8, 16)][(limbs / 2 + matching as u32) as usize % 4];
        let matching = MATCHINGS[if letters < 100 { matching } else { 1 }];
        let input = Input {
            kind: Kind::ALL[kind],
            letters,
            rows: rows as usize,
            cols: 171,
            seed: u64::from(rows),
        };
        let shape = |directions| tuning(matching, crew, limbs, columns, steps, directions);
        (input, [1, 2].map(shape))
    })
}
