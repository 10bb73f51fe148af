//! Sizes and layout of the strip sweep: pure arithmetic, no device.

use std::collections::HashMap;

use support::inputs::Random;
use swath::unstable::backend::Capabilities;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::plan::{PARAMS, Pass};
use swath::unstable::sequences::bit_parallel::band::Band;
use swath::unstable::sequences::bit_parallel::gpu::checkpoints::{CheckpointLayout, REPLAY_BYTES};
use swath::unstable::sequences::bit_parallel::gpu::plan::Sweep;
use swath::unstable::sequences::bit_parallel::gpu::tiling::{Tiling, limb_rows};
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};

fn discrete_gpu() -> Capabilities {
    let mut caps = Capabilities::default();
    caps.binding_bytes = 2 << 30;
    caps.buffer_bytes = 1 << 40;
    caps.chunk_bytes = 1 << 30;
    caps.workgroup_bytes = 48 << 10;
    caps.workgroup_lanes = 1024;
    caps.subgroup = Some(32);
    caps.compute_units = Some(132);
    caps
}

fn tiling(rows: u64, cols: u64, lanes: u32, steps: u32, columns: u32, directions: u32) -> Tiling {
    let shape = Shape::new(TableKind::Lcs, rows, cols, 4);
    let (matching, carry_exchange) = (Matching::Planes, CarryExchange::Workgroup);
    Tiling {
        shape,
        matching,
        carry_exchange,
        lanes,
        limbs: 2,
        limb_rows: limb_rows(false),
        columns,
        steps,
        directions,
    }
}

/// Small tilings of many proportions.
fn small_tilings() -> impl Iterator<Item = Tiling> {
    let mut random = Random::new(1);
    (0..400).map(move |_| {
        let (lanes, steps) = (random.pick(&[1, 2, 8, 32]), random.pick(&[1, 3, 4, 16, 64]));
        let (rows, cols) = (
            1 + random.below(62 * u64::from(lanes) * 9),
            1 + random.below(3000),
        );
        let whole = tiling(
            rows,
            cols,
            lanes,
            steps,
            random.pick(&[8, 16, 32]),
            random.pick(&[1, 2]),
        );
        let cost = random
            .pick(&[0, 100, 1000, u64::MAX])
            .max(rows.abs_diff(cols));
        Tiling {
            shape: whole.shape.within(cost),
            ..whole
        }
    })
}

/// Steps of a strip.
fn steps_of(tiling: &Tiling, direction: u32, strip: u64) -> std::ops::Range<i64> {
    let words = tiling.span(direction, strip);
    let drained = if words.is_empty() {
        0
    } else {
        u64::from(tiling.lanes) - 1
    };
    words.start as i64..(words.end + drained) as i64
}

#[test]
fn wavefronts_advance_every_strip_through_each_of_its_steps_once_and_in_order() {
    for tiling in small_tilings() {
        let mut done: Vec<Vec<_>> = (0..tiling.directions)
            .map(|direction| {
                (0..tiling.strips())
                    .map(|strip| steps_of(&tiling, direction, strip).start)
                    .collect()
            })
            .collect();
        let mut idle = 0;
        assert_eq!(tiling.wavefronts().count() as u64, tiling.passes());
        for (pass, wavefront) in (0..).zip(tiling.wavefronts()) {
            for strip in 0..tiling.strips() {
                let mut active = false;
                for direction in 0..tiling.directions {
                    // Steps of this pass in this strip, clamped as in the kernel.
                    let begin = pass * i64::from(tiling.steps) - (strip * tiling.lag()) as i64;
                    let steps = steps_of(&tiling, direction, strip);
                    let (first, end) = (
                        begin.max(steps.start),
                        (begin + i64::from(tiling.steps)).min(steps.end),
                    );
                    if first < end {
                        active = true;
                        let done = &mut done[direction as usize][strip as usize];
                        assert_eq!(*done, first, "strip {strip}, pass {pass}, {tiling:?}");
                        *done = end;
                    }
                }
                let swept = (wavefront.first..=wavefront.last).contains(&strip);
                assert!(swept || !active, "strip {strip}, pass {pass}, {tiling:?}");
                idle += u64::from(swept && !active);
            }
        }
        for (direction, done) in (0..).zip(&done) {
            let ends = (0..tiling.strips()).map(|strip| steps_of(&tiling, direction, strip).end);
            assert!(ends.eq(done.iter().copied()), "{done:?} {tiling:?}");
        }
        // With two directions a wavefront may contain a strip between those of the directions.
        assert!(idle == 0 || tiling.directions == 2, "{idle} {tiling:?}");
        assert!(idle <= tiling.passes(), "{idle} {tiling:?}");
    }
}

