//! The pairs of a call.

use std::ops::Range;

use anyhow::bail;
use swath::Symbol;
use swath::pairs::{PairValue, Pairs, Strings};

use super::scale::Scale;
use crate::args::PairsArgs;
use crate::input::StringList;
use crate::lists::Label;

/// The pairs that are computed.
enum Selection<S: Symbol> {
    Cross,
    /// The queries of a part, each with every target.
    Rows(Strings<'static, S>),
    Symmetric,
    Zip,
    List(Vec<(u32, u32)>),
}

/// Strings, pairs and options of a call.
pub struct Job<'a, S: Symbol> {
    pub args: &'a PairsArgs,
    pub queries: &'a StringList<S>,
    pub targets: &'a StringList<S>,
    selection: Selection<S>,
    /// Position of the first query that is computed.
    pub first_query: usize,
    /// Part of the pairs that the library takes.
    shard: (u64, u64),
}

impl<'a, S: Symbol> Job<'a, S> {
    pub fn new(
        args: &'a PairsArgs,
        (queries, targets): (&'a StringList<S>, &'a StringList<S>),
        list: Option<Vec<(u32, u32)>>,
    ) -> anyhow::Result<Self> {
        let mut job = Self {
            args,
            queries,
            targets,
            selection: Selection::Cross,
            first_query: 0,
            shard: args.shard.unwrap_or((0, 1)),
        };
        if let Some(list) = list {
            job.selection = Selection::List(job.part_of_list(list));
        } else if args.zip {
            job.check_counts()?;
            job.selection = Selection::Zip;
        } else if args.top.is_some() && args.shard.is_some() {
            // Whole queries, as their best targets may be anywhere.
            let rows = part(queries.strings.len(), job.shard);
            let strings = queries.strings.iter().skip(rows.start).take(rows.len());
            job.selection = Selection::Rows(Strings::from_slices(strings));
            (job.first_query, job.shard) = (rows.start, (0, 1));
        } else if !job.has_targets() && args.top.is_none() && !args.format.is_dense() {
            job.selection = Selection::Symmetric;
        }
        Ok(job)
    }

    /// With `--top` the pairs of a query stand together, and belong to one part.
    fn part_of_list(&mut self, mut list: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        if self.args.top.is_none() {
            return list;
        }
        list.sort_by_key(|&(query, _)| query);
        let rows = part(list.len(), std::mem::replace(&mut self.shard, (0, 1)));
        let start = |place: usize| match list.get(place) {
            Some(&(query, _)) => list.partition_point(|&(other, _)| other < query),
            None => list.len(),
        };
        list[start(rows.start)..start(rows.end)].to_vec()
    }

    fn check_counts(&self) -> anyhow::Result<()> {
        let lists = (self.queries, self.targets);
        let (longer, shorter) = match lists.0.strings.len() > lists.1.strings.len() {
            true => lists,
            false => (lists.1, lists.0),
        };
        let count = shorter.strings.len();
        if longer.strings.len() != count {
            bail!(
                "{} has no partner: {} has {count} strings, and --zip takes the first with the first, and so on",
                longer.place(count),
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
            Selection::Rows(_) => self.queries.size_bytes(),
            _ => 0,
        };
        self.queries.size_bytes() + targets + selection
    }

    /// The task, without a destination of its values.
    pub fn pairs(&self) -> Pairs<'_, S> {
        let (args, queries, targets) = (self.args, &self.queries.strings, &self.targets.strings);
        let pairs = match &self.selection {
            Selection::Cross => Pairs::cross(queries, targets),
            Selection::Rows(queries) => Pairs::cross(queries, targets),
            Selection::Symmetric => Pairs::symmetric(queries),
            Selection::Zip => Pairs::zip(queries, targets),
            Selection::List(list) => Pairs::list(queries, targets, &list[..]),
        };
        let longest = |strings: &Strings<'_, S>| strings.iter().map(<[S]>::len).max();
        let longest = (longest(queries).unwrap_or(0), longest(targets).unwrap_or(0));
        let similar = args
            .at_least
            .and_then(|least| self.scale().bound(least, longest));
        let bounds = args.max_distance.into_iter().chain(similar);
        let pairs = pairs.measure(args.measure).mode(args.mode);
        let pairs = bounds.min().into_iter().fold(pairs, Pairs::within);
        pairs.shard(self.shard.0, self.shard.1)
    }

    /// Shape of an array of all values.
    pub fn shape(&self) -> Vec<usize> {
        let (queries, targets) = (self.queries.strings.len(), self.targets.strings.len());
        match &self.selection {
            Selection::List(list) => vec![list.len()],
            Selection::Zip => vec![queries],
            _ => vec![queries, targets],
        }
    }

    pub fn has_targets(&self) -> bool {
        self.args.targets.is_some()
    }

    /// Returns `true` if each pair of one list is computed once.
    pub fn is_symmetric(&self) -> bool {
        matches!(self.selection, Selection::Symmetric)
    }

    /// Returns `true` for a string with itself, which is no pair of one list.
    pub fn skips(&self, pair: PairValue) -> bool {
        let is_all = matches!(self.selection, Selection::Cross | Selection::Rows(_));
        is_all && !self.has_targets() && pair.query + self.first_query == pair.target
    }

    pub fn strings(&self, pair: PairValue) -> (&[S], &[S]) {
        let query = &self.queries.strings[pair.query + self.first_query];
        (query, &self.targets.strings[pair.target])
    }

    fn scale(&self) -> Scale {
        Scale {
            measure: self.args.measure,
            mode: self.args.mode,
        }
    }

    pub fn similarity(&self, pair: PairValue) -> f64 {
        let (query, target) = self.strings(pair);
        let lens = (query.len(), target.len());
        self.scale().similarity(pair.value, lens)
    }

    /// Similarity of pair `place` of all pairs; 0 above the bound.
    pub fn similarity_at(&self, place: u64, value: u32) -> f64 {
        if self
            .args
            .max_distance
            .is_some_and(|max| u64::from(value) > max)
        {
            return 0.0;
        }
        let (query, target) = match &self.selection {
            Selection::List(list) => {
                let (query, target) = list[place as usize];
                (query as usize, target as usize)
            }
            Selection::Zip => (place as usize, place as usize),
            _ => {
                let targets = self.targets.strings.len() as u64;
                ((place / targets) as usize, (place % targets) as usize)
            }
        };
        self.similarity(PairValue {
            query,
            target,
            value,
        })
    }

    pub fn query_label(&self, position: usize) -> Label<'_> {
        Label::of(self.queries, position, self.args.positions)
    }

    pub fn target_label(&self, position: usize) -> Label<'_> {
        Label::of(self.targets, position, self.args.positions)
    }

    /// The lists that were given.
    pub fn lists(&self) -> Vec<&StringList<S>> {
        let lists = [self.queries, self.targets].into_iter();
        lists.take(1 + usize::from(self.has_targets())).collect()
    }
}

/// Range of share `share` of `count` items, in equal shares.
fn part(count: usize, (share, shares): (u64, u64)) -> Range<usize> {
    let start = |share: u64| (count as u128 * u128::from(share) / u128::from(shares)) as usize;
    start(share)..start(share + 1)
}
