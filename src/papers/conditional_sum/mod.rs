//! Bit-parallel LCS with conditional-sum carries: blocks of 1,024 rows, steps of 1,024 columns, one
//! pass per anti-diagonal of blocks.
//!
//! Source: Kawanami and Fujimoto 2014, "A GPU Implementation of a Bit-parallel Algorithm for
//! Computing the Longest Common Subsequence", sections 3.2 to 3.4. Departures: a pass starts the
//! active blocks alone; the match table has a row per shared symbol instead of 256; subproblems
//! that the source gives to the CPU are traced back from stored boundaries.

use std::time::Duration;

use crate::backend::{Capabilities, Span};
use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way, needs_gpu};
use crate::engine::profile::gpu::{compute_units, conditional_sum as figures};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::kernels;
use crate::lcs::subsequence::Subsequence;
use crate::lcs::{Method, problem};
use crate::path_mode::PathMode;
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, params};
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu;
use crate::sequences::bit_parallel::gpu::tiling::MAX_SYMBOLS;
use crate::sequences::bit_parallel::hirschberg;
use crate::sequences::bit_parallel::recurrence::{Column, Lcs};
use crate::sequences::bit_parallel::shape::{Shape, TableKind};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Encoded;
use crate::sequences::pair::Pair;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{Outcome, Solution};

/// Rows of a block and columns of a step.
pub const STEP: u64 = 1024;
const BLOCK_LIMBS: u64 = STEP / 32;
/// Blocks that one compute unit runs concurrently without slowing any of them. With the limit on
/// passes per slice it keeps slices over the last, shorter anti-diagonals as short as the others
/// (nvidia-h100/2026-11-26-slices-cuda.json).
const BLOCKS_PER_UNIT: u64 = 2;
/// Index of the parameter that holds the first block of a pass; passes are split between blocks.
const FIRST_BLOCK_PARAM: usize = 1;
/// The buffer of row limbs, which is read back.
const LIMBS: BufferId = 0;

/// The method, as a way to answer.
pub(crate) struct ConditionalSum;

impl Way<PairQuery<'_, problem::Subsequence>> for ConditionalSum {
    fn method(&self) -> &'static str {
        Method::ConditionalSum.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, _: &Engine, _: &PairQuery<'_, problem::Subsequence>) -> Result<Option<Cost>> {
        Err(needs_gpu(Method::ConditionalSum.name(), "bit-parallel"))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &PairQuery<'_, problem::Subsequence>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let sizing = device.sizing(query.request.tuning);
        let cost = Grid::new(query.shape(), sizing.capabilities)?.cost(query.request.path);
        sizing.check_budget(cost.device_bytes)?;
        Ok(Some(cost))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, problem::Subsequence>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            let Some(device) = device else {
                return Ok(None);
            };
            call.control.set_phase(Phase::Sweep);
            let codes = query.codes();
            let (length, path, path_mode) = if query.request.path {
                let (found, mode) = subsequence(device, codes).await?;
                (found.len(), Some(found.0), mode)
            } else {
                (length(device, codes).await?, None, PathMode::None)
            };
            let solution = Solution {
                cost: problem::unpaired(codes.a.len(), codes.b.len(), length),
                path,
                path_mode,
            };
            Ok(Some(query.request.within_limit(solution, query.cells())))
        })
    }
}

