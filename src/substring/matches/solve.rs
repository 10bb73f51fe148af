//! Runs a call for all maximal matches: encodes the inputs, searches every pair, maps places back,
//! verifies.

use super::anchors;
use super::index::{self, Index};
use super::sizes::BlockSizes;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::profile::cpu as figures;
use crate::engine::{Device, Engine, PlanSummary, Report, profile};
use crate::error::{Error, Result};
use crate::host::parallel::{extend_ranges, sort_unstable};
use crate::sequences::typed::for_class;
use crate::substring::answer::{MaximalMatch, MaximalMatches};
use crate::substring::certificate::Inputs;
use crate::substring::inputs::{PROBLEM, Records, check_inputs};
use crate::substring::place::Strand;
use crate::substring::texts::{Code, Text, Texts};
use crate::substring::{Method, SubstringOptions, reference, suffix_array};

/// Bytes of a match as found and as reported.
const MATCH_BYTES: u64 = (size_of::<(usize, usize, usize)>() + size_of::<MaximalMatch>()) as u64;
/// Matches whose places a task computes.
const PLACED: usize = 1 << 7;

/// Asks for the maximal matches of every two texts.
struct MatchQuery<'a, C: Code> {
    texts: &'a [Text<'a, C>],
    min_length: usize,
    method: Method,
    input_symbols: u128,
}

impl<C: Code> Ways for MatchQuery<'_, C> {
    type Answer = Vec<MaximalMatch>;

    fn requested(&self) -> &'static str {
        self.method.name()
    }

    fn cells(&self) -> u128 {
        self.input_symbols
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![&Method::Anchors, &Method::SuffixArray, &Method::Reference],
            _ => Vec::new(),
        }
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        false
    }
}

