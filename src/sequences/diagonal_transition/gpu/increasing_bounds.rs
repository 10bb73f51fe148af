//! Wavefront search on a GPU with increasing bounds.

use super::choice::SearchChoice;
use super::search::search;
use crate::engine::Device;
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::shape::Shape;
use crate::sequences::codes::{Encoded, Symbol};
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::pair::Pair;
use crate::sequences::request::{Found, Outcome, Request};

/// Answer by wavefronts on a GPU. `None` if a sweep is expected to
/// be faster or the device lacks the memory.
pub(crate) async fn solve<R: WavefrontRecurrence, S: Symbol>(
    device: &Device<'_>,
    pair: Pair<'_, S>,
    codes: &Encoded,
    request: Request<'_>,
) -> Result<Option<Found>> {
    let whole = Shape::of(R::TABLE, codes.codes());
    let choice = SearchChoice::<R>::new(device.sizing(request.tuning), request, whole);
    let mut computed_cells = 0;
    // Later searches reuse the uploaded symbols.
    let session = device.open_session()?;
    let mut next = choice.first()?;
    while let Some(front) = next {
        request.control.add_total(front.all_points());
        let (found, cells) = search::<R, S>(&session, pair, codes, &front).await?;
        computed_cells += u128::from(cells);
        if found.is_some() || choice.is_enough(&front) {
            // Searches consist of full passes, so the distance found can exceed the limit.
            let (cost, path) = found.filter(|(cost, _)| *cost <= request.max_cost).unzip();
            let path = path.flatten();
            return Ok(Some(Found {
                path_mode: PathMode::Wavefronts.if_path(path.is_some()),
                answer: Outcome { cost, path },
                computed_cells,
            }));
        }
        next = choice.next(&front)?;
    }
    Ok(None)
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::call::control::Control;
    use crate::call::phases::Phases;
    use crate::edit_distance::wavefront::Levenshtein;
    use crate::edit_distance::{Mode, reference};
    use crate::lcs;
    use crate::lcs::wavefront::Indel;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::cost_estimate::CostEstimate;
    use crate::sequences::request::WAVEFRONT;

    #[test]
    fn wavefront_search_uploads_symbols_once() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let (control, phases) = (Control::default(), Phases::start());
        let device = backend.device(Duration::from_millis(60), &control, &phases);
        let mut random = Random::new(9);
        let (a, b) = (random.codes(900, 4), random.codes(900, 4));
        let codes = Encoded::new(&a, &b);
        for path in [false, true] {
            let request = Request {
                estimate: Some(CostEstimate::from_bound(50)),
                path,
                ..Request::new(WAVEFRONT, &control)
            };
            let before = backend.loads().len();
            let found = solve::<Levenshtein, _>(&device, codes.pair(), &codes, request);
            let found = pollster::block_on(found)
                .expect("it runs")
                .expect("wavefronts are asked for");
            assert_eq!(
                found.answer.cost,
                Some(reference::distance(&a, &b, Mode::Global))
            );
            let loads = &backend.loads()[before..];
            let symbols = |uploaded| vec![("symbols".to_string(), uploaded)];
            assert!(loads.len() >= 3 && loads[0] == symbols(true), "{loads:?}");
            assert!(
                loads[1..].iter().all(|load| *load == symbols(false)),
                "{loads:?}"
            );
        }
    }
    fn assert_cut<R: WavefrontRecurrence>(expected: impl Fn(&[u32], &[u32]) -> u64) {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(10);
        // The longest searches need several workgroups per wavefront, and meet at neither end.
        for (rows, cols) in [(1100, 1300), (1300, 1000)] {
            let (a, b) = (random.codes(rows, 4), random.codes(cols, 4));
            let codes = Encoded::new(&a, &b);
            for path in [false, true] {
                let control = Control::default();
                let estimate = Some(CostEstimate::from_bound(expected(&a, &b)));
                let request = || Request {
                    estimate,
                    path,
                    ..Request::new(WAVEFRONT, &control)
                };
                let found = backend.whole_and_split(async |device| {
                    solve::<R, _>(device, codes.pair(), &codes, request()).await
                });
                let [whole, cut] =
                    found.map(|found| found.expect("wavefronts are asked for").answer);
                assert_eq!(whole.cost, Some(expected(&a, &b)));
                assert_eq!(
                    (whole.cost, whole.path.is_some(), whole.path),
                    (cut.cost, path, cut.path)
                );
            }
        }
    }

    #[test]
    fn split_wavefront_passes_match_whole_ones() {
        assert_cut::<Levenshtein>(|a, b| reference::distance(a, b, Mode::Global));
        assert_cut::<Indel>(|a, b| (a.len() + b.len()) as u64 - 2 * lcs::reference::length(a, b));
    }
}