#[test]
fn strips_are_swept_through_every_cell_of_a_band_and_little_more() {
    let mut banded = 0;
    for tiling in small_tilings() {
        let (rows, cols, band) = (tiling.shape.rows, tiling.shape.cols, tiling.shape.band);
        let (strips, columns) = (tiling.table_strips(), u64::from(tiling.columns));
        for strip in 0..strips {
            let strip_rows =
                strip * tiling.strip_rows()..((strip + 1) * tiling.strip_rows()).min(rows);
            // The second direction's span, in the coordinates of the first.
            let mut spans = vec![tiling.span(0, strip)];
            if tiling.directions == 2 {
                let words = tiling.span(1, strips - 1 - strip);
                let mirrored = tiling.table_words() - words.end..tiling.table_words() - words.start;
                assert_eq!(spans[0].end, mirrored.start, "directions meet, {tiling:?}");
                spans.push(mirrored);
            }
            // The last row reaches farthest right, the first row farthest left.
            let held = |col: u64| {
                let (first, last) = (
                    strip_rows.start as i64 - col as i64,
                    (strip_rows.end - 1) as i64 - col as i64,
                );
                last >= band.low && first <= band.high
            };
            for col in 0..cols {
                let word = (col + tiling.front_columns(0)) / columns;
                let swept = spans.iter().any(|words| words.contains(&word));
                assert!(
                    swept || !held(col),
                    "strip {strip}, column {col}, {tiling:?}"
                );
            }
            let needed = (0..cols).filter(|&col| held(col)).count() as u64;
            let swept = spans
                .iter()
                .map(|words| words.end - words.start)
                .sum::<u64>()
                * columns;
            assert!(
                swept <= needed + tiling.strip_rows() + 5 * columns,
                "{tiling:?}"
            );
            banded += u64::from(swept + columns <= cols);
        }
        for direction in 0..tiling.directions {
            assert!(
                (0..tiling.strips_of(direction))
                    .all(|strip| !tiling.span(direction, strip).is_empty()),
                "{tiling:?}"
            );
            assert!(
                (tiling.strips_of(direction)..strips)
                    .all(|strip| tiling.span(direction, strip).is_empty())
            );
            let ends =
                (0..tiling.strips_of(direction)).map(|strip| tiling.span(direction, strip).end);
            assert!(
                ends.max().unwrap_or(0) <= tiling.words() && tiling.words() <= tiling.table_words(),
                "{tiling:?}"
            );
        }
    }
    assert!(banded > 100, "{banded}");
}

#[test]
fn two_directions_end_at_about_the_same_step() {
    for tiling in
        small_tilings().filter(|tiling| tiling.directions == 2 && tiling.shape.band == Band::WHOLE)
    {
        let (words, strips) = (tiling.table_words(), tiling.table_strips());
        let ends = |direction| {
            (0..strips).map(move |strip| strip * tiling.lag() + tiling.span(direction, strip).end)
        };
        let last = (0..2).flat_map(ends).max().unwrap_or(0);
        // Half of the steps from the first cell to the last, if the table is not much higher than
        // wide.
        if (strips - 1) * tiling.lag() < words {
            assert!(
                last <= (words + (strips - 1) * tiling.lag()).div_ceil(2) + 1,
                "{tiling:?}"
            );
        }
    }
}

#[test]
fn a_carry_word_is_read_in_a_later_pass_than_it_is_written_in() {
    for tiling in small_tilings() {
        let pass_of =
            |strip: u64, step: u64| (strip * tiling.lag() + step) / u64::from(tiling.steps);
        for direction in 0..tiling.directions {
            let mut last_write = HashMap::new();
            for strip in 0..tiling.strips() {
                for word in tiling.span(direction, strip) {
                    if let Some(&written) = last_write.get(&word) {
                        let written: u64 = written;
                        assert!(
                            written < pass_of(strip, word),
                            "strip {strip}, word {word}, {tiling:?}"
                        );
                    }
                    last_write.insert(word, pass_of(strip, word + u64::from(tiling.lanes) - 1));
                }
            }
            assert!(last_write.values().all(|&pass| pass < tiling.passes()));
        }
    }
}