impl<C: Code> Way<MatchQuery<'_, C>> for Method {
    fn method(&self) -> &'static str {
        self.name()
    }

    fn is_automatic(&self) -> bool {
        *self == Method::Anchors
    }

    fn on_cpu(&self, engine: &Engine, query: &MatchQuery<'_, C>) -> Result<Option<Cost>> {
        let MatchQuery {
            texts, min_length, ..
        } = *query;
        let host_bytes = host_bytes(engine, texts, min_length, *self)?;
        let symbols: f64 = texts.iter().map(|text| text.codes.len() as f64).sum();
        let seconds = match self {
            Method::Reference => symbols.powi(2) / figures::REFERENCE_CELLS_PER_SECOND,
            Method::SuffixArray => symbols / figures::SUFFIX_ARRAY_SYMBOLS_PER_SECOND,
            _ => {
                let rate = figures::ANCHORED_SYMBOLS_PER_SECOND;
                symbols / rate / profile::speedup(engine.threads())
                    + index_seconds(texts, min_length)
            }
        };
        Ok(Some(Cost {
            host_bytes,
            ..Cost::new(seconds)
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut MatchQuery<'_, C>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Vec<MaximalMatch>> {
        Box::pin(async move { all_pairs(call, query, *self).map(Some) })
    }
}

pub(super) struct AllMatches<'a> {
    records: &'a Records<'a>,
    both_strands: bool,
    min_length: usize,
    method: Method,
}

impl<'a> AllMatches<'a> {
    pub(super) fn new(
        records: &'a Records<'a>,
        both_strands: bool,
        min_length: u64,
        options: &SubstringOptions,
    ) -> Result<Self> {
        check_inputs(records.len())?;
        let out_of_range = |what, given, allowed: &str| {
            Err(Error::OutOfRange {
                what,
                given,
                allowed: allowed.to_string(),
            })
        };
        if let Some(given) = options.inputs {
            return out_of_range(
                "the number of inputs that a match has to be in",
                given,
                "left out: a match is between two inputs",
            );
        }
        if min_length == 0 {
            return out_of_range("the least length of a match", min_length, "1 or more");
        }
        if let method @ (Method::Cascade | Method::SortAndScan) = options.method {
            let device = "matches of a least length".to_string();
            let reason =
                "it looks for the longest substring alone; take the method 'anchors'".to_string();
            return Err(Error::MethodUnavailable {
                method: method.name(),
                device,
                reason,
            });
        }
        records.check_strands(both_strands)?;
        Ok(Self {
            records,
            both_strands,
            // No text is longer than the address space.
            min_length: usize::try_from(min_length).unwrap_or(usize::MAX),
            method: options.method,
        })
    }

    fn query<'c, C: Code>(&self, texts: &'c [Text<'c, C>]) -> MatchQuery<'c, C> {
        MatchQuery {
            texts,
            min_length: self.min_length,
            method: self.method,
            input_symbols: self.records.symbols(),
        }
    }

    /// Encodes the inputs. The last input needs one strand only: it is never the first of a pair.
    fn texts(&self) -> Result<Texts<'a>> {
        let last = self.records.len().saturating_sub(1);
        self.records
            .texts(|input| self.both_strands && input < last)
    }

    pub(super) fn plan(&self, engine: &Engine) -> Result<PlanSummary> {
        match &self.texts()? {
            Texts::Narrow(texts) => placement::plan(engine, &self.query(texts)),
            Texts::Wide(texts) => placement::plan(engine, &self.query(texts)),
        }
    }

    pub(super) async fn solve(&self, call: &Call<'_>) -> Result<Report<MaximalMatches>> {
        let texts = self.texts()?;
        call.phases.lap(Phase::Encode);
        call.control.set_phase(Phase::Search);
        let placed = match &texts {
            Texts::Narrow(texts) => placement::run(call, &mut self.query(texts)).await,
            Texts::Wide(texts) => placement::run(call, &mut self.query(texts)).await,
        };
        let (mut matches, mut run) = placed?;
        for_class!(&self.records.all, PROBLEM, |all| {
            let certificate = Inputs {
                records: &self.records.by_input(all),
                both_strands: self.both_strands,
            };
            matches.retain(|found| !certificate.is_repeated(found));
            sort_unstable(&mut matches);
            call.phases.lap(Phase::Search);
            call.control.set_phase(Phase::Verify);
            certificate.verify_matches(&matches)
        })?;
        call.phases.lap(Phase::Verify);
        call.close(&mut run);
        Ok(Report::new(MaximalMatches { matches }, run))
    }
}

fn all_pairs<C: Code>(
    call: &Call<'_>,
    query: &MatchQuery<'_, C>,
    method: Method,
) -> Result<Answered<Vec<MaximalMatch>>> {
    let (mut matches, mut computed_cells) = (Vec::new(), 0);
    let (texts, min_length) = (query.texts, query.min_length);
    let work = |(first, a): (usize, &Text<'_, C>)| {
        let after = &texts[first + 1..];
        let work = |b: &Text<'_, C>| work(a.codes.len(), b.forward().len(), min_length, method);
        after.iter().map(work).sum::<u64>()
    };
    let total = texts.iter().enumerate().map(work).sum();
    call.control.set_estimate(total);
    for (first, a) in texts.iter().enumerate() {
        for b in &texts[first + 1..] {
            call.control.check()?;
            let held = matches.len() as u64 * size_of::<MaximalMatch>() as u64;
            let budget = MatchBudget {
                engine: call.engine,
                held,
                min_length,
            };
            let found = pair(&budget, &a.codes, b.forward(), method, call.control)?;
            extend_ranges(&mut matches, found.len(), PLACED, |range| {
                let found = found[range].iter();
                found.map(|&(in_a, in_b, len)| placed(a, b, in_a, in_b, len))
            });
            computed_cells += (a.codes.len() + b.forward().len()) as u128;
        }
    }
    Ok(Answered::without_path(matches, computed_cells))
}

/// Cells that the search of a pair of texts announces.
fn work(a: usize, b: usize, min_length: usize, method: Method) -> u64 {
    match method {
        _ if min_length > a.min(b) => 0,
        Method::Reference => 0,
        Method::SuffixArray => suffix_array::work(a + b),
        _ => b as u64,
    }
}

/// Memory account of the matches.
struct MatchBudget<'a> {
    engine: &'a Engine,
    /// Bytes held by the matches of other pairs.
    held: u64,
    min_length: usize,
}

/// Number of matches that fit besides `other_bytes` in use.
#[derive(Clone, Copy)]
struct MatchCapacity {
    matches: usize,
    other_bytes: u64,
}

impl MatchBudget<'_> {
    /// Capacity for matches while `bytes` more are in use.
    fn capacity(&self, what: &str, bytes: u64) -> Result<MatchCapacity> {
        let other_bytes = self.held.saturating_add(bytes);
        self.engine
            .check_host_budget(what, u128::from(other_bytes))?;
        let matches = usize::try_from((self.engine.host_budget() - other_bytes) / MATCH_BYTES)
            .unwrap_or(usize::MAX);
        Ok(MatchCapacity {
            matches,
            other_bytes,
        })
    }

    /// Refuses more matches than fit: estimates their total from the searched share, and the least
    /// length at which they would fit.
    fn check(
        &self,
        matches: &[(usize, usize, usize)],
        share: f64,
        capacity: MatchCapacity,
    ) -> Result<()> {
        if matches.len() <= capacity.matches {
            return Ok(());
        }
        let mut lengths: Vec<_> = matches.iter().map(|found| found.2).collect();
        lengths.sort_unstable_by_key(|&length| std::cmp::Reverse(length));
        let share = share.max(f64::MIN_POSITIVE);
        let all = (matches.len() as f64 / share) as u64;
        // Half of what fits: a margin for the error of the estimate.
        let fit = (capacity.matches as f64 * share / 2.0) as usize;
        let longest_left_out = lengths
            .get(fit)
            .copied()
            .unwrap_or(self.min_length)
            .max(self.min_length);
        Err(Error::TooManyMatches {
            matches: all,
            length: self.min_length as u64,
            needed: all
                .saturating_mul(MATCH_BYTES)
                .saturating_add(capacity.other_bytes),
            limit: self.engine.host_budget(),
            remedy: longest_left_out as u64 + 1,
        })
    }
}

