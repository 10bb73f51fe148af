//! Passes that are left out, or in another order, and damaged uploads change the answers of calls.

use std::sync::Arc;

use support::{is_cuda, lock_gpu};
use swath::edit_distance::Method::{AntiDiagonal, Tiled};
use swath::parenthesization::Method as TreeMethod;
use swath::substring::Method as SubstringMethod;
use swath::supersequence::Method as ScsMethod;
use swath::unstable::kernels::{Launch, UserShader};
use swath::unstable::plan::{Contents, Plan};

use super::calls::{self, Call};
use super::{assert_noticed, undamaged};

type Change = fn(&mut Plan);

/// Requires that the answer of a call changes with each change of the plans that have a kernel.
#[track_caller]
fn assert_changes_noticed(call: Call, stem: &'static str, changes: &[(&str, Change)]) {
    let Some(gpu) = lock_gpu() else { return };
    let expected = undamaged(&gpu, call);
    for &(name, change) in changes {
        let name = format!("{stem}: {name}");
        assert_noticed(&gpu, (call, &expected), &name, move |plan| {
            let is_meant = plan.kernels.iter().any(|kernel| kernel.stem == stem);
            if is_meant {
                change(plan);
            }
            usize::from(is_meant)
        });
    }
}

const LAST: (&str, Change) = ("the last pass left out", |plan| _ = plan.passes.pop());
const REVERSED: (&str, Change) = ("passes reversed", |plan| plan.passes.reverse());

/// In chained kernels all passes from there on are left out.
const MIDDLE: (&str, Change) = ("a pass in the middle left out", |plan| {
    let middle = plan.passes.len() / 2;
    let mut kernels = plan.kernels.iter();
    if kernels.any(|kernel| kernel.launch == Launch::Chained) {
        plan.passes.truncate(middle);
    } else {
        plan.passes.remove(middle);
    }
});

/// Makes the first pass of a kernel do nothing.
pub fn skip(plan: &mut Plan, stem: &str) {
    let mut passes = plan.passes.iter_mut();
    let first = passes.find(|pass| plan.kernels[pass.kernel].stem == stem);
    first.expect("there is one").groups = [0; 3];
}

/// Words that a plan uploads to a buffer.
fn upload<'a>(plan: &'a mut Plan, name: &str) -> &'a mut Vec<u32> {
    let mut buffers = plan.buffers.iter_mut();
    let buffer = buffers.find(|buffer| buffer.name == name).expect(name);
    let Contents::Words(words) = &mut buffer.contents else {
        panic!("{name} is uploaded")
    };
    Arc::make_mut(words)
}

#[test]
fn damage_to_the_plan_of_a_strip_sweep_is_noticed() {
    const STEM: &str = "bit_parallel/strip_sweep";
    assert_changes_noticed(
        calls::planes,
        STEM,
        &[
            ("the first pass left out", |plan| _ = plan.passes.remove(0)),
            ("a pass left out", |plan| _ = plan.passes.remove(7)),
            LAST,
            REVERSED,
        ],
    );
    assert_changes_noticed(
        calls::table,
        STEM,
        &[
            ("a workgroup too few", |plan| {
                let mut passes = plan.passes.iter_mut();
                let pass = passes.rfind(|pass| pass.groups[0] > 1);
                pass.expect("strips side by side").groups[0] -= 1;
            }),
            // Rows that increase the length before the first column matter most at the top. Codes
            // that no symbol has would lie outside of the mask table.
            ("a word of the state", |plan| {
                upload(plan, "state")[0] ^= 0x7fff_ffff
            }),
            ("a word of the rows", |plan| {
                upload(plan, "row planes")[37] ^= 0x0303_0303
            }),
            ("a word of the columns", |plan| {
                upload(plan, "column codes")[230] = 0
            }),
        ],
    );
    // Starts and ends of spans alternate.
    assert_changes_noticed(
        |engine| calls::band(engine, false),
        STEM,
        &[("spans that start later", |plan| {
            let starts = upload(plan, "spans").iter_mut().step_by(2);
            starts.for_each(|start| *start += 1);
        })],
    );
    assert_changes_noticed(
        |engine| calls::band(engine, true),
        STEM,
        &[("spans that end earlier", |plan| {
            let ends = upload(plan, "spans").iter_mut().skip(1).step_by(2);
            ends.for_each(|end| *end -= 1);
        })],
    );
    assert_changes_noticed(calls::pieces, STEM, &[MIDDLE]);
    assert_changes_noticed(
        |engine| calls::supersequence(engine, ScsMethod::BitParallel, false),
        STEM,
        &[MIDDLE],
    );
    if !is_cuda() {
        assert_changes_noticed(calls::planes, STEM, &[("a stub with its bindings", stub)]);
    }
}