#[test]
fn a_pass_hands_the_kernel_what_the_tiling_says() {
    // The order of `struct Params` in from_pass.wgsl; tests/tools/shaders.rs compares the names.
    let names = support::SWEEP_PARAMS;
    let mut compared = 0;
    for tiling in small_tilings()
        .filter(|tiling| tiling.directions == 1)
        .take(60)
    {
        let codes = |len: u64| vec![1; len as usize];
        let layout = CheckpointLayout::new(&tiling, 2, REPLAY_BYTES, 1 << 30)
            .expect("checkpoints are small");
        let sweep = Sweep::new(
            &tiling,
            Some(&layout),
            &codes(tiling.shape.rows),
            &codes(tiling.shape.cols),
        );
        let wavefronts: Vec<_> = (0..)
            .zip(tiling.wavefronts())
            .filter(|(_, wavefront)| wavefront.first <= wavefront.last)
            .collect();
        assert_eq!(sweep.plan.passes.len(), wavefronts.len());
        for (pass, (index, wavefront)) in sweep.plan.passes.iter().zip(wavefronts) {
            let checkpoint = &layout.checkpoints[(index / layout.passes) as usize];
            for (name, &value) in names.iter().zip(&pass.params) {
                let expected = match *name {
                    "first_strip" => wavefront.first,
                    "last_strip" => wavefront.last,
                    "strips" => tiling.strips(),
                    "directions" => u64::from(tiling.directions),
                    "words" => tiling.words(),
                    "pass_step" => index * u64::from(tiling.steps),
                    "lag" => tiling.lag(),
                    "direction_words" => tiling.padded_columns() / u64::from(tiling.columns),
                    "checkpoint_strip" => checkpoint.strips.start,
                    "checkpoint_strips" => checkpoint.strips.end - checkpoint.strips.start,
                    "checkpoint_words" => checkpoint.first_word,
                    "checkpoint_step" => index % layout.passes * u64::from(tiling.steps),
                    other => panic!("{other} is in the shader and not here"),
                };
                assert_eq!(
                    u64::from(value),
                    expected,
                    "{name} of pass {index}, {tiling:?}"
                );
                compared += 1;
            }
            assert_eq!(pass.params[names.len()..], [0; PARAMS][names.len()..]);
            let [x, y, z] = pass.groups.map(u64::from);
            assert_eq!((x * y, z), (wavefront.last - wavefront.first + 1, 1));
        }
    }
    assert!(compared > 1000);
}

#[test]
fn a_hundred_million_squared_plans_within_every_limit() {
    let mut plain = discrete_gpu();
    (plain.subgroup, plain.compute_units) = (None, None);
    for caps in [discrete_gpu(), plain] {
        for shared in [2, 4, 20, 26, 32] {
            let shape = Shape::new(TableKind::Lcs, 100_000_000, 100_000_000, shared);
            let tiling = Tiling::new(shape, &caps, &Tuning::default(), u64::MAX).expect("it plans");
            assert!(tiling.passes() > 1000, "{tiling:?}");
            let words = [
                tiling.state_words(),
                tiling.row_words(),
                tiling.column_words(),
                tiling.above_words(),
            ]
            .map(|n| n * 4);
            assert!(
                words.into_iter().all(|bytes| bytes <= caps.chunk_bytes),
                "{words:?} {tiling:?}"
            );
            // Steps are signed in the kernel; indices are unsigned words.
            assert!(
                tiling.passes() * u64::from(tiling.steps) < 1 << 31,
                "{tiling:?}"
            );
            assert!(tiling.strips() * tiling.lag() < 1 << 31, "{tiling:?}");
            assert!(tiling.padded_columns() < 1 << 31, "{tiling:?}");
        }
    }
}

