//! The pairs of a call.

use std::ops::Range;

use anyhow::bail;
use swath::pairs::{PairValue, Pairs, Strings};
use swath::{Error, Symbol};

use crate::args::PairsArgs;
use crate::input::StringList;
use crate::lists::{
    Fingerprint, Label, Output, PartRange, call_entries, content, digits, hash_of, mtx, shown,
    value_name,
};

/// Bytes of a symbol of the longest of the targets that are compared at once on the CPU.
const LANE_BYTES: u64 = 64;

/// Entries of a fingerprint in which the parts of a call may differ.
const SHARD: &str = "--shard";
const VERSION: &str = "the version";

enum Selection {
    Cross,
    Symmetric,
    Zip,
    List(Vec<(u32, u32)>),
}

pub struct Job<'a, S: Symbol> {
    pub args: &'a PairsArgs,
    pub queries: &'a StringList<S>,
    pub targets: &'a StringList<S>,
    selection: Selection,
    pub count: u64,
    /// Positions of the pairs of this part among all pairs.
    pub positions: Range<u64>,
}

impl<'a, S: Symbol> Job<'a, S> {
    pub fn new(
        args: &'a PairsArgs,
        queries: &'a StringList<S>,
        targets: &'a StringList<S>,
        list: Option<Vec<(u32, u32)>>,
    ) -> anyhow::Result<Self> {
        let mut job = Self {
            args,
            queries,
            targets,
            selection: Selection::Cross,
            count: 0,
            positions: 0..0,
        };
        if let Some(mut list) = list {
            if args.top.is_some() {
                // The pairs of a query stand together.
                list.sort_by_key(|&(query, _)| query);
            }
            job.selection = Selection::List(list);
        } else if args.zip {
            job.check_counts()?;
            job.selection = Selection::Zip;
        } else if !job.has_targets() && args.top.is_none() && !args.format.is_dense() {
            job.selection = Selection::Symmetric;
        }
        let (share, shares) = args.shard.unwrap_or((0, 1));
        let pairs = job.pairs();
        let (count, shard) = (pairs.count()?, pairs.shard(share, shares).positions()?);
        job.count = count;
        job.positions = if job.has_whole_rows() {
            job.row_end(shard.start)..job.row_end(shard.end)
        } else {
            shard
        };
        Ok(job)
    }

    /// The best targets of a query may be anywhere, and the part of a matrix has rows.
    fn has_whole_rows(&self) -> bool {
        let is_matrix = matches!(self.selection, Selection::Cross);
        self.args.top.is_some() || (is_matrix && self.args.format.is_dense())
    }

    /// The first position from this one on where a query's pairs begin or all pairs end.
    fn row_end(&self, position: u64) -> u64 {
        match &self.selection {
            Selection::List(list) => match position.checked_sub(1) {
                Some(last) => {
                    let (query, _) = list[last as usize];
                    list.partition_point(|&(other, _)| other <= query) as u64
                }
                None => 0,
            },
            Selection::Cross => match self.targets.strings.len() as u64 {
                0 => position,
                targets => position.next_multiple_of(targets),
            },
            Selection::Zip | Selection::Symmetric => position,
        }
    }

    /// The last position up to this one where a query's pairs begin or all pairs end.
    pub fn row_start(&self, position: u64) -> u64 {
        match &self.selection {
            Selection::List(list) => match list.get(position as usize) {
                Some(&(query, _)) => list.partition_point(|&(other, _)| other < query) as u64,
                None => position,
            },
            Selection::Cross => position - position % (self.targets.strings.len() as u64).max(1),
            Selection::Zip | Selection::Symmetric => position,
        }
    }

    fn check_counts(&self) -> anyhow::Result<()> {
        let (mut longer, mut shorter) = (self.queries, self.targets);
        if longer.strings.len() <= shorter.strings.len() {
            std::mem::swap(&mut longer, &mut shorter);
        }
        let count = shorter.strings.len();
        if longer.strings.len() != count {
            bail!(
                "{} has no partner: {} has {count} strings, and --zip takes the first with the first, and so on",
                longer.location(count),
                shorter.name
            );
        }
        Ok(())
    }

    pub fn size_bytes(&self) -> u64 {
        let targets = if self.has_targets() {
            self.targets.size_bytes()
        } else {
            0
        };
        let selection = match &self.selection {
            Selection::List(list) => size_of_val(&list[..]) as u64,
            _ => 0,
        };
        let best = self.args.top.unwrap_or(0).into();
        let best = (self.targets.strings.len() as u64).min(best) * size_of::<PairValue>() as u64;
        self.queries.size_bytes() + targets + selection + best
    }

    /// Targets that are compared at once are padded to the longest.
    pub fn check_longest(&self, host_memory: u64) -> anyhow::Result<()> {
        let targets = &self.targets.strings;
        let lens = targets.iter().map(<[S]>::len).zip(0..);
        let Some((len, index)) = lens.max() else {
            return Ok(());
        };
        let needed = len as u64 * LANE_BYTES;
        if needed <= host_memory {
            return Ok(());
        }
        let error = Error::MemoryBudget {
            what: format!(
                "{}: a string of {len} symbols",
                self.targets.location(index)
            ),
            needed,
            limit: host_memory,
            smallest: needed,
        };
        Err(anyhow::Error::from(error).context("compare it alone, with swath edit"))
    }