fn pair<C: Code>(
    budget: &MatchBudget<'_>,
    a: &[C],
    b: &[C],
    method: Method,
    control: &Control,
) -> Result<Vec<(usize, usize, usize)>> {
    let min_length = budget.min_length;
    if min_length > a.len() || min_length > b.len() {
        return Ok(Vec::new());
    }
    let blocks = blocks(a, min_length, method);
    let (what, bytes) = memory(a, b, blocks, method)?;
    let capacity = budget.capacity(what, bytes)?;
    let (found, share) = match (method, blocks) {
        (_, Some(sizes)) => {
            control.add_total(work(a.len(), b.len(), min_length, method));
            let index = Index::new(a, sizes)?;
            let found = anchors::find(&index, b, min_length, capacity.matches, control)?;
            (found.matches, found.share)
        }
        (Method::Reference, _) => {
            let found = reference::matches(a, b, min_length, || control.check().is_ok());
            (found.ok_or(Error::Cancelled)?, 1.0)
        }
        _ => {
            let mut found = Vec::new();
            suffix_array::matches(a, b, min_length, control, |one, share| {
                found.push(one);
                budget.check(&found, share, capacity)
            })?;
            return Ok(found);
        }
    };
    budget.check(&found, share, capacity)?;
    Ok(found)
}

/// Blocks of the first input, for the methods with an index of them.
fn blocks<C: Code>(a: &[C], min_length: usize, method: Method) -> Option<BlockSizes> {
    let has_index = !matches!(method, Method::Reference | Method::SuffixArray);
    has_index.then(|| BlockSizes::new(a, min_length))
}

/// Name in error messages, and peak host memory of the method for a pair, without the matches.
fn memory<C: Code>(
    a: &[C],
    b: &[C],
    blocks: Option<BlockSizes>,
    method: Method,
) -> Result<(&'static str, u64)> {
    Ok(match (method, blocks) {
        (_, Some(sizes)) => (
            "the index of the first input's blocks",
            index::size_bytes(sizes.blocks(a.len())),
        ),
        (Method::Reference, _) => ("the method 'reference'", 0),
        _ => (suffix_array::WHAT, suffix_array::host_bytes(&[a, b])?),
    })
}

/// Peak host memory of the method over all pairs, without the matches.
fn host_bytes<C: Code>(
    engine: &Engine,
    texts: &[Text<'_, C>],
    min_length: usize,
    method: Method,
) -> Result<u64> {
    let mut max = 0;
    for (first, a) in texts.iter().enumerate() {
        for b in &texts[first + 1..] {
            let blocks = blocks(&a.codes, min_length, method);
            let (what, bytes) = memory(&a.codes, b.forward(), blocks, method)?;
            engine.check_host_budget(what, u128::from(bytes))?;
            max = max.max(bytes);
        }
    }
    Ok(max)
}

/// Estimated seconds to build and query the block indexes of all pairs.
fn index_seconds<C: Code>(texts: &[Text<'_, C>], min_length: usize) -> f64 {
    let of_text = |(text, a): (usize, &Text<'_, C>)| {
        let blocks = BlockSizes::new(&a.codes, min_length).blocks(a.codes.len());
        (texts.len() - 1 - text) as f64 * profile::cpu::block_seconds(blocks) * blocks as f64
    };
    texts.iter().enumerate().map(of_text).sum()
}

/// Maps a match to places in the inputs, read on the forward strand of the first.
fn placed<C: Code>(
    a: &Text<'_, C>,
    b: &Text<'_, C>,
    in_a: usize,
    in_b: usize,
    length: usize,
) -> MaximalMatch {
    let (a, b) = (a.place(in_a..in_a + length), b.place(in_b..in_b + length));

    match a.strand {
        Strand::Forward => MaximalMatch { a, b, length },
        Strand::Reverse => MaximalMatch {
            a: a.turned(),
            b: b.turned(),
            length,
        },
    }
}
