//! Anti-diagonal method for supersequences, on the GPU and on threads.

use crate::call::control::Control;
use crate::engine::Device;
use crate::error::Result;
use crate::pairwise::codes::Encoded;
use crate::papers::anti_diagonal::stored::StoredDiagonals;
use crate::papers::anti_diagonal::{Recurrence, cpu, gpu};
use crate::papers::layers::midpoints::{self, SweepPlan, Swept};
use crate::papers::layers::{Layer, LayeredTable};

/// The table as anti-diagonal layers.
pub(crate) fn layers(rows: u64, cols: u64) -> LayeredTable {
    let stored_words = StoredDiagonals::layer_words(cols);
    // One origin per value.
    let origins_bytes = 12 * (rows + 1);
    LayeredTable {
        layer: Layer::AntiDiagonal,
        rows,
        cols,
        stored_words,
        origins_bytes,
        largest_bytes: origins_bytes,
    }
}

fn stored(table: &LayeredTable, every: u64) -> StoredDiagonals {
    StoredDiagonals {
        every,
        layers: table.stored(every),
        rows: table.rows,
        cols: table.cols,
    }
}

/// Rolls three anti-diagonals on a device. With `every`, stores layers at that spacing and returns
/// the midpoints.
///
/// # Errors
/// As [`gpu::AntiDiagonalSweep::new`] and [`Device::run`].
pub(crate) async fn on_device(
    device: &Device<'_>,
    codes: &Encoded,
    every: Option<u64>,
) -> Result<Swept> {
    let sweep = gpu::AntiDiagonalSweep::new(device, Recurrence::Supersequence, &codes.a, &codes.b)?;
    let table = layers(sweep.grid.rows, sweep.grid.cols);
    let stored = every.map(|every| stored(&table, every));
    let make = || {
        let gpu::PlannedSweep {
            plan,
            last,
            origins,
        } = sweep.plan(stored);
        let mut planned = SweepPlan::new(plan, last);
        if let (Some(origins), Some(stored)) = (origins, stored) {
            planned.follow(&table, origins, stored.layers);
        }
        planned
    };
    let (last, places) = midpoints::on_device(device, &make).await?;
    Ok(Swept {
        length: last.into(),
        places,
    })
}

/// Rolls three anti-diagonals on the caller's thread pool. With `every`, stores layers at that
/// spacing and returns the midpoints.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after cancellation.
pub(crate) fn on_threads(codes: &Encoded, every: Option<u64>, control: &Control) -> Result<Swept> {
    let table = layers(codes.a.len() as u64, codes.b.len() as u64);
    let Some(stored) = every.map(|every| stored(&table, every)) else {
        let mut sweep = cpu::AntiDiagonalSweep::new(Recurrence::Supersequence, &codes.a, &codes.b);
        sweep.run(control)?;
        return Ok(Swept {
            length: sweep.last_cell(),
            places: Vec::new(),
        });
    };
    let mut sweep = cpu::AntiDiagonalSweep::with_origins(&codes.a, &codes.b, stored);
    sweep.run(control)?;
    let origin = |segment: usize, place: u32| {
        sweep.stored()[segment * table.stored_words as usize + place as usize]
    };
    Ok(Swept {
        length: sweep.last_cell(),
        places: midpoints::on_host(&table, stored.layers, origin),
    })
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::pairwise::bit_parallel::inputs::Random;

    #[test]
    fn splitting_an_anti_diagonal_keeps_the_origins() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(1);
        let codes = Encoded::new(&random.codes(900, 4), &random.codes(700, 4));
        let expected =
            on_threads(&codes, Some(100), &Control::default()).expect("nobody cancels it");
        let found =
            backend.whole_and_split(async |device| on_device(device, &codes, Some(100)).await);
        assert!(
            found.iter().all(|found| *found == expected),
            "{expected:?} and {found:?}"
        );
        assert!(expected.places.len() > 10);
    }
}
