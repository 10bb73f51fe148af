//! The method `sort-and-scan`, the baseline: a binary search on the length, and for each length the hashes of all windows of all
//! texts in one array, sorted, with equal hashes side by side.
//!
//! It departs from its source in two things: hashes are taken modulo 2^61 - 1 with a random base, since overflow modulo 2^64 falls
//! to Thue-Morse words, and the whole group of equal hashes is compared, not only neighbours.
//!
//! Source: Hansda, "Parallel Programming: Assignment 1" (2026).

use std::ops::Range;

use rayon::prelude::*;

use super::filter::{Keys, Survivor, Windows};
use super::prefixes::prefixes;
use super::resolve::{classes, hold, split};
use super::verify::Place;
use super::{Answer, Effort, Settings, hash};
use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::substring::question::{Found, Question};
use crate::substring::texts::Code;

/// Windows of a task.
const TASK: usize = 1 << 14;

/// What windows of one length show.
pub enum Shared {
    /// None is in enough texts.
    Nothing,
    /// Some are: all of them in classes of equal ones, unless they are many and were not asked for.
    Windows(Option<Vec<Vec<Place>>>),
}

/// Sorts the windows of one length by their hashes.
pub trait Groups {
    /// The windows that are in enough texts; `all` of them, or whether there are any.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), and what the device returns.
    fn shared(&mut self, windows: Windows, all: bool) -> impl Future<Output = Result<Shared>>;

    /// What it announces for windows of one length.
    fn cells(&self, windows: Windows) -> u64;

    /// Windows whose hashes it has made so far.
    fn windows(&self) -> u64;
}

/// The binary search.
///
/// # Errors
/// Those of the groups.
pub async fn search<C: Code>(
    question: Question<'_, C>,
    settings: &Settings,
    groups: &mut impl Groups,
    control: &Control,
) -> Result<(Answer, Effort)> {
    let base = hash::base(settings.seed);
    let mut lengths: Vec<_> = question.texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable_by(|one, two| two.cmp(one));
    let (mut low, mut high) = (
        0,
        lengths
            .get(question.inputs.saturating_sub(1))
            .copied()
            .unwrap_or(0),
    );
    let (mut found, mut effort) = (Some(Vec::new()), Effort::default());
    control.set_phase("sweep");
    while low < high || found.is_none() {
        control.check()?;
        let all = low == high;
        let windows = Windows {
            length: low + (high - low).div_ceil(2),
            base,
        };
        effort.lengths += 1;
        let rounds = 1 + u64::from((high - low + 1).ilog2());
        control.set_estimate(rounds.saturating_mul(groups.cells(windows)));
        match groups.shared(windows, all).await? {
            Shared::Windows(classes) if !all || classes.is_some() => {
                (low, found) = (windows.length, classes)
            }
            Shared::Nothing if !all => high = windows.length - 1,
            _ => {
                return Err(Error::CertificateFailed(format!(
                    "windows of {low} symbols were found and are gone"
                )));
            }
        }
    }
    effort.windows = groups.windows();
    Ok((
        Answer::Found(Found::sorted(low, found.unwrap_or_default())),
        effort,
    ))
}

/// The method on the host, on the threads of the pool that it is called from.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(
    question: Question<'_, C>,
    settings: &Settings,
    control: &Control,
) -> Result<(Answer, Effort)> {
    let mut groups = CpuGroups {
        question,
        control,
        prefixes: None,
        windows: 0,
    };
    // Nothing in it waits.
    pollster::block_on(search(question, settings, &mut groups, control))
}

/// Groups on the host.
struct CpuGroups<'a, C: Code> {
    question: Question<'a, C>,
    control: &'a Control,
    /// Hashes of every text's prefixes.
    prefixes: Option<Vec<Vec<u64>>>,
    windows: u64,
}

impl<C: Code> Groups for CpuGroups<'_, C> {
    async fn shared(&mut self, windows: Windows, _: bool) -> Result<Shared> {
        let Self {
            question, control, ..
        } = self;
        let of = |text: &&[C]| prefixes(text, windows.base);
        let prefixes = self
            .prefixes
            .get_or_insert_with(|| question.texts.iter().map(of).collect());
        let list = hashed(question, windows, prefixes, control);
        self.windows += list.len() as u64;
        let classes = classes_of(question, list, windows.length);
        Ok(if classes.is_empty() {
            Shared::Nothing
        } else {
            Shared::Windows(Some(classes))
        })
    }

    fn cells(&self, windows: Windows) -> u64 {
        tasks(&self.question, windows).len() as u64 * TASK as u64
    }

    fn windows(&self) -> u64 {
        self.windows
    }
}

/// Classes of equal windows in enough texts, among these.
pub fn classes_of<C: Code>(
    question: &Question<'_, C>,
    list: Vec<Survivor>,
    length: usize,
) -> Vec<Vec<Place>> {
    equal(question, classes(list, question.inputs), length)
}

/// Bytes of the host that the method takes beside the texts: all windows twice, while they are sorted, and hashes of prefixes.
pub fn host_bytes<C: Code>(question: &Question<'_, C>) -> u64 {
    let symbols: usize = question.texts.iter().map(|text| text.len()).sum();
    (symbols as u64).saturating_mul(2 * size_of::<Survivor>() as u64)
        + super::prefixes::host_bytes(symbols)
}

/// Texts, and some of their windows each.
fn tasks<C: Code>(question: &Question<'_, C>, windows: Windows) -> Vec<(usize, Range<usize>)> {
    let of_text = |(text, symbols): (usize, &&[C])| {
        let count = windows.count(symbols.len());
        (0..count)
            .step_by(TASK)
            .map(move |first| (text, first..count.min(first + TASK)))
    };
    question
        .texts
        .iter()
        .enumerate()
        .flat_map(of_text)
        .collect()
}

/// All windows with their hashes.
fn hashed<C: Code>(
    question: &Question<'_, C>,
    windows: Windows,
    prefixes: &[Vec<u64>],
    control: &Control,
) -> Vec<Survivor> {
    let (power, tasks) = (windows.power(), tasks(question, windows));
    let hashes = |(text, places): &(usize, Range<usize>)| {
        let mut keys = Keys::hashed(question.texts[*text], windows, power, &prefixes[*text]);
        let of = |position| Survivor {
            key: keys.key(position),
            text: *text,
            position,
        };
        places.clone().map(of).collect::<Vec<_>>()
    };
    control.add_total(tasks.len() as u64 * TASK as u64);
    let list: Vec<_> = tasks.par_iter().flat_map_iter(hashes).collect();
    control.add_done(tasks.len() as u64 * TASK as u64);
    list
}

/// Classes of windows that are equal; those that only share a hash are taken apart.
fn equal<C: Code>(
    question: &Question<'_, C>,
    classes: Vec<Vec<Place>>,
    length: usize,
) -> Vec<Vec<Place>> {
    if hold(question, &classes, length) {
        return classes;
    }
    let apart = |class: Vec<Place>| match hold(question, std::slice::from_ref(&class), length) {
        true => vec![class],
        false => split(question, &class, (0, length)),
    };
    classes.into_iter().flat_map(apart).collect()
}
