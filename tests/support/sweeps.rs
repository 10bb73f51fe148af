//! Shapes of the strip sweep, each with an input of a few strips.

use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::sequences::bit_parallel::gpu::tiling::limb_rows;

use crate::inputs::{Input, Kind, Random};
use crate::tier::{all_or_covering, product};
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

/// Shapes with all parts of the kernel and all alphabets, each pair of these together at least once.
/// The full tier has the products of crews, limbs and matchings with columns and paths, and with
/// alphabets. Inputs have all kinds of the alphabet, and full and partial limbs around whole strips.
pub fn variants() -> impl Iterator<Item = (Vec<Input>, Tuning, bool)> {
    let (crews, mut random) = (crews(&[8, 32]), Random::new(3));
    let limb_rows = limb_rows(crate::is_cuda());
    let all = product([crews.len(), 4, 2, 3, 2, 2]).into_iter();
    let all = all.map(|[crew, limbs, matching, columns, path, directions]| {
        // Planes of many letters leave registers for few limbs.
        let alphabet = match (columns + 3 * path + crew + limbs + matching) % 6 {
            5 if limbs > 0 || matching == 0 => 4,
            alphabet => alphabet,
        };
        let steps = (limbs + columns + directions) % 4;
        [
            crew, limbs, matching, columns, path, directions, alphabet, steps,
        ]
    });
    let all = all_or_covering(all.collect()).into_iter();
    all.map(
        move |[
            crew,
            limbs,
            matching,
            columns,
            path,
            directions,
            alphabet,
            steps,
        ]| {
            let (crew, limbs, matching) = (crews[crew], [2, 4, 6, 8][limbs], MATCHINGS[matching]);
            // A kernel is compiled for a number of symbols.
            let (letters, kinds) = [
                (1, &[Kind::AllEqual][..]),
                (2, &[Kind::Fibonacci, Kind::ThueMorse]),
                (3, &[Kind::Periodic]),
                (4, &[Kind::Random, Kind::Similar]),
                (20, &[Kind::Random, Kind::Disjoint]),
                (300, &[Kind::Random, Kind::Similar]),
            ][alphabet];
            let strips = if crew.1 == 8 { 3 } else { 2 };
            let input = |&kind| {
                let more = random.pick(&[0, 1, limb_rows - 1, limb_rows, limb_rows + 1]);
                let rows = crew.1 * limbs * limb_rows * strips + more - 1;
                let (rows, seed) = (rows as usize, u64::from(rows));
                Input {
                    kind,
                    letters,
                    rows,
                    cols: 171,
                    seed,
                }
            };
            let inputs = kinds.iter().map(input).collect();
            let (columns, steps) = ([8, 16, 32][columns], [1, 3, 4, 16][steps]);
            let directions = 1 + directions as u32;
            (
                inputs,
                tuning(matching, crew, limbs, columns, steps, directions),
                path == 1,
            )
        },
    )
}