#[test]
fn a_hundred_million_squared_is_planned_in_minutes_within_one_device() {
    let (caps, symbols, budget) = (discrete_gpu(), 100_000_000, 100 << 30);
    for (table, cost) in [
        (TableKind::Lcs, u64::MAX),
        (TableKind::Lcs, symbols / 10 * 7),
        (TableKind::Edit, u64::MAX),
        (TableKind::Edit, symbols / 10 * 5),
    ] {
        let shape = Shape::new(table, symbols, symbols, 4).within(cost);
        let whole = Tiling::new(shape, &caps, &Tuning::default(), budget).expect("it plans");
        let stored = Tiling::for_path(shape, &caps, &Tuning::default(), budget).expect("it plans");
        // The alignment by the whole table is halved until its boundaries fit.
        assert!(
            stored.is_some() || (table, cost) == (TableKind::Edit, u64::MAX),
            "{shape:?}"
        );
        if let Some((stored, layout)) = &stored {
            assert!(stored.size_bytes() + layout.size_bytes(stored) <= budget);
            // With enough memory, long tables do not use large checkpoints either.
            let checkpoint_columns = layout.steps(stored) * u64::from(stored.columns);
            assert!(
                shape.band == Band::WHOLE || checkpoint_columns <= 1 << 15,
                "{checkpoint_columns} columns, {stored:?}"
            );
        }
        for tiling in [whole].into_iter().chain(stored.map(|(tiling, _)| tiling)) {
            let plan_bytes = tiling.passes() * size_of::<Pass>() as u64;
            assert!(
                plan_bytes <= 64 << 20,
                "{plan_bytes} bytes of passes on the host, {tiling:?}"
            );
            let seconds = tiling.seconds(&caps);
            assert!((30.0..600.0).contains(&seconds), "{seconds} s, {tiling:?}");
        }
    }
}

#[test]
fn a_path_of_ten_million_stores_checkpoints_in_chunks_of_one_gibibyte() {
    let shape = Shape::new(TableKind::Lcs, 10_000_000, 10_000_000, 4);
    let caps = discrete_gpu();
    let path =
        |budget| Tiling::for_path(shape, &caps, &Tuning::default(), budget).expect("it plans");
    for budget in [u64::MAX, 64 << 30, 8 << 30, 2 << 30] {
        let (tiling, layout) = path(budget).expect("it fits");
        assert!(tiling.size_bytes() + layout.size_bytes(&tiling) <= budget);
        assert!(
            layout
                .chunk_words
                .iter()
                .all(|words| words * 4 <= caps.chunk_bytes),
            "{:?}",
            layout.chunk_words
        );
        assert_eq!(
            layout.checkpoints.len() as u64,
            tiling.passes().div_ceil(layout.passes)
        );
        for checkpoint in &layout.checkpoints {
            assert!(checkpoint.first_word < layout.chunk_words[checkpoint.chunk]);
        }
    }
    assert_eq!(path(1 << 10), None);
}

#[test]
fn checkpoints_of_one_chunk_follow_each_other_without_overlap() {
    for tiling in small_tilings().filter(|tiling| tiling.lanes > 1).take(100) {
        for passes in [1, 4, 64] {
            let Some(layout) = CheckpointLayout::new(&tiling, passes, REPLAY_BYTES, 1 << 16) else {
                continue;
            };
            let record = layout.record_words(&tiling);
            let wavefronts: Vec<_> = tiling.wavefronts().collect();
            let mut next = vec![0; layout.chunk_words.len()];
            for (index, checkpoint) in layout.checkpoints.iter().enumerate() {
                let first = index as u64 * passes;
                let last = (first + passes).min(tiling.passes()) - 1;
                // Every strip of the checkpoint's passes has a record.
                let wavefronts = wavefronts[first as usize..=last as usize]
                    .iter()
                    .filter(|wavefront| wavefront.first <= wavefront.last);
                let (low, high) = wavefronts.fold((u64::MAX, 0), |(low, high), wavefront| {
                    (low.min(wavefront.first), high.max(wavefront.last))
                });
                assert_eq!(
                    checkpoint.first_word, next[checkpoint.chunk],
                    "{tiling:?} {layout:?}"
                );
                let strips = (high + 1).saturating_sub(checkpoint.strips.start)
                    * u64::from(tiling.directions);
                let until = checkpoint.first_word + strips * record;
                assert!(
                    low >= checkpoint.strips.start && until <= layout.chunk_words[checkpoint.chunk],
                    "{tiling:?} {layout:?}"
                );
                next[checkpoint.chunk] = until;
            }
        }
    }
}

#[test]
fn the_cost_model_prefers_a_table_for_few_symbols_and_planes_for_many() {
    let plan = |shared| {
        let shape = Shape::new(TableKind::Lcs, 1_000_000, 1_000_000, shared);
        Tiling::new(shape, &discrete_gpu(), &Tuning::default(), u64::MAX)
            .expect("it plans")
            .matching
    };
    assert_eq!(plan(1 << 20), Matching::Planes);
    assert_eq!(plan(12), Matching::Table);
}
