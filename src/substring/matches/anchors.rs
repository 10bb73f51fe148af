//! All maximal matches of two texts by anchors: blocks of `a` that occur in `b`, extended on both
//! sides.
//!
//! A match is reported by its first block only: if the block one step earlier is part of the match,
//! too, `b` has that block's class one step earlier, and all pairs of the two classes are skipped
//! at once. Repeats therefore cost the matches found, not the pairs of their blocks. All matches of
//! one block or more are enumerated, including those that turn out too short.
//!
//! Cost: one pass over `a` and `b`, plus the length of every enumerated match. Blocks at multiples
//! of half the length come from the exclusion methods of Gusfield and of Baeza-Yates and Perleberg
//! (1996, doi:10.1016/0020-0190(96)00083-X); the terms anchor and `maxmatch` come from MUMmer
//! (Kurtz et al. 2004, doi:10.1186/gb-2004-5-2-r12).

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::index::{Index, NONE};
use super::sizes::BlockSizes;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::{concat, try_map_ranges};
use crate::substring::pattern::Pattern;
use crate::substring::texts::Code;
use crate::symbols::hash::hashes;

/// Minimum number of windows of `b` per task.
const TASK_WINDOWS: usize = 1 << 16;

/// The matches found; incomplete if there were more than the capacity.
pub(super) struct AnchorMatches {
    /// Position in `a`, position in `b`, length.
    pub matches: Vec<(usize, usize, usize)>,
    /// Share of `b` that was searched; 1 if complete.
    pub share: f64,
}

/// Finds all maximal matches of at least `min_length` symbols; stops early if they exceed
/// `capacity`.
pub(super) fn find<C: Code>(
    index: &Index<'_, C>,
    b: &[C],
    min_length: usize,
    capacity: usize,
    control: &Control,
) -> Result<AnchorMatches> {
    let BlockSizes { width, step } = index.sizes;
    let windows = (b.len() + 1).saturating_sub(width);
    let task_windows = TASK_WINDOWS.max(4 * width);
    let (count, searched) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let task = |range: Range<usize>| {
        // Includes the windows one step earlier: they may be blocks, too.
        let from = range.start.saturating_sub(step);
        let mut search = AnchorSearch {
            index,
            b,
            min_length,
            windows: range.clone(),
            hits: VecDeque::new(),
            patterns: HashMap::new(),
        };
        let mut matches = Vec::new();
        let is_full = |more: usize| count.fetch_add(more, Ordering::Relaxed) + more > capacity;
        let mut result = control.check();
        let (mut full, mut looked_at) = (is_full(0), 0);
        for (position, hash) in (from..).zip(hashes(&b[from..range.end + width - 1], width)) {
            if full || result.is_err() {
                break;
            }
            if index.may_have(hash) {
                let before = matches.len();
                search.window(position, hash, &mut matches);
                full = is_full(matches.len() - before);
                looked_at = (position + 1).saturating_sub(range.start);
                result = control.check();
            }
        }
        let looked_at = if full { looked_at } else { range.len() };
        searched.fetch_add(looked_at, Ordering::Relaxed);
        control.add_done(looked_at as u64);
        result.map(|()| matches)
    };
    let matches = concat(try_map_ranges(windows, task_windows, task)?);
    let share = if windows == 0 {
        1.0
    } else {
        searched.into_inner() as f64 / windows as f64
    };
    Ok(AnchorMatches { matches, share })
}

struct AnchorSearch<'a, 'b, C> {
    index: &'b Index<'a, C>,
    b: &'b [C],
    min_length: usize,
    /// Windows whose matches this task reports.
    windows: Range<usize>,
    /// Windows within the last step that equal a block, with their classes.
    hits: VecDeque<(usize, u32)>,
    /// Matchers of the blocks, by class.
    patterns: HashMap<u32, Pattern<'b, C>>,
}

impl<C: Code> AnchorSearch<'_, '_, C> {
    /// Adds the matches whose first block is at this window; `hash` is the window's.
    fn window(&mut self, window: usize, hash: u64, matches: &mut Vec<(usize, usize, usize)>) {
        let Self {
            index,
            b,
            min_length,
            ..
        } = *self;
        let patterns = &mut self.patterns;
        let mut occurs = |class: u32| {
            let pattern = patterns
                .entry(class)
                .or_insert_with(|| Pattern::new(index.content(class)));
            pattern.occurs_at(b, window)
        };
        let Some(class) = index.classes(hash).find(|&class| occurs(class)) else {
            return;
        };
        let BlockSizes { width, step } = index.sizes;
        while self
            .hits
            .front()
            .is_some_and(|&(hit, _)| hit + step < window)
        {
            self.hits.pop_front();
        }
        let before = self
            .hits
            .front()
            .filter(|&&(hit, _)| hit + step == window)
            .map_or(NONE, |&(_, class)| class);
        self.hits.push_back((window, class));
        if !self.windows.contains(&window) {
            return;
        }
        for block in index.positions(class, before) {
            let (in_a, in_b) = (&index.codes[..block], &b[..window]);
            let left = in_a
                .iter()
                .rev()
                .zip(in_b.iter().rev())
                .take(step)
                .take_while(|(x, y)| x == y)
                .count();
            let right = common_prefix(&index.codes[block + width..], &b[window + width..]);
            let length = left + width + right;
            if length >= min_length {
                matches.push((block - left, window - left, length));
            }
        }
    }
}

fn common_prefix<C: PartialEq>(a: &[C], b: &[C]) -> usize {
    const AT_ONCE: usize = 64;
    let equal = a
        .chunks_exact(AT_ONCE)
        .zip(b.chunks_exact(AT_ONCE))
        .take_while(|(x, y)| x == y)
        .count()
        * AT_ONCE;
    equal
        + a[equal..]
            .iter()
            .zip(&b[equal..])
            .take_while(|(x, y)| x == y)
            .count()
}
