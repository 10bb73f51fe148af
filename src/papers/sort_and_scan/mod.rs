//! Sort and scan: binary search on the length of the longest common substring; for each length the
//! hashes of all windows of all texts are sorted, so that equal hashes are adjacent.
//!
//! Source: Hansda 2026, "Parallel Programming: Assignment 1", sections 2.4 (the search), 3.2 and 3.3
//! (CPU and GPU). Departures: hashes are modulo 2^61 - 1 with a random base, because hashes modulo
//! 2^64 fail on Thue-Morse words; all windows of equal hash are compared, not only neighbours, and
//! neighbours on the GPU already; any number of texts; the CPU sorts the windows of all texts, as
//! the GPU does, instead of looking up those of one text among those of the other.

mod gpu;
pub mod plan;
pub mod sizes;

use std::ops::Range;

use crate::call::control::Control;
use crate::call::hand_over::ready;
use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::profile::{cpu, gpu as gpu_figures, speedup};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::host::parallel::{concat, map};
use crate::substring::Method;
use crate::substring::longest::LongestQuery;
use crate::substring::query::{LongestSubstrings, SubstringQuery};
use crate::substring::search::filter::{Keys, Survivor, Windows};
use crate::substring::search::prefixes::{self, prefixes};
use crate::substring::search::resolve::{classes, split};
use crate::substring::search::verify::{TextPosition, are_equal};
use crate::substring::search::{SearchOutcome, SearchStats, Settings, hash};
use crate::substring::texts::Code;
pub use gpu::on_gpu;
use sizes::WindowSortSizes;

/// Windows per task.
const TASK: usize = 1 << 14;

/// Windows of one length that occur in enough texts.
pub enum CommonWindows {
    Absent,
    /// Some exist. Lists all of them in classes of equal windows; `None` if there are many and they
    /// were not requested.
    Present(Option<Vec<Vec<TextPosition>>>),
}

/// Sorts the windows of one length by hash.
pub trait WindowSorter {
    /// The windows that occur in enough texts; only their existence unless `all` is set.
    fn common(
        &mut self,
        windows: Windows,
        all: bool,
    ) -> impl Future<Output = Result<CommonWindows>>;

    /// Work for one length, in cells.
    fn cells(&self, windows: Windows) -> u64;

    fn windows(&self) -> u64;
}

/// Binary search on the window length.
///
/// # Errors
/// Errors of the sorter.
pub async fn search<C: Code>(
    query: SubstringQuery<'_, C>,
    settings: &Settings,
    sorter: &mut impl WindowSorter,
    control: &Control,
) -> Result<(SearchOutcome, SearchStats)> {
    let base = hash::base(settings.seed);
    let mut lengths: Vec<_> = query.texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable_by(|one, two| two.cmp(one));
    let (mut low, mut high) = (
        0,
        lengths
            .get(query.inputs.saturating_sub(1))
            .copied()
            .unwrap_or(0),
    );
    let (mut found, mut stats) = (Some(Vec::new()), SearchStats::default());
    control.set_phase(Phase::Sweep);
    while low < high || found.is_none() {
        control.check()?;
        let all = low == high;
        let windows = Windows {
            length: low + (high - low).div_ceil(2),
            base,
        };
        stats.lengths += 1;
        let rounds = 1 + u64::from((high - low + 1).ilog2());
        control.set_estimate(rounds.saturating_mul(sorter.cells(windows)));
        match sorter.common(windows, all).await? {
            CommonWindows::Present(classes) if !all || classes.is_some() => {
                (low, found) = (windows.length, classes)
            }
            CommonWindows::Absent if !all => high = windows.length - 1,
            _ => {
                return Err(Error::CertificateFailed(format!(
                    "windows of {low} symbols were found and are gone"
                )));
            }
        }
    }
    stats.windows = sorter.windows();
    Ok((
        SearchOutcome::Found(LongestSubstrings::sorted(low, found.unwrap_or_default())),
        stats,
    ))
}

/// The method on the CPU, on the current thread pool.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(
    query: SubstringQuery<'_, C>,
    settings: &Settings,
    control: &Control,
) -> Result<(SearchOutcome, SearchStats)> {
    let mut sorter = CpuWindowSorter {
        query,
        control,
        prefixes: None,
        windows: 0,
    };
    ready(search(query, settings, &mut sorter, control))
}

struct CpuWindowSorter<'a, C: Code> {
    query: SubstringQuery<'a, C>,
    control: &'a Control,
    prefixes: Option<Vec<Vec<u64>>>,
    windows: u64,
}

