//! `swath edit` for many pairs of short records: few calls compute all distances, and only pairs
//! that are near enough are aligned.

use std::ops::Range;

use swath::edit_distance::{Method, Mode};
use swath::orientation::{Orientation, reverse_complement};
use swath::pairs::{KeptBlock, PairValue, Pairs, Strings};
use swath::substring::Strand;
use swath::{Control, DeviceChoice, Engine, Symbol};

use super::edit_witness::AlignedPair;
use super::run::Call;
use super::together::{Together, Whole};
use crate::args::{EditArgs, EditFormat, Turning};
use crate::call::{Solved, TakeError};
use crate::input::{Lists, with_list};

/// Maximum symbols of a record: longer ones occupy a device each.
const MAX_QUERY: usize = 1 << 12;
const MAX_TARGET: usize = 1 << 20;
/// Symbols of targets that are compared at once, if more take too much of the memory.
const MIN_BLOCK: usize = 1 << 24;
/// Share of the memory for a copy of targets.
const BLOCK_SHARE: u64 = 4;
/// Pairs that are aligned at once, and bytes that are printed at once.
const ALIGNED: usize = 1 << 12;
const PRINTED: usize = 1 << 20;

/// `None` if the pairs need a call each.
pub(super) fn write(
    call: &Call<'_, EditArgs>,
    format: EditFormat,
    together: &mut Together<'_>,
) -> anyhow::Result<Option<Whole>> {
    let (args, inputs) = (call.command, &call.inputs);
    let queries = inputs.groups[0].records.len();
    let lengths = inputs.lists.lengths();
    let (of_queries, of_targets) = lengths.split_at(queries);
    let is_short = of_queries.iter().all(|&len| len <= MAX_QUERY)
        && of_targets.iter().all(|&len| len <= MAX_TARGET);
    let is_plain = args.method == Method::Auto && args.gaps.is_none() && !args.matching.is_given();
    let is_text = !matches!(format, EditFormat::Json | EditFormat::Svg);
    if args.mode == Mode::Global || !is_text || !is_plain || !is_short {
        return Ok(None);
    }
    match (args.turning(), &inputs.lists) {
        (None, lists) => with_list!(lists, list => {
            let (queries, targets) = split(list.compared(), queries);
            let queries = &Strings::from_slices(queries);
            let targets = &targets[..];
            Batch { call, format, is_turned: false, queries, targets }.write(together)
        }),
        (Some(Turning::EachStrand), Lists::Bytes(list)) => {
            let (queries, targets) = split(list.compared(), queries);
            let mut strands = Vec::with_capacity(2 * queries.len());
            for query in queries {
                let Ok(reverse) = reverse_complement(query) else {
                    return Ok(None);
                };
                strands.extend([query.to_vec(), reverse]);
            }
            let batch = Batch {
                call,
                format,
                is_turned: true,
                queries: &Strings::from_slices(strands),
                targets: &targets,
            };
            batch.write(together)
        }
        _ => return Ok(None),
    }
    .map(Some)
}

fn split<T>(mut records: Vec<T>, queries: usize) -> (Vec<T>, Vec<T>) {
    let targets = records.split_off(queries);
    (records, targets)
}

struct Batch<'a, S: Symbol> {
    call: &'a Call<'a, EditArgs>,
    format: EditFormat,
    /// Set if each query is followed by its reverse complement.
    is_turned: bool,
    queries: &'a Strings<'a, S>,
    targets: &'a [&'a [S]],
}

#[derive(Clone, Copy)]
struct Near {
    record: u32,
    strand: Strand,
    target: u32,
    value: u32,
    /// Symbols of the target in which no best piece lies.
    offset: u32,
    /// Set for the nearest target of the record, the first of several.
    is_best: bool,
}

