//! Bit-parallel LCS with conditional-sum carries: blocks of 1,024 rows, steps of 1,024 columns, one
//! pass per anti-diagonal of blocks.
//!
//! Source: Kawanami and Fujimoto 2014, "A GPU Implementation of a Bit-parallel Algorithm for
//! Computing the Longest Common Subsequence", sections 3.2 to 3.4. Departures: the subproblems of a
//! level of Hirschberg's recursion, and both halves of each, are swept at once; the match table has
//! a row per shared symbol instead of 256; subproblems that the source gives to the CPU are traced
//! back from stored boundaries.

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
/// Words that describe a block to the kernel.
const BLOCK_WORDS: u64 = 3;
/// Blocks that one compute unit runs concurrently without slowing any of them
/// (nvidia-h200/2026-11-30-papers.txt).
const BLOCKS_PER_UNIT: u64 = 11;
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
        let path = query.request.path;
        let cost = Grid::new(query.shape(), sizing.capabilities, path)?.cost(path);
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
    /// Blocks that one plan has room for.
    blocks: u64,
    /// Blocks that the device runs concurrently.
    concurrent_blocks: u64,
    /// True if a block is a subgroup.
    subgroups: bool,
}

impl Grid {
    /// # Errors
    /// [`Error::TooManySymbols`] if the match table exceeds one buffer, [`Error::InputTooLong`].
    pub fn new(shape: Shape, caps: &Capabilities, path: bool) -> Result<Self> {
        let blocks = blocks(shape.rows);
        let limit_words = caps.chunk_bytes / 4;
        let mask_rows = u64::from(shape.alphabet.shared) + 1;
        let symbols = limit_words / (blocks * BLOCK_LIMBS) - 1;
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
        let groups = u64::from(caps.groups_per_dimension);
        if blocks > groups {
            return Err(Error::InputTooLong {
                what: "the longer input",
                actual: shape.rows,
                limit: groups * STEP,
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
        // Both halves of every part, whose last blocks are not full.
        let wanted = if path { 3 * blocks } else { blocks };
        let room = groups.min(limit_words / (mask_rows * BLOCK_LIMBS));
        Ok(Self {
            shape,
            blocks: wanted.min(room),
            concurrent_blocks: compute_units(caps) as u64 * BLOCKS_PER_UNIT,
            subgroups: caps.subgroup == Some(kernels::lcs::LIMBS),
        })
    }

    /// Cost of a pass in cells. A pass that does not fill the device costs as much as one that
    /// does.
    fn pass_cells(&self, blocks: u64) -> u64 {
        blocks.max(self.concurrent_blocks) * STEP * STEP
    }

    /// Cost of one sweep of equal tables in cells.
    fn sweep_cells(&self, rows: u64, cols: u64, tables: u64) -> u64 {
        active_blocks(rows, cols)
            .map(|blocks| self.pass_cells(blocks * tables))
            .sum()
    }

    /// Cost of the call in cells. A path sweeps the halves of ever smaller subproblems.
    fn cells(&self, path: bool) -> u64 {
        let Shape { rows, cols, .. } = self.shape;
        if !path {
            return self.sweep_cells(rows, cols, 1);
        }
        (0..u64::BITS)
            .map(|level| (level, rows >> level, cols >> level))
            .take_while(|&(_, rows, cols)| rows + cols >= CPU_SYMBOLS)
            .map(|(level, rows, cols)| self.sweep_cells(rows, cols / 2, 2 << level))
            .sum()
    }

    /// Bytes of all buffers.
    pub fn size_bytes(&self) -> u64 {
        let mask_rows = u64::from(self.shape.alphabet.shared) + 1;
        let block = BLOCK_LIMBS * (1 + mask_rows + 2) + BLOCK_WORDS;
        4 * (self.blocks * block + self.shape.cols.max(1))
    }

    /// Rough estimate: each pass is a latency-bound chain over [`STEP`] columns.
    fn seconds(&self, path: bool) -> f64 {
        let passes = self.cells(path) as f64 / self.pass_cells(0) as f64;
        let columns = STEP.min(self.shape.cols) as f64;
        passes * columns * figures::COLUMN_SECONDS
    }

    fn cost(&self, path: bool) -> Cost {
        let Shape { rows, cols, .. } = self.shape;
        // A path sweeps the table in halves.
        let swept = if path { cols.div_ceil(2) } else { cols };
        let path_mode = if rows + cols < CPU_SYMBOLS {
            PathMode::StoredBoundaries
        } else {
            PathMode::Hirschberg
        };
        Cost {
            path_mode: path_mode.if_path(path),
            tile: (STEP, STEP),
            strips: blocks(rows),
            passes: active_blocks(rows, swept).count() as u64,
            device_bytes: self.size_bytes(),
            ..Cost::new(self.seconds(path))
        }
    }

    /// Costs of the passes over `tables` in cells.
    fn passes(&self, tables: &[Pair<'_, u32>]) -> Vec<u64> {
        let mut active = Vec::new();
        for table in tables {
            let blocks = active_blocks(table.a.len() as u64, table.b.len() as u64);
            for (wavefront, blocks) in blocks.enumerate() {
                if wavefront == active.len() {
                    active.push(0);
                }
                active[wavefront] += blocks;
            }
        }
        let cost = |blocks| self.pass_cells(blocks);
        active.into_iter().map(cost).collect()
    }

    /// One sweep of `tables`.
    fn plan(&self, tables: &[Pair<'_, u32>], pass_cells: &[u64]) -> Plan {
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let shared = self.shape.alphabet.shared;
        let total: u64 = tables.iter().map(blocks_of).sum();
        let limbs = (total * BLOCK_LIMBS) as usize;
        let mut masks = vec![0; (shared as usize + 1) * limbs];
        let mut codes = Vec::new();
        let mut descriptors = Vec::new();
        for table in tables {
            let first_limb = descriptors.len() / BLOCK_WORDS as usize * BLOCK_LIMBS as usize;
            for (i, &code) in (0..).zip(table.a).filter(|&(_, &code)| code <= shared) {
                masks[code as usize * limbs + first_limb + i / 32] |= 1 << (i % 32);
            }
            for row in 0..blocks_of(table) as u32 {
                descriptors.extend([row, codes.len() as u32, table.b.len() as u32]);
            }
            codes.extend_from_slice(table.b);
        }
        codes.resize(codes.len().max(1), 0);
        let v = plan.upload("limbs", vec![u32::MAX; limbs]);
        let masks = plan.upload("match masks", masks);
        let codes = plan.upload("column codes", codes);
        let carries = plan.buffer("carries", 2 * total * BLOCK_LIMBS, Contents::Zeros);
        let descriptors = plan.upload("blocks", descriptors);
        let kernel = plan.kernel(kernels::lcs::conditional_sum(self.subgroups));
        plan.splits.push((
            kernel,
            PassSplit::by_group(Bounds::First(FIRST_BLOCK_PARAM)),
        ));
        let bindings = plan.bind(vec![v, masks, codes, carries, descriptors]);
        let passes = (0..).zip(pass_cells);
        plan.passes.extend(passes.map(|(wavefront, &cells)| Pass {
            kernel,
            bindings,
            groups: [total as u32, 1, 1],
            params: params([wavefront, 0, total as u32]),
            cells,
        }));
        debug_assert_eq!(v, LIMBS);
        plan
    }
}

/// Blocks of a table; at least 1.
fn blocks(rows: u64) -> u64 {
    rows.div_ceil(STEP).max(1)
}

fn blocks_of(table: &Pair<'_, u32>) -> u64 {
    blocks(table.a.len() as u64)
}

/// Active blocks of a table on each anti-diagonal of blocks.
fn active_blocks(rows: u64, cols: u64) -> impl Iterator<Item = u64> {
    let (blocks, steps) = (blocks(rows), cols.div_ceil(STEP).max(1));
    (0..blocks + steps - 1).map(move |wavefront| {
        let first = (wavefront + 1).saturating_sub(steps);
        wavefront.min(blocks - 1) - first + 1
    })
}

/// # Errors
/// As [`Grid::new`] and [`Device::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    let grid = grid(device, codes, false)?;
    let table = Pair::new(&codes.a, &codes.b);
    let columns = last_columns(device, &grid, &[table]).await?;
    Ok(columns[0].growth::<Lcs>(codes.a.len()) as u64)
}

/// The canonical path and its path mode. Uses Hirschberg's recursion, as the source does.
///
/// # Errors
/// As [`length`].
pub async fn subsequence(device: &Device<'_>, codes: &Encoded) -> Result<(Subsequence, PathMode)> {
    let grid = grid(device, codes, true)?;
    device.control.set_estimate(grid.cells(true));
    let mut recursion = Recursion { device, grid };
    let (found, mode) = hirschberg::path::<Lcs, _>(&mut recursion, codes.codes()).await?;
    Ok((Subsequence(found), mode))
}

fn grid(device: &Device<'_>, codes: &Encoded, path: bool) -> Result<Grid> {
    let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
    let shape = Shape::new(TableKind::Lcs, rows, cols, codes.alphabet);
    Grid::new(shape, device.backend.capabilities(), path)
}

/// Last columns of `tables`, of which no one has more rows or columns than that of `grid`.
async fn last_columns(
    device: &Device<'_>,
    grid: &Grid,
    tables: &[Pair<'_, u32>],
) -> Result<Vec<Column>> {
    let mut columns = Vec::with_capacity(tables.len());
    while let rest @ [_, ..] = &tables[columns.len()..] {
        let mut total = 0;
        let fits = |table: &&Pair<'_, u32>| {
            total += blocks_of(table);
            total <= grid.blocks
        };
        let batch = &rest[..rest.iter().take_while(fits).count()];
        let pass_cells = grid.passes(batch);
        device.control.add_total(pass_cells.iter().sum());
        let limbs = Span {
            buffer: LIMBS,
            first: 0,
            words: batch.iter().map(blocks_of).sum::<u64>() * BLOCK_LIMBS,
        };
        let ran = device
            .run(&|| grid.plan(batch, &pass_cells), &|_| vec![limbs])
            .await?;
        let mut words = ran.words.chunks(2);
        columns.extend(batch.iter().map(|table| {
            let words = words
                .by_ref()
                .take((blocks_of(table) * BLOCK_LIMBS / 2) as usize)
                .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
                .collect();
            Column([words, Vec::new()])
        }));
    }
    Ok(columns)
}

struct Recursion<'a> {
    device: &'a Device<'a>,
    grid: Grid,
}

/// Subproblems with fewer symbols than this (both inputs together) run on the CPU, as in the
/// source.
const CPU_SYMBOLS: u64 = 2048;

impl hirschberg::Sweep<Lcs> for Recursion<'_> {
    async fn midpoint(&mut self, table: hirschberg::Table<'_>) -> Result<hirschberg::Split> {
        Ok(self.midpoints(&[table]).await?[0])
    }

    async fn midpoints(
        &mut self,
        tables: &[hirschberg::Table<'_>],
    ) -> Result<Vec<hirschberg::Split>> {
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let halves = |b| <[u32]>::split_at(b, b.len().div_ceil(2));
        let behind: Vec<_> = tables
            .iter()
            .map(|table| (reversed(table.codes.a), reversed(halves(table.codes.b).1)))
            .collect();
        let swept: Vec<_> = tables
            .iter()
            .zip(&behind)
            .flat_map(|(table, (a, b))| {
                let before = Pair::new(table.codes.a, halves(table.codes.b).0);
                [before, Pair::new(a, b)]
            })
            .collect();
        let columns = last_columns(self.device, &self.grid, &swept).await?;
        let splits = tables
            .iter()
            .zip(columns.chunks(2))
            .map(|(table, columns)| {
                let (rows, cols) = (table.codes.a.len(), table.codes.b.len());
                hirschberg::column_midpoint::<Lcs>(&columns[0], &columns[1], rows, cols)
            });
        Ok(splits.collect())
    }

    async fn stored_path(&mut self, table: hirschberg::Table<'_>) -> Result<Option<Blocks>> {
        let hirschberg::Table { codes, .. } = table;
        let short = ((codes.a.len() + codes.b.len()) as u64) < CPU_SYMBOLS;
        let path = || {
            let path = cpu::path::<Lcs>(codes, Band::WHOLE, self.device.control);
            path.map(|path| path.found.0)
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

    #[test]
    fn tables_of_different_sizes_are_swept_at_once_as_far_as_there_is_room() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(6);
        let sizes = [(3000, 40), (1025, 1024), (1, 1), (1024, 2049), (31, 1500)];
        let tables = sizes.map(|(rows, cols)| (random.codes(rows, 4), random.codes(cols, 4)));
        let pairs: Vec<Pair<'_, u32>> = tables.iter().map(|(a, b)| Pair::new(a, b)).collect();
        let expected: Vec<_> = pairs
            .iter()
            .map(|table| reference::length(table.a, table.b) as i64)
            .collect();
        for room in [3, 4, 9] {
            let found = backend.whole_and_split(async |device| {
                let shape = Shape::new(TableKind::Lcs, 3000, 2049, 4);
                let caps = device.backend.capabilities();
                let grid = Grid {
                    blocks: room,
                    ..Grid::new(shape, caps, false)?
                };
                let columns = last_columns(device, &grid, &pairs).await?;
                let lengths = columns.iter().zip(&pairs);
                Ok(lengths
                    .map(|(column, table)| column.growth::<Lcs>(table.a.len()))
                    .collect::<Vec<_>>())
            });
            assert_eq!(found, [expected.clone(), expected.clone()], "{room} blocks");
        }
    }
}
