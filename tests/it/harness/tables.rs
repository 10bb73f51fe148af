//! Damage to the whole-table methods and to wavefronts.

use swath::supersequence::Method;
use swath::unstable::edit_distance::{self, wavefront};
use swath::unstable::papers::anti_diagonal::{self, Recurrence};
use swath::unstable::papers::{row_wise, tiled};
use swath::unstable::supersequence::midpoints;

use super::*;

/// Edit distance by anti-diagonals and by tiles, and the row-wise supersequence, of one pair.
fn table_answers(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> [u64; 3] {
    let (a, b) = Input::random(4, 300, 280).pair();
    // The longer one first: its path stays at the last diagonals of the wavefronts for a while.
    let codes = Encoded::new(&b, &a);
    let (backend, control, phases) = (damaging(gpu, damage), Control::default(), Phases::start());
    let device = device(&backend, &control, &phases);
    pollster::block_on(async {
        [
            anti_diagonal::last_cell(&device, Recurrence::EditDistance, &a, &b, None).await,
            tiled::gpu::distance(&device, &a, &b).await,
            row_wise::length(&device, &codes).await,
        ]
        .map(|answer| answer.expect("damage is no error to the device"))
    })
}

#[test]
fn damage_to_the_plan_of_a_table_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    let Some(gpu) = lock_gpu() else { return };
    let right = table_answers(&gpu, |_| ());
    assert_eq!(right[0], right[1], "two methods, one distance");
    type Damage = (&'static str, fn(&mut Plan));
    let damages: [Damage; 6] = [
        ("the last pass dropped", |plan| {
            plan.passes.truncate(plan.passes.len() - 1)
        }),
        ("passes reversed", |plan| plan.passes.reverse()),
        ("passes dropped in the middle", |plan| {
            plan.passes.retain(|pass| pass.params[0] != 3)
        }),
        ("a wrong column", |plan| {
            replace(
                plan,
                &[
                    ("params.diagonal - row - 1u", "0u"),
                    ("wg_codes[column]", "wg_codes[0]"),
                    ("half + places[k]]", "half]"),
                ],
            )
        }),
        ("a wrong neighbour", |plan| {
            replace(
                plan,
                &[
                    ("before_2 + row - 1u", "before_2 + row"),
                    ("corner = over;", "corner = value;"),
                    ("half + places[k]]", "half + places[k] + 1u]"),
                ],
            )
        }),
        ("a wrong choice", |plan| {
            replace(
                plan,
                &[
                    ("min(above, left)", "max(above, left)"),
                    ("min(over, value)", "max(over, value)"),
                    ("min(across, above + 1u)", "max(across, above + 1u)"),
                ],
            )
        }),
    ];
    for (name, damage) in damages {
        let found = table_answers(&gpu, damage);
        for method in 0..3 {
            assert!(
                found[method] != right[method],
                "{name} went unnoticed in method {method}"
            );
        }
    }
}

/// Crossings of a pair's canonical path with every 64th layer, by rows and by anti-diagonals.
fn midpoints_of(
    gpu: &Gpu,
    damage: impl Fn(&mut Plan) + Send + Sync + 'static,
) -> [Result<Vec<(usize, usize)>, Error>; 2] {
    let (a, b) = Input::random(4, 300, 280).pair();
    let codes = Encoded::new(&a, &b);
    let backend = damaging(gpu, damage);
    let (control, phases) = (Control::default(), Phases::start());
    let (budget_bytes, slice) = (1 << 30, SLICE);
    let device = Device {
        backend: &backend,
        budget_bytes,
        slice,
        threads: None,
        control: &control,
        phases: &phases,
    };
    [Method::RowWise, Method::AntiDiagonal]
        .map(|method| pollster::block_on(midpoints::cells(&device, method, &codes, 64)))
}

#[test]
fn damage_to_the_origins_of_a_table_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    let Some(gpu) = lock_gpu() else { return };
    let right = midpoints_of(&gpu, |_| ()).map(|cells| cells.expect("nothing is damaged"));
    type Damage = (&'static str, fn(&mut Plan));
    let damages: [Damage; 6] = [
        ("the midpoints not followed", |plan| {
            plan.passes.truncate(plan.passes.len() - 1)
        }),
        ("the last anti-diagonal or wavefront dropped", |plan| {
            plan.passes.remove(plan.passes.len() - 2);
        }),
        ("another last place", |plan| {
            plan.passes.last_mut().expect("passes").params[2] -= 100
        }),
        ("origins from the wrong neighbour", |plan| {
            replace(
                plan,
                &[("above.y)", "across.y)"), ("!up && equal", "up && equal")],
            );
        }),
        ("origins that do not start anew", |plan| {
            replace(
                plan,
                &[
                    ("1u + column);", "entry.y);"),
                    ("params.behind > back", "params.behind > 0u"),
                ],
            );
        }),
        ("origins of another layer", |plan| {
            replace(
                plan,
                &[
                    ("(segment - 1u) *", "segment *"),
                    ("params.stored + 2u", "params.stored + 1u"),
                ],
            );
        }),
    ];
    for (name, damage) in damages {
        for (found, right) in midpoints_of(&gpu, damage).into_iter().zip(&right) {
            // Either no path has these midpoints, or they differ. A device's refusal would prove
            // nothing.
            match found {
                Ok(found) => assert!(found != *right, "{name} went unnoticed"),
                Err(error) => assert!(
                    matches!(error, Error::CertificateFailed(_)),
                    "{name}: {error}"
                ),
            }
        }
    }
}

/// Distance of a pair by wavefronts, with one edit in `every` symbols and as many inserted at once.
/// `None` if the directions do not meet where they should.
fn distance_by_wavefronts(
    gpu: &Gpu,
    (every, inserted): (u64, usize),
    damage: impl Fn(&mut Plan) + Send + Sync + 'static,
) -> Option<u64> {
    let mut random = Random::new(5);
    let a = random.symbols(5000, 4);
    let mut b = random.edited(&a, every, 4);
    b.splice(1000..1000, a[..inserted].iter().copied());
    // The longer one first: its path stays at the last diagonals of the wavefronts for a while.
    let codes = Encoded::new(&b, &a);
    let (backend, control, phases) = (damaging(gpu, damage), Control::default(), Phases::start());
    let device = device(&backend, &control, &phases);
    match pollster::block_on(wavefront::distance(&device, &codes)) {
        Err(Error::CertificateFailed(_)) => None,
        found => Some(found.expect("damage is no error to the device")),
    }
}

#[test]
fn damage_to_wavefronts_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    let Some(gpu) = lock_gpu() else { return };
    // Wide enough for several workgroups, with slides of all lengths.
    let pair = (20, 500);
    let right = distance_by_wavefronts(&gpu, pair, |_| ());
    type Damage = (&'static str, fn(&mut Plan));
    let damages: [Damage; 7] = [
        ("passes dropped", |plan| {
            plan.passes.retain(|pass| pass.params[3] != 7 * 32)
        }),
        ("a workgroup too few", |plan| {
            plan.passes
                .iter_mut()
                .for_each(|pass| pass.groups[0] -= pass.groups[0].min(2) / 2)
        }),
        ("slides that end early", |plan| {
            replace(plan, &[("row += equal;", "row += min(equal, 1u);")])
        }),
        ("long slides left out", |plan| {
            replace(plan, &[("slide < waiting", "slide < 0u * waiting")])
        }),
        ("no unequal pairs", |plan| {
            replace(plan, &[("wg_reach[place - 1u])", "UNREACHED)")])
        }),
        ("no steps to the right", |plan| {
            replace(plan, &[(", wg_reach[place])", ", UNREACHED)")])
        }),
        ("no steps down", |plan| {
            replace(plan, &[("max(wg_reach[place - 2u]", "max(UNREACHED")])
        }),
    ];
    for (what, damage) in damages {
        assert_ne!(distance_by_wavefronts(&gpu, pair, damage), right, "{what}");
    }
}

/// Distance of a pair by strips.
fn distance_by_strips(gpu: &Gpu, damage: impl Fn(&mut Plan) + Send + Sync + 'static) -> u64 {
    let (a, b) = Input::random(4, 2500, 900).pair();
    let codes = Encoded::new(&a, &b);
    let (backend, control, phases) = (damaging(gpu, damage), Control::default(), Phases::start());
    let device = device(&backend, &control, &phases);
    let distance = edit_distance::gpu::distance(&device, Tuning::default(), &codes);
    pollster::block_on(distance).expect("damage is no error to the device")
}

/// The recurrence of edit distances in strips, in WGSL and in CUDA.
const DISTANCES: [&str; 2] = [
    "
edit_distance/limbs: mask | vn | hn_above => mask | vn
edit_distance/limbs: vn | ~(d0 | vp) => ~(d0 | vp)
edit_distance/limbs: t + vp + hn => t + vp
edit_distance/limbs: hp_here + hp_here + hp => hp_here + hp_here
edit_distance/limbs: hn_above | ~(d0 | hp_above) => hn_above | ~d0
edit_distance/limbs: hp_above & d0; => hp_here & d0;
edit_distance/limbs: block, 7u, carries) << vec2(7u) => block, 7u, carries) << vec2(6u)
",
    "