impl<S: Symbol> Batch<'_, S> {
    /// Writes all pairs, ordered by the first input.
    fn write(&self, together: &mut Together<'_>) -> anyhow::Result<Whole> {
        let options = self.call.options.clone().device(DeviceChoice::Cpu);
        let aligner = Engine::new(options)?;
        let blocks = self.blocks(self.max_symbols());
        let share = |end: usize| end as f64 / self.targets.len().max(1) as f64;
        let (mut held, mut whole) = (Vec::new(), Whole::default());
        for block in &blocks {
            let targets = Strings::from_slices(&self.targets[block.clone()]);
            let pairs = self.pairs(Pairs::cross(self.queries, &targets));
            let control = together.progress.control(together.interrupt);
            let control = control.part(share(block.start), share(block.end));
            let mut failed = TakeError::default();
            let mut take = |part: &KeptBlock<'_>| -> anyhow::Result<()> {
                for (index, pair) in part.kept.iter().enumerate() {
                    let offset = part.offsets.map_or(0, |offsets| offsets[index]);
                    let near = self.near(pair, block.start, offset);
                    // All pairs of a record come at once if there is one block.
                    let is_next = held
                        .last()
                        .is_some_and(|last: &Near| last.record != near.record);
                    if is_next && blocks.len() == 1 {
                        self.write_pairs(&mut held, &aligner, together, &mut whole)?;
                    }
                    held.push(near);
                }
                Ok(())
            };
            let task = pairs.for_each_kept(|part| failed.flow(take(&part)));
            let run = self.call.engine.run_with(&task, &control);
            drop(task);
            failed.result()?;
            let solved = Solved::from(self.call.explained(run)?);
            whole.runs.solve(solved.map(drop));
        }
        self.write_pairs(&mut held, &aligner, together, &mut whole)?;
        Ok(whole)
    }

    fn pairs<'p>(&self, pairs: Pairs<'p, S>) -> Pairs<'p, S> {
        let pairs = pairs.mode(self.call.command.mode);
        self.call
            .command
            .max_distance
            .into_iter()
            .fold(pairs, Pairs::within)
    }

    fn max_symbols(&self) -> usize {
        let memory = self.call.options.host_memory.unwrap_or(0);
        let max_bytes = usize::try_from(memory / BLOCK_SHARE).unwrap_or(usize::MAX);
        MIN_BLOCK.max(max_bytes / size_of::<S>())
    }

    /// Ranges of targets: all of them if a copy fits the memory.
    fn blocks(&self, max_symbols: usize) -> Vec<Range<usize>> {
        let (mut blocks, mut first, mut symbols) = (Vec::new(), 0, 0);
        for (index, target) in self.targets.iter().enumerate() {
            if symbols + target.len() > max_symbols && index > first {
                blocks.push(first..index);
                (first, symbols) = (index, 0);
            }
            symbols += target.len();
        }
        blocks.push(first..self.targets.len());
        blocks
    }

    fn near(&self, pair: &PairValue, first_target: usize, offset: u32) -> Near {
        let (record, strand) = if self.is_turned {
            (pair.query / 2, Strand::ALL[pair.query % 2])
        } else {
            (pair.query, Strand::Forward)
        };
        Near {
            record: record as u32,
            strand,
            target: (first_target + pair.target) as u32,
            value: pair.value,
            offset,
            is_best: false,
        }
    }

    /// Pairs that are written are removed.
    fn write_pairs(
        &self,
        pairs: &mut Vec<Near>,
        aligner: &Engine,
        together: &mut Together<'_>,
        whole: &mut Whole,
    ) -> anyhow::Result<()> {
        // Of both strands the nearer one, and the forward one of equally near ones.
        let is_reverse = |near: &Near| near.strand == Strand::Reverse;
        pairs.sort_by_key(|near| (near.record, near.target, near.value, is_reverse(near)));
        pairs.dedup_by_key(|near| (near.record, near.target));
        for record in pairs.chunk_by_mut(|one, other| one.record == other.record) {
            if let Some(best) = record.iter_mut().min_by_key(|near| near.value) {
                best.is_best = true;
                let bound = self.call.command.max_distance.unwrap_or(0);
                whole.is_found |= u64::from(best.value) <= bound;
            }
        }
        let control = Control::new(together.interrupt.handle.clone(), None);
        let mut text = Vec::new();
        let max_symbols = self.max_symbols();
        let mut rest = &pairs[..];
        while !rest.is_empty() {
            let mut symbols = 0;
            let fits = |near: &&Near| {
                symbols += self.targets[near.target as usize].len();
                symbols <= max_symbols
            };
            let len = rest.iter().take(ALIGNED).take_while(fits).count().max(1);
            let (pairs, next) = rest.split_at(len);
            rest = next;
            let query = |near: &Near| {
                if self.is_turned {
                    let strand = usize::from(near.strand == Strand::Reverse);
                    &self.queries[2 * near.record as usize + strand]
                } else {
                    &self.queries[near.record as usize]
                }
            };
            let queries = Strings::from_slices(pairs.iter().map(query));
            let targets = pairs.iter().map(|near| self.targets[near.target as usize]);
            let targets = Strings::from_slices(targets);
            let value = |(index, near): (usize, &Near)| PairValue {
                query: index,
                target: index,
                value: near.value,
            };
            let values: Vec<_> = pairs.iter().enumerate().map(value).collect();
            let zip = self.pairs(Pairs::zip(&queries, &targets));
            let offsets: Vec<_> = pairs.iter().map(|near| near.offset).collect();
            let task = zip.alignments(&values).offsets(&offsets);
            let aligned = aligner.run_with(&task, &control);
            let aligned = self.call.explained(aligned)?;
            if let Some(solved) = &mut whole.runs.solved {
                solved.run.path_mode = aligned.run.path_mode;
            }
            for (near, alignment) in pairs.iter().zip(&aligned.answer) {
                let target = self.call.inputs.groups[0].records.len() + near.target as usize;
                let mut part = self.call.inputs.select(&[near.record as usize, target]);
                if self.is_turned {
                    let strand = near.strand;
                    part = part.turned(Orientation { strand, start: 0 });
                }
                let pair = AlignedPair {
                    inputs: &part,
                    alignment,
                    is_one_of_several: true,
                    is_best_of_record: near.is_best,
                };
                pair.write(self.call.command, self.format, &mut text)?;
                if text.len() >= PRINTED {
                    (together.print)(&text)?;
                    text.clear();
                }
            }
        }
        if !text.is_empty() {
            (together.print)(&text)?;
        }
        whole.found += pairs.len();
        pairs.clear();
        Ok(())
    }
}