/// Sizes of the method for one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    shape: Shape,
    /// Blocks that the device runs concurrently.
    concurrent_blocks: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::TooManySymbols`] if the match table exceeds one buffer, [`Error::InputTooLong`].
    pub fn new(shape: Shape, caps: &Capabilities) -> Result<Self> {
        let grid = Self {
            shape,
            concurrent_blocks: compute_units(caps) as u64 * BLOCKS_PER_UNIT,
        };
        let limit_words = caps.chunk_bytes / 4;
        let symbols = limit_words / grid.limbs() - 1;
        if u64::from(shape.alphabet.shared) > symbols {
            let actual = u64::from(shape.alphabet.shared);
            let remedy = if shape.alphabet.shared <= MAX_SYMBOLS {
                "bit-parallel"
            } else {
                shape.table.unlimited()
            };
            return Err(Error::TooManySymbols {
                method: "conditional-sum",
                actual,
                limit: symbols,
                remedy,
            });
        }
        let remedy = "use the method 'bit-parallel'";
        if grid.blocks() > u64::from(caps.groups_per_dimension) {
            let limit = u64::from(caps.groups_per_dimension) * STEP;
            return Err(Error::InputTooLong {
                what: "the longer input",
                actual: shape.rows,
                limit,
                remedy,
            });
        }
        if shape.cols > limit_words {
            return Err(Error::InputTooLong {
                what: "the shorter input",
                actual: shape.cols,
                limit: limit_words,
                remedy,
            });
        }
        Ok(grid)
    }

    /// At least 1.
    pub fn blocks(&self) -> u64 {
        self.shape.rows.div_ceil(STEP).max(1)
    }

    fn limbs(&self) -> u64 {
        self.blocks() * BLOCK_LIMBS
    }

    fn column_steps(&self) -> u64 {
        self.shape.cols.div_ceil(STEP).max(1)
    }

    /// Number of anti-diagonals of blocks.
    pub fn passes(&self) -> u64 {
        self.blocks() + self.column_steps() - 1
    }

    /// First block and block count of each anti-diagonal.
    fn wavefronts(&self) -> impl Iterator<Item = (u64, u64)> {
        let (blocks, column_steps) = (self.blocks(), self.column_steps());
        (0..self.passes()).map(move |wavefront| {
            let first = (wavefront + 1).saturating_sub(column_steps);
            (first, wavefront.min(blocks - 1) - first + 1)
        })
    }

    /// Cost of a pass in cells. A pass that does not fill the device costs as much as one that
    /// does.
    fn pass_cells(&self, blocks: u64) -> u64 {
        blocks.max(self.concurrent_blocks) * STEP * STEP
    }

    fn cells(&self) -> u64 {
        self.wavefronts()
            .map(|(_, blocks)| self.pass_cells(blocks))
            .sum()
    }

    /// Bytes of all buffers.
    pub fn size_bytes(&self) -> u64 {
        let masks = (u64::from(self.shape.alphabet.shared) + 1) * self.limbs();
        4 * (self.limbs() + masks + self.shape.cols.max(1) + 2 * (self.blocks() + 1) * BLOCK_LIMBS)
    }

    /// Rough estimate: each pass is a latency-bound chain over [`STEP`] columns. A path sweeps the
    /// halves of ever smaller subproblems.
    pub fn expected(&self, path: bool) -> Duration {
        let swept = |grid: &Self| {
            grid.passes() as f64 * STEP.min(grid.shape.cols) as f64 * figures::COLUMN_SECONDS
        };
        Duration::from_secs_f64(if path {
            self.sum_over_parts(swept)
        } else {
            swept(self)
        })
    }

    /// Sums `swept` over all sweeps of Hirschberg's recursion.
    fn sum_over_parts(&self, swept: impl Fn(&Self) -> f64) -> f64 {
        let Shape { rows, cols, .. } = self.shape;
        let parts = (0..u64::BITS).map(|level| (level, rows >> level, cols >> level));
        let large = parts.take_while(|&(_, rows, cols)| rows + cols >= CPU_SYMBOLS);
        let of = |rows, cols| {
            swept(&Self {
                shape: Shape {
                    rows,
                    cols,
                    ..self.shape
                },
                ..*self
            })
        };
        large
            .map(|(level, rows, cols)| (2u64 << level) as f64 * of(rows, cols / 2))
            .sum()
    }

    fn cost(&self, path: bool) -> Cost {
        // A path sweeps the table in halves.
        let cols = if path {
            self.shape.cols.div_ceil(2)
        } else {
            self.shape.cols
        };
        let swept = Self {
            shape: Shape { cols, ..self.shape },
            ..*self
        };
        let is_small = self.shape.rows + self.shape.cols < CPU_SYMBOLS;
        let path_mode = if is_small {
            PathMode::StoredBoundaries
        } else {
            PathMode::Hirschberg
        };
        Cost {
            path_mode: path_mode.if_path(path),
            tile: (STEP, STEP),
            strips: self.blocks(),
            passes: self.passes(),
            device_bytes: swept.size_bytes(),
            ..Cost::new(self.expected(path).as_secs_f64())
        }
    }

    fn plan(&self, a: &[u32], b: &[u32]) -> Plan {
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let limbs = self.limbs() as usize;
        let mut masks = vec![0; (self.shape.alphabet.shared as usize + 1) * limbs];
        for (i, &code) in a
            .iter()
            .enumerate()
            .filter(|&(_, &code)| code <= self.shape.alphabet.shared)
        {
            masks[code as usize * limbs + i / 32] |= 1 << (i % 32);
        }
        let v = plan.upload("limbs", vec![u32::MAX; limbs]);
        let masks = plan.upload("match masks", masks);
        let codes = plan.upload(
            "column codes",
            if b.is_empty() { vec![0] } else { b.to_vec() },
        );
        let carries = plan.buffer(
            "carries",
            2 * (self.blocks() + 1) * BLOCK_LIMBS,
            Contents::Zeros,
        );
        let kernel = plan.kernel(kernels::lcs::conditional_sum());
        plan.splits.push((
            kernel,
            PassSplit::by_group(Bounds::First(FIRST_BLOCK_PARAM)),
        ));
        let bindings = plan.bind(vec![v, masks, codes, carries]);
        let (blocks, cols) = (self.blocks() as u32, self.shape.cols as u32);
        plan.passes.extend(
            (0..)
                .zip(self.wavefronts())
                .map(|(wavefront, (first, groups))| Pass {
                    kernel,
                    bindings,
                    groups: [groups as u32, 1, 1],
                    params: params([wavefront, first as u32, blocks, cols]),
                    cells: self.pass_cells(groups),
                }),
        );
        debug_assert_eq!(v, LIMBS);
        plan
    }
}

/// # Errors
/// As [`Grid::new`] and [`Device::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    let column = last_column(device, &codes.a, &codes.b, codes.shared).await?;
    Ok(column.growth::<Lcs>(codes.a.len()) as u64)
}