impl<C: Code> WindowSorter for CpuWindowSorter<'_, C> {
    async fn common(&mut self, windows: Windows, _: bool) -> Result<CommonWindows> {
        let Self { query, control, .. } = self;
        let of = |text: &&[C]| prefixes(text, windows.base);
        let prefixes = self
            .prefixes
            .get_or_insert_with(|| query.texts.iter().map(of).collect());
        let list = hashed(query, windows, prefixes, control);
        self.windows += list.len() as u64;
        let classes = classes_of(query, list, windows.length);
        Ok(if classes.is_empty() {
            CommonWindows::Absent
        } else {
            CommonWindows::Present(Some(classes))
        })
    }

    fn cells(&self, windows: Windows) -> u64 {
        tasks(&self.query, windows).len() as u64 * TASK as u64
    }

    fn windows(&self) -> u64 {
        self.windows
    }
}

/// Classes of equal windows that occur in enough texts.
pub fn classes_of<C: Code>(
    query: &SubstringQuery<'_, C>,
    list: Vec<Survivor>,
    length: usize,
) -> Vec<Vec<TextPosition>> {
    equal(query, classes(list, query.inputs), length)
}

/// Host memory of the method besides the texts: all windows twice while they are sorted, and prefix
/// hashes.
pub fn host_bytes<C: Code>(query: &SubstringQuery<'_, C>) -> u64 {
    let symbols: usize = query.texts.iter().map(|text| text.len()).sum();
    (symbols as u64).saturating_mul(2 * size_of::<Survivor>() as u64)
        + prefixes::host_bytes(symbols)
}

/// Splits the windows of all texts into tasks.
fn tasks<C: Code>(query: &SubstringQuery<'_, C>, windows: Windows) -> Vec<(usize, Range<usize>)> {
    let of_text = |(text, symbols): (usize, &&[C])| {
        let count = windows.count(symbols.len());
        (0..count)
            .step_by(TASK)
            .map(move |first| (text, first..count.min(first + TASK)))
    };
    query.texts.iter().enumerate().flat_map(of_text).collect()
}

/// All windows with their hashes.
fn hashed<C: Code>(
    query: &SubstringQuery<'_, C>,
    windows: Windows,
    prefixes: &[Vec<u64>],
    control: &Control,
) -> Vec<Survivor> {
    let (power, tasks) = (windows.power(), tasks(query, windows));
    let hashes = |task: usize| {
        let (text, places) = &tasks[task];
        let mut keys = Keys::hashed(query.texts[*text], windows, power, &prefixes[*text]);
        let of = |position| Survivor {
            key: keys.key(position),
            text: *text,
            position,
        };
        places.clone().map(of).collect::<Vec<_>>()
    };
    control.add_total(tasks.len() as u64 * TASK as u64);
    let list = concat(map(tasks.len(), hashes));
    control.add_done(tasks.len() as u64 * TASK as u64);
    list
}

/// Splits the classes whose windows share a hash only.
fn equal<C: Code>(
    query: &SubstringQuery<'_, C>,
    classes: Vec<Vec<TextPosition>>,
    length: usize,
) -> Vec<Vec<TextPosition>> {
    if are_equal(query.texts, &classes, length) {
        return classes;
    }
    let separate = |class: Vec<TextPosition>| {
        if are_equal(query.texts, std::slice::from_ref(&class), length) {
            vec![class]
        } else {
            split(query, &class, 0, length)
        }
    };
    classes.into_iter().flat_map(separate).collect()
}

pub(crate) struct SortAndScan;

impl<C: Code> Way<LongestQuery<'_, C>> for SortAndScan {
    fn method(&self) -> &'static str {
        Method::SortAndScan.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &LongestQuery<'_, C>) -> Result<Option<Cost>> {
        let bytes = host_bytes(&query.query);
        let rate = cpu::SORT_AND_SCAN_SYMBOLS_PER_SECOND * speedup(engine.threads());
        let seconds = query.symbols() as f64 / rate;
        query.cpu_cost(engine, "the hashes of all windows", bytes, seconds)
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &LongestQuery<'_, C>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let sizes = WindowSortSizes::first(
            &query.query,
            query.alphabet(engine),
            &device.capabilities,
            device.budget_bytes,
            &query.options.tuning,
        )?;
        let rate = gpu_figures::substring::SORTED_SYMBOLS_PER_SECOND;
        Ok(Some(query.gpu_cost(device, sizes.size_bytes(), rate)))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut LongestQuery<'_, C>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, LongestSubstrings> {
        Box::pin(async move {
            let settings = query.options.settings(call.engine);
            let search = || on_cpu(query.query, &settings, call.control);
            let (outcome, stats) = match device {
                Some(device) => {
                    let alphabet = query.alphabet(call.engine).clone();
                    on_gpu(device, query.query, alphabet, &settings).await?
                }
                None => call.engine.on_threads(search)?,
            };
            Ok(query.searched(outcome, stats))
        })
    }
}
