//! Strip sweep on a GPU: planned by [`tiling`], run in slices, read back and traced.

mod banded;
mod boundaries;
pub mod checkpoints;
mod choice;
mod coding;
mod cost;
pub mod embedded;
mod expected_path;
mod meeting_line;
pub mod plan;
mod sizing;
mod tiles;
pub mod tiling;
mod traceback_chunks;
mod wavefronts;

use super::hirschberg::{Split, Sweep, Table};
use super::recurrence::{Column, Recurrence};
use crate::backend::Session;
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::Result;
use crate::host::threads::join;
use crate::plan::Resident;
use crate::sequences::bit_parallel::shape::{Shape, TableKind};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Codes;
use crate::sequences::course::Course;
use crate::sequences::tuning::Tuning;
pub(crate) use banded::search;
use boundaries::Traceback;
use checkpoints::CheckpointLayout;
use meeting_line::SweepResult;
pub(crate) use sizing::Sizing;
use tiles::Tiles;
use tiling::Tiling;
use traceback_chunks::{Boundaries, PendingChunk};

#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuSweep<'a> {
    pub device: &'a Device<'a>,
    pub tuning: Tuning,
    /// Cost bound of the swept band, as in [`Shape::within`].
    pub bound: u64,
}

impl<'a> GpuSweep<'a> {
    pub(crate) fn new(device: &'a Device<'a>, tuning: Tuning) -> Self {
        Self {
            device,
            tuning,
            bound: u64::MAX,
        }
    }

    pub(crate) fn sizing(&self) -> Sizing<'a> {
        self.device.sizing(self.tuning)
    }

    /// Shape of the band of all optimal paths.
    fn shape(&self, kind: TableKind, table: Table<'_>) -> Shape {
        let bound = self.bound.min(table.max_cost);
        Shape::of(kind, table.codes).within(bound)
    }

    async fn sweep(
        &self,
        session: &Session<'_>,
        tiling: &Tiling,
        Codes { a, b, .. }: Codes<'_>,
    ) -> Result<Vec<u32>> {
        let make = |resident: &Resident| plan::Sweep::with_resident(resident, tiling, None, a, b);
        let spans = |sweep: &plan::Sweep| meeting_line::spans(tiling, sweep);
        let ((_, words), _) = session.round(&make, &spans, &|_| Ok(())).await?;
        Ok(words)
    }

    /// Last value of the table or of its band, and the cell where the canonical path crosses the
    /// meeting line, if the band contains the path.
    async fn split<R: Recurrence>(
        &self,
        session: &Session<'_>,
        tiling: &Tiling,
        codes: Codes<'_>,
    ) -> Result<(i64, Split)> {
        let words = self.sweep(session, tiling, codes).await?;
        let result = meeting_line::decode::<R>(&words, tiling);
        let ((row, col), [before, behind]) = (result.midpoint, result.values);
        let max_costs = [
            R::cost(before, row, col),
            R::cost(behind, codes.a.len() - row, codes.b.len() - col),
        ];
        self.device.phases.lap(Phase::Meet);
        let split = Split {
            row,
            col,
            max_costs,
        };
        Ok((result.value(), split))
    }

    pub(crate) async fn value<R: Recurrence>(&self, codes: Codes<'_>) -> Result<i64> {
        self.value_in::<R>(&self.device.open_session()?, codes)
            .await
    }

    /// [`value`](Self::value) in a session that may hold the sequences already.
    async fn value_in<R: Recurrence>(
        &self,
        session: &Session<'_>,
        codes: Codes<'_>,
    ) -> Result<i64> {
        let shape = Shape::of(R::TABLE, codes).within(self.bound);
        let tiling = self.sizing().length_tiling(shape)?;
        let words = self.sweep(session, &tiling, codes).await?;
        let result = meeting_line::decode::<R>(&words, &tiling);
        self.device.phases.lap(Phase::Meet);
        Ok(result.value())
    }

    pub(crate) async fn last_column(&self, table: TableKind, codes: Codes<'_>) -> Result<Column> {
        let tuning = Tuning {
            directions: Some(1),
            ..self.tuning
        };
        let sizing = self.device.sizing(tuning);
        let tiling = sizing.length_tiling(Shape::of(table, codes))?;
        let spans = |sweep: &plan::Sweep| meeting_line::spans(&tiling, sweep);
        let ran = self
            .device
            .run(
                &|| plan::Sweep::new(&tiling, None, codes.a, codes.b),
                &spans,
            )
            .await?;
        Ok(meeting_line::last_column(&ran.words, &tiling))
    }
}