fn stub(plan: &mut Plan) {
    let wgsl = "struct Params { strips: u32 }
        @group(0) @binding(0) var<storage, read_write> state: array<u32>;
        @group(0) @binding(1) var<storage, read> rows: array<u32>;
        @group(0) @binding(2) var<storage, read> columns: array<u32>;
        @group(0) @binding(3) var<storage, read_write> above: array<u32>;
        @compute @workgroup_size(LANES) fn main() {
            _ = state[0] + rows[0] + columns[0] + above[0] + params.strips;
        }";
    let kernel = &mut plan.kernels[0];
    kernel.parts.clear();
    kernel.user_shaders.push(UserShader {
        stem: kernel.stem,
        wgsl,
        cuda: None,
        unchecked: false,
    });
}

#[test]
fn damage_to_the_plan_of_wavefronts_is_noticed() {
    assert_changes_noticed(
        calls::wavefronts,
        "diagonal_transition/wavefronts",
        &[
            ("passes left out", |plan| {
                plan.passes.retain(|pass| pass.params[3] != 7 * 32)
            }),
            ("a workgroup too few", |plan| {
                let passes = plan.passes.iter_mut();
                passes.for_each(|pass| pass.groups[0] -= pass.groups[0].min(2) / 2)
            }),
        ],
    );
}

#[test]
fn damage_to_the_plan_of_a_whole_table_is_noticed() {
    let calls: [(Call, &str); 4] = [
        (
            |engine| calls::distance(engine, AntiDiagonal, 300, 280),
            "anti_diagonal/sweep",
        ),
        (
            |engine| calls::distance(engine, Tiled, 300, 280),
            "edit_distance/tiled",
        ),
        (
            |engine| calls::supersequence(engine, ScsMethod::RowWise, false),
            "supersequence/row_wise",
        ),
        (
            |engine| calls::supersequence(engine, ScsMethod::AntiDiagonal, false),
            "anti_diagonal/sweep",
        ),
    ];
    for (call, stem) in calls {
        assert_changes_noticed(call, stem, &[LAST, REVERSED, MIDDLE]);
    }
    // The last pass of a path follows the midpoints.
    let paths: [Call; 2] = [
        |engine| calls::supersequence(engine, ScsMethod::RowWise, true),
        |engine| calls::supersequence(engine, ScsMethod::AntiDiagonal, true),
    ];
    for call in paths {
        assert_changes_noticed(
            call,
            "supersequence/midpoints",
            &[
                LAST,
                ("the last of the table left out", |plan| {
                    plan.passes.remove(plan.passes.len() - 2);
                }),
                ("another last place", |plan| {
                    plan.passes.last_mut().expect("passes").params[2] -= 100
                }),
            ],
        );
    }
}

#[test]
fn damage_to_the_plan_of_a_search_for_substrings_is_noticed() {
    assert_changes_noticed(
        |engine| calls::substrings(engine, SubstringMethod::Cascade),
        "substring/visit",
        &[("a pass left out", |plan| skip(plan, "substring/visit"))],
    );
    assert_changes_noticed(
        |engine| calls::substrings(engine, SubstringMethod::SortAndScan),
        "substring/hash_windows",
        &[("a pass left out", |plan| {
            skip(plan, "substring/hash_windows")
        })],
    );
}

