//! Anti-diagonal method for supersequences, on the GPU and on threads.

use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::engine::Device;
use crate::engine::placement::Cost;
use crate::error::Result;
use crate::papers::anti_diagonal::stored::StoredDiagonals;
use crate::papers::anti_diagonal::{Recurrence, cpu, gpu};
use crate::papers::layers::midpoints::{self, SweepPlan, Swept};
use crate::papers::layers::way::{LayeredMethod, SizedTable};
use crate::papers::layers::{Layer, LayeredTable};
use crate::sequences::codes::Encoded;

/// The table as anti-diagonal layers.
fn layers(rows: u64, cols: u64) -> LayeredTable {
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

/// The method as a way to answer: three rolling anti-diagonals.
pub(crate) struct AntiDiagonal;

impl LayeredMethod for AntiDiagonal {
    const NAME: &'static str = "anti-diagonal";
    const MEMORY: &'static str = "the method 'anti-diagonal'";

    fn cpu_table(codes: &Encoded, threads: usize) -> SizedTable {
        let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
        SizedTable {
            table: layers(rows, cols),
            bytes: cpu::size_bytes(rows, cols),
            cost: cost(rows + cols + 1, cpu::seconds(rows, cols, threads)),
        }
    }

    fn gpu_table(codes: &Encoded, caps: &Capabilities) -> Result<SizedTable> {
        let grid = gpu::Grid::new(codes.a.len() as u64, codes.b.len() as u64, caps)?;
        Ok(SizedTable {
            table: layers(grid.rows, grid.cols),
            bytes: grid.size_bytes(),
            cost: Cost {
                host_bytes: grid.host_bytes(),
                ..cost(grid.passes(), grid.seconds(caps))
            },
        })
    }

    fn sweep_on_cpu(codes: &Encoded, every: Option<u64>, control: &Control) -> Result<Swept> {
        let table = layers(codes.a.len() as u64, codes.b.len() as u64);
        let stored = every.map(|every| stored(&table, every));
        let (a, b) = (&codes.a, &codes.b);
        let mut sweep = match stored {
            Some(stored) => cpu::AntiDiagonalSweep::with_origins(a, b, stored),
            None => cpu::AntiDiagonalSweep::new(Recurrence::Supersequence, a, b),
        };
        sweep.run(control)?;
        let origin = |segment: usize, place: u32| {
            sweep.stored()[segment * table.stored_words as usize + place as usize]
        };
        let places = stored.map(|stored| midpoints::on_host(&table, stored.layers, origin));
        Ok(Swept {
            length: sweep.last_cell(),
            places: places.unwrap_or_default(),
        })
    }

    async fn sweep_on_gpu(
        device: &Device<'_>,
        codes: &Encoded,
        every: Option<u64>,
    ) -> Result<Swept> {
        let sweep =
            gpu::AntiDiagonalSweep::new(device, Recurrence::Supersequence, &codes.a, &codes.b)?;
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
}

fn cost(passes: u64, seconds: f64) -> Cost {
    Cost {
        strips: passes,
        passes,
        ..Cost::new(seconds)
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn splitting_an_anti_diagonal_keeps_the_origins() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(1);
        let codes = Encoded::new(&random.codes(900, 4), &random.codes(700, 4));
        let expected = AntiDiagonal::sweep_on_cpu(&codes, Some(100), &Control::default())
            .expect("nobody cancels it");
        let found = backend.whole_and_split(async |device| {
            AntiDiagonal::sweep_on_gpu(device, &codes, Some(100)).await
        });
        assert!(
            found.iter().all(|found| *found == expected),
            "{expected:?} and {found:?}"
        );
        assert!(expected.places.len() > 10);
    }
}