impl<R: Recurrence> Sweep<R> for GpuSweep<'_> {
    async fn midpoint(&mut self, table: Table<'_>) -> Result<Split> {
        let tiling = self.sizing().midpoint_tiling(self.shape(R::TABLE, table))?;
        let session = self.device.open_session()?;
        Ok(self.split::<R>(&session, &tiling, table.codes).await?.1)
    }

    async fn stored_path(&mut self, table: Table<'_>) -> Result<Option<Blocks>> {
        let shape = self.shape(R::TABLE, table);
        let Some((tiling, layout)) = self.sizing().path_tiling(shape)? else {
            return Ok(None);
        };
        let session = self.device.open_session()?;
        let sweep = StoredSweep::sweep::<R>(&session, tiling, layout, table.codes).await?;
        sweep.walk::<R>().await.map(Some)
    }
}

struct StoredSweep<'a> {
    session: &'a Session<'a>,
    codes: Codes<'a>,
    tiling: Tiling,
    layout: CheckpointLayout,
    sweep: plan::Sweep,
    result: SweepResult,
    course: Course,
    ahead: Vec<Option<PendingChunk>>,
}

impl<'a> StoredSweep<'a> {
    async fn sweep<R: Recurrence>(
        session: &'a Session<'a>,
        tiling: Tiling,
        layout: CheckpointLayout,
        codes: Codes<'a>,
    ) -> Result<Self> {
        let Codes { a, b, .. } = codes;
        let make = |resident: &Resident| {
            plan::Sweep::with_resident(resident, &tiling, Some(&layout), a, b)
        };
        let course = session
            .device
            .on_threads(|| Course::of(a, b, R::MISMATCHES));
        // During the sweep, prefetch the chunks around the expected meeting point.
        let behind = |sweep: &plan::Sweep| {
            let boundaries = Boundaries {
                session,
                sweep,
                tiling: &tiling,
                layout: &layout,
                course: &course,
            };
            (0..tiling.directions)
                .map(|direction| boundaries.ahead(direction))
                .collect::<Result<Vec<_>>>()
        };
        let ran = session
            .round(&make, &|sweep| meeting_line::spans(&tiling, sweep), &behind)
            .await?;
        let ((sweep, words), ahead) = ran;
        let result = meeting_line::decode::<R>(&words, &tiling);
        session.device.phases.lap(Phase::Meet);
        Ok(Self {
            session,
            codes,
            tiling,
            layout,
            sweep,
            result,
            course,
            ahead: ahead.unwrap_or_default(),
        })
    }

    /// Canonical path, if the band contains it.
    async fn walk<R: Recurrence>(self) -> Result<Blocks> {
        let Codes { a, b, alphabet } = self.codes;
        let (row, col) = self.result.midpoint;
        let mut ahead = self.ahead.into_iter();
        let (before, behind) = (ahead.next().flatten(), ahead.next().flatten());
        let (session, device) = (self.session, &self.session.device);
        device.control.set_phase(Phase::Path);
        let boundaries = Boundaries {
            session,
            sweep: &self.sweep,
            tiling: &self.tiling,
            layout: &self.layout,
            course: &self.course,
        };
        let part = |a, b| Codes { a, b, alphabet };
        let parts = [part(&a[..row], &b[..col]), part(&a[row..], &b[col..])];
        let tiles = |direction: u32| {
            let Codes { a, b, .. } = parts[direction as usize];
            Tiles::new(&self.tiling, &self.layout, direction, a.len(), b.len())
        };
        let tiles = [tiles(0), tiles(1)];
        let mut before = Traceback::<R, false>::new(boundaries, &tiles[0], parts[0], before);
        // With a single direction, the second part is empty.
        let mut behind = Traceback::<R, true>::new(boundaries, &tiles[1], parts[1], behind);
        loop {
            let fetched = [before.fetch()?, behind.fetch()?];
            if fetched == [false, false] {
                break;
            }
            device.phases.lap(Phase::Trace);
            before.arrive().await?;
            behind.arrive().await?;
            device.phases.lap(Phase::Readback);
            let (before, behind) = device.on_threads(|| join(|| before.cross(), || behind.cross()));
            before?;
            behind?;
        }
        let mut behind = behind.finish();
        behind.origin = (a.len(), b.len());
        let path = before.finish().join(behind);
        device.phases.lap(Phase::Trace);
        Ok(path)
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::edit_distance;
    use crate::edit_distance::Mode;
    use crate::lcs;
    use crate::sequences::bit_parallel::hirschberg::path_through;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};
    use crate::sequences::codes::Encoded;