#[test]
fn damage_to_the_plan_of_a_sort_is_noticed() {
    assert_changes_noticed(
        |engine| calls::sorted(engine, true),
        "sort/downsweep",
        &[
            LAST,
            ("the first upsweep left out", |plan| {
                _ = plan.passes.remove(0)
            }),
            ("a scan left out", |plan| _ = plan.passes.remove(2)),
            ("digits in another order", |plan| {
                let passes = plan.passes.iter_mut();
                passes.for_each(|pass| pass.params[6] = (pass.params[6] + 8) % 32)
            }),
            ("a bit of a digit left out", |plan| {
                plan.passes
                    .iter_mut()
                    .for_each(|pass| pass.params[7] &= 0x7f)
            }),
        ],
    );
}

/// Kernels of the plan: histogram, scan and pass of a digit.
#[test]
fn damage_to_the_plan_of_onesweep_on_cuda_is_noticed() {
    if !is_cuda() {
        return;
    }
    assert_changes_noticed(
        calls::onesweep,
        "sort/onesweep",
        &[
            LAST,
            ("the counts of some keys left out", |plan| {
                _ = plan.passes.remove(1)
            }),
            ("the scan left out", |plan| {
                plan.passes.retain(|pass| pass.kernel != 1)
            }),
            ("digits in another order", |plan| {
                let passes = plan.passes.iter_mut().filter(|pass| pass.kernel == 2);
                passes.for_each(|pass| {
                    pass.params[2] = (pass.params[2] + 8) % 32;
                    pass.params[4] = (pass.params[4] + 256) % 1024;
                })
            }),
            ("one ticket for all digits", |plan| {
                let mut passes = plan.passes.iter_mut().filter(|pass| pass.kernel == 2);
                let first = passes.next().expect("there is one").params[5];
                passes.for_each(|pass| pass.params[5] = first)
            }),
            ("fewer keys", |plan| {
                let passes = plan.passes.iter_mut().filter(|pass| pass.kernel != 1);
                passes.for_each(|pass| pass.params[0] -= 1)
            }),
        ],
    );
}

#[test]
fn damage_to_the_plan_of_a_table_of_trees_is_noticed() {
    let calls: [(Call, &str); 3] = [
        (
            |engine| calls::chain(engine, TreeMethod::Tiled),
            "parenthesization/tiled_wavefront",
        ),
        (
            |engine| calls::chain(engine, TreeMethod::Adaptive),
            "parenthesization/adaptive",
        ),
        (
            |engine| calls::chain(engine, TreeMethod::ThreadPerSubproblem),
            "parenthesization/thread_per_subproblem",
        ),
    ];
    for (call, stem) in calls {
        assert_changes_noticed(
            call,
            stem,
            &[
                ("pass 1 left out", |plan| _ = plan.passes.remove(1)),
                ("pass 3 left out", |plan| _ = plan.passes.remove(3)),
                REVERSED,
                // After those of the table.
                ("the first pass of the tree left out", |plan| {
                    let tree = plan.kernels.len() - 1;
                    let mut passes = plan.passes.iter();
                    let place = passes.position(|pass| pass.kernel == tree);
                    plan.passes.remove(place.expect("there is one"));
                }),
            ],
        );
        if stem != "parenthesization/adaptive" {
            let fewer: (&str, Change) = ("a row too few in a pass", |plan| {
                plan.passes[1..5]
                    .iter_mut()
                    .for_each(|pass| pass.groups[0] -= 1)
            });
            assert_changes_noticed(call, stem, &[fewer]);
        }
    }
    let (tiled, stem) = calls[0];
    assert_changes_noticed(
        tiled,
        stem,
        &[
            ("pass 0 left out", |plan| _ = plan.passes.remove(0)),
            ("a column too few in a pass", |plan| {
                plan.passes[1..5]
                    .iter_mut()
                    .for_each(|pass| pass.groups[1] -= 1)
            }),
        ],
    );
}
