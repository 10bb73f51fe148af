//! The method `sort-and-scan`, the baseline: a binary search on the length, and for each length the hashes of all windows of all
//! texts in one array, sorted, with equal hashes side by side.
//!
//! It departs from its source in two things: hashes are taken modulo 2^61 - 1 with a random base, since overflow modulo 2^64 falls
//! to Thue-Morse words, and the whole group of equal hashes is compared, not only neighbours.
//!
//! Source: Hansda, "Parallel Programming: Assignment 1" (2026).

use rayon::prelude::*;

use super::filter::{Keys, Survivor, Windows};
use super::prefixes::prefixes;
use super::resolve::{classes, hold, split};
use super::verify::Place;
use super::{Answer, Effort, Settings, hash};
use crate::call::control::Control;
use crate::error::Result;
use crate::substring::question::{Found, Question};
use crate::substring::texts::Code;

/// Windows of a task.
const TASK: usize = 1 << 14;

/// The method on the host, on the threads of the pool that it is called from.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(question: Question<'_, C>, settings: &Settings, control: &Control) -> Result<(Answer, Effort)> {
    let base = hash::base(settings.seed);
    let prefixes: Vec<_> = question.texts.iter().map(|text| prefixes(text, base)).collect();
    let mut lengths: Vec<_> = question.texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable_by(|one, two| two.cmp(one));
    let (mut low, mut high) = (0, lengths.get(question.inputs.saturating_sub(1)).copied().unwrap_or(0));
    let (mut found, mut effort) = (Vec::new(), Effort::default());
    control.enter("sweep");
    while low < high {
        control.check()?;
        let windows = Windows { length: low + (high - low).div_ceil(2), base };
        let list = sorted(&question, windows, &prefixes, control);
        (effort.lengths, effort.windows) = (effort.lengths + 1, effort.windows + list.len() as u64);
        let classes = equal(&question, classes(list, question.inputs), windows.length);
        match classes.is_empty() {
            true => high = windows.length - 1,
            false => (low, found) = (windows.length, classes),
        }
    }
    Ok((Answer::Found(Found::sorted(low, found)), effort))
}

/// Bytes of the host that the method takes beside the texts: all windows twice, while they are sorted, and hashes of prefixes.
pub fn host_bytes<C: Code>(question: &Question<'_, C>) -> u64 {
    let symbols: usize = question.texts.iter().map(|text| text.len()).sum();
    (symbols as u64).saturating_mul(2 * size_of::<Survivor>() as u64) + super::prefixes::host_bytes(symbols)
}

/// All windows by their hashes.
fn sorted<C: Code>(
    question: &Question<'_, C>,
    windows: Windows,
    prefixes: &[Vec<u64>],
    control: &Control,
) -> Vec<Survivor> {
    let power = windows.power();
    let tasks = question.texts.iter().enumerate().flat_map(|(text, symbols)| {
        let count = windows.count(symbols.len());
        (0..count).step_by(TASK).map(move |first| (text, first..count.min(first + TASK)))
    });
    let tasks: Vec<_> = tasks.collect();
    let hashes = |(text, places): &(usize, std::ops::Range<usize>)| {
        let mut keys = Keys::hashed(question.texts[*text], windows, power, &prefixes[*text]);
        let of = |position| Survivor { key: keys.key(position), text: *text, position };
        places.clone().map(of).collect::<Vec<_>>()
    };
    control.expect(tasks.len() as u64 * TASK as u64);
    let mut list: Vec<_> = tasks.par_iter().flat_map_iter(hashes).collect();
    control.advance(tasks.len() as u64 * TASK as u64);
    list.par_sort_unstable();
    list
}

/// Classes of windows that are equal; those that only share a hash are taken apart.
fn equal<C: Code>(question: &Question<'_, C>, classes: Vec<Vec<Place>>, length: usize) -> Vec<Vec<Place>> {
    if hold(question, &classes, length) {
        return classes;
    }
    let apart = |class: Vec<Place>| match hold(question, std::slice::from_ref(&class), length) {
        true => vec![class],
        false => split(question, &class, (0, length)),
    };
    classes.into_iter().flat_map(apart).collect()
}