/// The canonical path and its path mode. Uses Hirschberg's recursion, as the source does.
///
/// # Errors
/// As [`length`].
pub async fn subsequence(device: &Device<'_>, codes: &Encoded) -> Result<(Subsequence, PathMode)> {
    let whole = grid(device, &codes.a, &codes.b, codes.shared)?;
    device
        .control
        .set_estimate(whole.sum_over_parts(|grid| grid.cells() as f64) as u64);
    let (found, mode) =
        hirschberg::path::<Lcs, _>(&mut Recursion(device), &codes.a, &codes.b, codes.alphabet())
            .await?;
    Ok((Subsequence(found), mode))
}

fn grid(device: &Device<'_>, a: &[u32], b: &[u32], shared: u32) -> Result<Grid> {
    let shape = Shape::new(TableKind::Lcs, a.len() as u64, b.len() as u64, shared);
    Grid::new(shape, device.backend.capabilities())
}

async fn last_column(device: &Device<'_>, a: &[u32], b: &[u32], shared: u32) -> Result<Column> {
    let grid = grid(device, a, b, shared)?;
    device.control.add_total(grid.cells());
    let limbs = Span {
        buffer: LIMBS,
        first: 0,
        words: grid.limbs(),
    };
    let ran = device.run(&|| grid.plan(a, b), &|_| vec![limbs]).await?;
    let words = ran
        .words
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .collect();
    Ok(Column([words, Vec::new()]))
}

struct Recursion<'a>(&'a Device<'a>);

/// Subproblems with fewer symbols than this (both inputs together) run on the CPU, as in the
/// source.
const CPU_SYMBOLS: u64 = 2048;

impl hirschberg::Sweep<Lcs> for Recursion<'_> {
    async fn midpoint(&mut self, table: hirschberg::Table<'_>) -> Result<hirschberg::Split> {
        let hirschberg::Table { a, b, alphabet, .. } = table;
        let (left, right) = b.split_at(b.len().div_ceil(2));
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let before = last_column(self.0, a, left, alphabet.shared).await?;
        let behind = last_column(self.0, &reversed(a), &reversed(right), alphabet.shared).await?;
        Ok(hirschberg::column_midpoint::<Lcs>(
            &before,
            &behind,
            a.len(),
            b.len(),
        ))
    }

    async fn stored_path(&mut self, table: hirschberg::Table<'_>) -> Result<Option<Blocks>> {
        let hirschberg::Table { a, b, alphabet, .. } = table;
        let short = ((a.len() + b.len()) as u64) < CPU_SYMBOLS;
        let path = || {
            cpu::path::<Lcs>(Pair { a, b }, alphabet.shared, Band::WHOLE, self.0.control)
                .map(|path| path.found.0)
        };
        short.then(path).transpose()
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::lcs::reference;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn splitting_a_wavefront_by_block_keeps_the_length() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(5);
        let (a, b) = (
            random.codes(5 * STEP as usize + 1, 4),
            random.codes(3 * STEP as usize - 1, 4),
        );
        let expected = reference::length(&a, &b);
        let codes = Encoded::new(&a, &b);
        let found = backend.whole_and_split(async |device| length(device, &codes).await);
        assert_eq!(found, [expected; 2]);
    }
}