edit_distance/limbs: entering[1u] = add_leaving(entering[1u], entering[1u]) => entering[1u] += entering[1u]
edit_distance/limbs: leaving[1u] = add_entering(leaving[1u], leaving[1u]) => leaving[1u] += leaving[1u]
edit_distance/limbs: add_passing(masks[limb] & v[limb], v[limb]) => (masks[limb] & v[limb]) + v[limb]
edit_distance/limbs: sums[limb] ^ t ^ vp; => sums[limb] ^ t;
edit_distance/limbs: logic<0xfe>(masks[limb], vn, hn_above) => logic<0xfc>(masks[limb], vn, hn_above)
edit_distance/limbs: add_passing(hp_here, hp_here) => hp_here + hp_here
edit_distance/limbs: v[LIMBS + limb] = hp_above & d0; => v[LIMBS + limb] = hp_here & d0;
",
];

#[test]
fn one_wrong_operator_in_strips_of_edit_distances_is_noticed() {
    let Some(gpu) = lock_gpu() else { return };
    let right = distance_by_strips(&gpu, |_| ());
    for edit in edits(DISTANCES[usize::from(support::is_cuda())]) {
        let found = distance_by_strips(&gpu, move |plan| damage(plan, &[edit]));
        assert_ne!(found, right, "{edit:?}");
    }
}