    pub fn pairs(&self) -> Pairs<'_, S> {
        let (args, queries, targets) = (self.args, &self.queries.strings, &self.targets.strings);
        let pairs = match &self.selection {
            Selection::Cross => Pairs::cross(queries, targets),
            Selection::Symmetric => Pairs::symmetric(queries),
            Selection::Zip => Pairs::zip(queries, targets),
            Selection::List(list) => Pairs::list(queries, targets, &list[..]),
        };
        let longest = |strings: &Strings<'_, S>| strings.iter().map(<[S]>::len).max();
        let [query, target] = [queries, targets].map(|list| longest(list).unwrap_or(0) as u64);
        let bound = |min| args.measure.bound(args.mode, min, query, target);
        let similar = args.at_least.and_then(bound);
        let bounds = args.max_distance.into_iter().chain(similar);
        let pairs = pairs.measure(args.measure).mode(args.mode);
        bounds.min().into_iter().fold(pairs, Pairs::within)
    }

    pub fn shape(&self) -> Vec<u64> {
        let pairs = self.positions.end - self.positions.start;
        let (queries, targets) = (self.queries.strings.len(), self.targets.strings.len());
        match self.selection {
            Selection::List(_) | Selection::Zip => vec![pairs],
            _ => match targets as u64 {
                0 => vec![queries as u64, 0],
                targets => vec![pairs / targets, targets],
            },
        }
    }

    /// `None` if the part is all pairs.
    pub fn range(&self) -> Option<PartRange> {
        let Range { start, end } = self.positions;
        self.args.shard.map(|_| PartRange {
            start,
            end,
            count: self.count,
            call: Some(self.call_hash()),
        })
    }

    pub fn mtx_head(&self) -> mtx::Head {
        mtx::Head {
            is_real: self.args.has_similarities(),
            is_symmetric: self.is_symmetric(),
            rows: self.queries.strings.len() as u64,
            columns: self.targets.strings.len() as u64,
            range: self.range(),
            count: self.count,
        }
    }

    /// Equal in all parts of a call.
    fn call_hash(&self) -> u64 {
        let mut call = self.fingerprint();
        call.retain(|(name, _)| name != SHARD && name != VERSION);
        hash_of(&call)
    }

    /// Inputs and options that all bytes of the output follow from.
    pub fn fingerprint(&self) -> Fingerprint {
        let args = self.args;
        let targets = self.has_targets().then(|| content(self.targets));
        let list = match &self.selection {
            Selection::List(list) => Some(digits(hash_of(list))),
            _ => None,
        };
        call_entries([
            (VERSION, &env!("CARGO_PKG_VERSION")),
            ("--format", &value_name(args.format)),
            ("--symbols", &value_name(args.strings.symbols)),
            ("--ignore-case", &args.strings.ignore_case),
            ("--zip", &args.zip),
            (SHARD, &shown(args.shard.map(|(i, n)| format!("{i}/{n}")))),
            ("--measure", &args.measure.name()),
            ("--mode", &args.mode.name()),
            ("-k", &shown(args.max_distance)),
            ("--top", &shown(args.top)),
            ("--at-least", &shown(args.at_least)),
            ("--normalized", &args.normalized),
            ("--counts", &args.counts),
            ("--path", &args.path),
            ("--show", &value_name(args.labels.show())),
            ("the queries", &content(self.queries)),
            ("the targets", &shown(targets)),
            ("--list", &shown(list)),
        ])
    }

    /// Notes that the pairs before a position are written. The last one needs no checkpoint: the file
    /// is complete soon.
    pub fn checkpoint(&self, next: u64, rows: u64, out: &mut Output<'_>) -> anyhow::Result<()> {
        if next < self.positions.end {
            out.checkpoint(next, rows, None)?;
        }
        Ok(())
    }

    pub fn has_targets(&self) -> bool {
        self.args.targets.is_some()
    }

    /// Returns `true` if each pair of one list is computed once.
    pub fn is_symmetric(&self) -> bool {
        matches!(self.selection, Selection::Symmetric)
    }

    /// A string with itself is no pair of one list.
    pub fn skips(&self, pair: PairValue) -> bool {
        let is_all = matches!(self.selection, Selection::Cross);
        is_all && !self.has_targets() && pair.query == pair.target
    }

    pub fn strings(&self, pair: PairValue) -> (&[S], &[S]) {
        (
            &self.queries.strings[pair.query],
            &self.targets.strings[pair.target],
        )
    }

    pub fn similarity(&self, pair: PairValue) -> f64 {
        let (query, target) = self.strings(pair);
        let (args, lens) = (self.args, [query.len(), target.len()].map(|len| len as u64));
        args.measure
            .similarity(args.mode, pair.value.into(), lens[0], lens[1])
    }

    /// Similarity of the pair at a position among all pairs; 0 above the bound.
    pub fn similarity_at(&self, position: u64, value: u32) -> f64 {
        let max_distance = self.args.max_distance.unwrap_or(u64::MAX);
        if u64::from(value) > max_distance {
            return 0.0;
        }
        let (position, targets) = (position as usize, self.targets.strings.len());
        let (query, target) = match &self.selection {
            Selection::List(list) => (list[position].0 as usize, list[position].1 as usize),
            Selection::Zip => (position, position),
            _ => (position / targets, position % targets),
        };
        self.similarity(PairValue {
            query,
            target,
            value,
        })
    }

    pub fn query_label(&self, position: usize) -> Label<'_> {
        Label::of(self.queries, position, self.args.labels.show())
    }

    pub fn target_label(&self, position: usize) -> Label<'_> {
        Label::of(self.targets, position, self.args.labels.show())
    }

    pub fn lists(&self) -> impl Iterator<Item = &'a StringList<S>> + use<'a, S> {
        let lists = [self.queries, self.targets];
        let count = 1 + usize::from(self.has_targets());
        lists.into_iter().take(count)
    }
}
