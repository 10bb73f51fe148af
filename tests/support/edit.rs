//! Shared by the edit distance tests.

use std::fmt::Debug;

use super::calls::Calls;
use super::inputs::paste;
use super::{block, cpu};
use swath::edit_distance::{Distance, EditDistance, Gaps, Method, Mode};
use swath::unstable::edit_distance::{EditOptions, reference};
use swath::{Block, Engine, Report, Symbol};

pub fn options(method: Method, path: bool) -> EditOptions {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    options
}

pub fn with(mut options: EditOptions, change: impl FnOnce(&mut EditOptions)) -> EditOptions {
    change(&mut options);
    options
}

pub fn solved<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Report<EditDistance> {
    engine
        .edit_distance_with(a, b, options)
        .unwrap_or_else(|error| panic!("{error}\n{options:?}"))
}

/// Blocks of the canonical alignment.
pub fn expected<S: PartialEq>(a: &[S], b: &[S]) -> Vec<Block> {
    let path = crate::canonical(a, b, |a, b| reference::path(a, b).as_slice().to_vec());
    path.blocks().to_vec()
}

/// Requires the distance and the canonical alignment from all methods, including those without
/// paths, and from bounds around the distance.
#[track_caller]
pub fn assert_answers_of<S: Symbol + Debug>(
    methods: &[Method],
    engine: &Engine,
    a: &[S],
    b: &[S],
    input: &dyn Debug,
) {
    let distance = reference::distance(a, b, Mode::Global);
    let path = expected(a, b);
    for method in [Method::AntiDiagonal, Method::Tiled] {
        let answer = solved(engine, a, b, &options(method, false));
        assert_eq!(
            answer.distance,
            Distance::Exactly(distance),
            "{method:?} {input:?}\n{}",
            paste(a, b)
        );
    }
    for &method in methods {
        let shown = || format!("{method:?}\n{input:?}\n{}", paste(a, b));
        let answer = solved(engine, a, b, &options(method, false));
        assert_eq!(answer.distance, Distance::Exactly(distance), "{}", shown());
        let answer = solved(engine, a, b, &options(method, true));
        assert_eq!(answer.distance, Distance::Exactly(distance), "{}", shown());
        let alignment = answer.alignment.clone().expect("it was asked for");
        assert!(
            alignment.blocks() == path,
            "{:?}\nnot {path:?}\n{}",
            alignment.blocks(),
            shown()
        );
        alignment
            .verify(a, b, distance)
            .expect("it proves the distance");
        let max = a.len().max(b.len()) as u64;
        for bound in [0, distance.saturating_sub(1), distance, distance + 1, max] {
            for path in [false, true] {
                let bounded = with(options(method, path), |call_options| {
                    call_options.max_distance = Some(bound.min(max))
                });
                let answer = solved(engine, a, b, &bounded);
                if distance <= bound.min(max) {
                    assert_eq!(
                        answer.distance,
                        Distance::Exactly(distance),
                        "at most {bound}\n{}",
                        shown()
                    );
                } else {
                    assert_eq!(answer.distance, Distance::MoreThan(bound), "{}", shown());
                }
                assert_eq!(
                    answer.alignment.is_some(),
                    path && distance <= bound,
                    "at most {bound}\n{}",
                    shown()
                );
            }
        }
    }
}

/// Requires every piece with its start, the alignment to the first, and bounds around the distance.
#[track_caller]
pub fn assert_pieces_by<S: Symbol + Debug>(engine: &Engine, methods: &[Method], a: &[S], b: &[S]) {
    for mode in [Mode::Prefix, Mode::Infix] {
        if mode == Mode::Infix && a.is_empty() {
            continue;
        }
        let (distance, ends) = reference::ends(a, b, mode);
        for &method in methods {
            let shown = || format!("{mode:?} {method:?}\n{}", paste(a, b));
            let call_options = with(options(method, true), |call_options| {
                call_options.mode = mode;
                call_options.starts = true;
            });
            let answer = solved(engine, a, b, &call_options);
            assert_eq!(answer.distance, Distance::Exactly(distance), "{}", shown());
            assert_eq!(
                answer.run.device == "cpu",
                std::ptr::eq(engine, cpu()),
                "{}",
                shown()
            );
            assert_eq!(
                answer
                    .pieces
                    .iter()
                    .map(|piece| piece.end)
                    .collect::<Vec<_>>(),
                ends,
                "{}",
                shown()
            );
            for piece in answer.pieces.iter().take(5) {
                let start = piece.start.expect("it was asked for");
                let expected = if mode == Mode::Prefix {
                    0
                } else {
                    reference::start(a, b, piece.end, distance)
                };
                assert_eq!(start, expected, "{}", shown());
                assert_eq!(
                    reference::distance(a, &b[start..piece.end], Mode::Global),
                    distance,
                    "{}",
                    shown()
                );
            }
            let alignment = answer.alignment.clone().expect("it was asked for");
            let first = answer.pieces[0];
            assert_eq!(
                Some(alignment.piece()),
                first.start.map(|start| start..first.end)
            );
            alignment
                .verify(a, b, distance)
                .expect("it proves the distance");
            let blocks = expected(a, &b[alignment.piece()]);
            let blocks = blocks.iter().map(|run| Block {
                b: run.b + alignment.piece().start,
                ..*run
            });
            assert!(blocks.eq(alignment.blocks().iter().copied()), "{}", shown());
            for bound in [0, distance.saturating_sub(1), distance] {
                let call_options = with(options(method, false), |call_options| {
                    call_options.mode = mode;
                    call_options.max_distance = Some(bound);
                });
                let answer = solved(engine, a, b, &call_options);
                assert_eq!(
                    answer.distance.exactly(),
                    (distance <= bound).then_some(distance),
                    "{bound} {}",
                    shown()
                );
                assert_eq!(
                    answer.pieces.len(),
                    if distance <= bound { ends.len() } else { 0 },
                    "{}",
                    shown()
                );
            }
        }
    }
}

/// True if no gap can move farther to its side, through a pair of equal symbols of which one enters
/// the gap and the other leaves it.
pub fn gaps_are_at<S: PartialEq>(side: Gaps, blocks: &[Block], a: &[S], b: &[S]) -> bool {
    let ends = [block(0, 0, 0), block(a.len(), b.len(), 0)];
    let all = [&ends[..1], blocks, &ends[1..]].concat();
    all.windows(2).all(|pair| {
        let (before, after) = (pair[0], pair[1]);
        let gap_a = before.a + before.len..after.a;
        let gap_b = before.b + before.len..after.b;
        let enters = if side == Gaps::Left {
            before.len > 0
        } else {
            after.len > 0
        };
        match (gap_a.is_empty(), gap_b.is_empty(), side) {
            _ if !enters => true,
            (false, true, Gaps::Left) => a[gap_a.start - 1] != a[gap_a.end - 1],
            (false, true, Gaps::Right) => a[gap_a.end] != a[gap_a.start],
            (true, false, Gaps::Left) => b[gap_b.start - 1] != b[gap_b.end - 1],
            (true, false, Gaps::Right) => b[gap_b.end] != b[gap_b.start],
            _ => true,
        }
    })
}