/// CUDA of whole tables: both edits of a row change the answers of two methods, tiled and by rows.
const TABLES: [[Edit; 2]; 2] = [
    [
        (
            "edit_distance/tiled",
            "code == wg_codes[column]",
            "code == wg_codes[0]",
        ),
        (
            "supersequence/row_wise",
            "wg_before[half + places[k]]",
            "wg_before[half]",
        ),
    ],
    [
        (
            "edit_distance/tiled",
            "min(over, value)",
            "max(over, value)",
        ),
        (
            "supersequence/row_values",
            "min(across, above + 1u)",
            "max(across, above + 1u)",
        ),
    ],
];

/// CUDA of midpoints by rows.
const MIDPOINT: Edit = (
    "supersequence/row_origins",
    "Entry(above.x + 1u, above.y)",
    "Entry(above.x + 1u, across.y)",
);

/// CUDA of wavefronts of furthest-reaching points.
const WAVEFRONTS: &str = "
diagonal_transition/wavefronts: (row + equal + 1u) => (row + min(equal, 1u) + 1u)
diagonal_transition/levenshtein: reach[-1]) + 1 => reach[-2]) + 1
diagonal_transition/levenshtein: + 1, reach[0]) => + 1, -(1 << 30))
";

#[test]
fn one_wrong_operator_in_cuda_of_tables_or_wavefronts_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| support::is_cuda()) else {
        return;
    };
    let right = table_answers(&gpu, |_| ());
    for edits in TABLES {
        let found = table_answers(&gpu, move |plan| _ = damage_where_used(plan, &edits));
        assert!(
            (1..3).all(|method| found[method] != right[method]),
            "{found:?} and {right:?}"
        );
    }
    let [right, _] = midpoints_of(&gpu, |_| ()).map(|cells| cells.expect("nothing is damaged"));
    match &midpoints_of(&gpu, |plan| _ = damage_where_used(plan, &[MIDPOINT]))[0] {
        Ok(found) => assert!(*found != right, "{MIDPOINT:?} went unnoticed"),
        Err(error) => assert!(matches!(error, Error::CertificateFailed(_)), "{error}"),
    }
    let pair = (20, 500);
    let right = distance_by_wavefronts(&gpu, pair, |_| ());
    for edit in edits(WAVEFRONTS) {
        let found = distance_by_wavefronts(&gpu, pair, move |plan| damage(plan, &[edit]));
        assert_ne!(found, right, "{edit:?}");
    }
}

#[test]
fn wavefronts_continue_past_a_greater_distance_found_elsewhere() {
    let Some(gpu) = lock_gpu() else { return };
    // As if another workgroup had found a distance before.
    let found = |plan: &mut Plan| {
        let met = plan
            .buffers
            .iter_mut()
            .find(|buffer| buffer.name == "met")
            .expect("it is there");
        met.contents = Contents::Words(vec![1 << 30].into());
    };
    // So similar that the first search finds the distance.
    let pair = (100, 50);
    assert_eq!(
        distance_by_wavefronts(&gpu, pair, found),
        distance_by_wavefronts(&gpu, pair, |_| ())
    );
}