    fn assert_cut<R: Recurrence>(backend: &RecordingBackend, codes: &Encoded, value: u64) {
        for directions in [1, 2] {
            let tuning = Tuning {
                limbs: Some(2),
                steps: Some(8),
                directions: Some(directions),
                ..Tuning::default()
            };
            let [whole, cut] = backend.whole_and_split(async |device| {
                GpuSweep::new(device, tuning)
                    .value::<R>(codes.codes())
                    .await
            });
            assert_eq!(
                (whole, cut),
                (value as i64, value as i64),
                "{directions} directions"
            );
        }
    }

    #[test]
    fn split_sweep_passes_match_whole_ones() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(11);
        let (a, b) = (random.codes(5000, 4), random.codes(900, 4));
        let codes = Encoded::new(&a, &b);
        assert_cut::<Edit>(
            &backend,
            &codes,
            edit_distance::reference::distance(&a, &b, Mode::Global),
        );
        assert_cut::<Lcs>(&backend, &codes, lcs::reference::length(&a, &b));
    }

    fn assert_split<R: Recurrence>(
        backend: &RecordingBackend,
        codes: &Encoded,
        reference: impl Fn(&[u32], &[u32]) -> Blocks,
    ) {
        let codes = codes.codes();
        let Codes { a, b, .. } = codes;
        let cost_of = |a: &[u32], b: &[u32]| R::path_cost(&reference(a, b), a, b);
        let (path, cost) = (reference(a, b), cost_of(a, b));
        for (directions, bound) in [(2, u64::MAX), (2, cost), (1, cost)] {
            let tuning = Tuning {
                limbs: Some(2),
                steps: Some(4),
                directions: Some(directions),
                ..Tuning::default()
            };
            let [found, _] = backend.whole_and_split(async |device| {
                let sweep = GpuSweep {
                    bound,
                    ..GpuSweep::new(device, tuning)
                };
                let whole = Shape::of(R::TABLE, codes).within(bound);
                let tiling = sweep.sizing().midpoint_tiling(whole)?;
                let session = device.open_session()?;
                let (value, split) = sweep.split::<R>(&session, &tiling, codes).await?;
                session.give_back();
                let mut sweep = sweep;
                let through = path_through::<R, _>(&mut sweep, codes, split).await?;
                Ok((value, split, through.0))
            });
            let (value, split, through) = found;
            assert_eq!(R::cost(value, a.len(), b.len()), cost);
            let Split { row, col, .. } = split;
            let costs = [cost_of(&a[..row], &b[..col]), cost_of(&a[row..], &b[col..])];
            assert_eq!(split.max_costs, costs, "{split:?}");
            assert_eq!(through, path, "{split:?}");
        }
    }

    #[test]
    fn parts_of_a_split_have_their_costs_as_bounds() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(12);
        for (rows, cols) in [(1500, 1200), (500, 1100)] {
            let a = random.codes(rows, 4);
            let b = random.codes(cols, 4);
            // A long insertion before similar ends: the costs of the parts differ.
            let similar = [&a[rows / 2..], &b[..100]].concat();
            for b in [b, similar] {
                let codes = Encoded::new(&a, &b);
                let subsequence = |a: &[u32], b: &[u32]| lcs::reference::subsequence(a, b).0;
                assert_split::<Lcs>(&backend, &codes, subsequence);
                assert_split::<Edit>(&backend, &codes, edit_distance::reference::path);
            }
        }
    }
}
