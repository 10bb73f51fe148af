//! Strings of a list in SIMD lanes, for calls of few queries: each query is a text for all of them.

use std::fmt;
use std::ops::Range;

use super::SHARED_CODES;
use super::lanes;
use super::request::Request;
use super::strings::List;
use super::values::Value;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, LaneWidth, PatternGroup};
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::symbols::alphabet::Alphabet;

/// Groups that a thread sweeps at least.
const MIN_GROUPS: usize = 1 << 6;

/// Match masks of the strings of a list, for any query. The masks of a group take at most 34 KiB.
pub(crate) struct Prepared {
    w8: Groups<u8>,
    w16: Groups<u16>,
    w32: Groups<u32>,
    w64: Groups<u64>,
    /// Strings of no group: those of several limbs, and of groups with many symbols.
    pub(super) others: Vec<usize>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

impl Prepared {
    pub(super) fn new(list: List<'_>) -> Self {
        let mut of_width = [const { Vec::new() }; 4];
        let mut others = Vec::new();
        for (string, len) in list.lens().enumerate() {
            if len <= 64 {
                of_width[LaneWidth::of(len, Ends::Both) as usize].push(string);
            } else {
                others.push(string);
            }
        }
        let [w8, w16, w32, w64] = of_width;
        let prepared = Self {
            w8: Groups::new(list, w8, &mut others),
            w16: Groups::new(list, w16, &mut others),
            w32: Groups::new(list, w32, &mut others),
            w64: Groups::new(list, w64, &mut others),
            others: Vec::new(),
        };
        Self { others, ..prepared }
    }

    /// Writes the values of a query with the strings of all groups.
    pub(super) fn write<V: Value>(
        &self,
        request: &Request<'_>,
        query: usize,
        values: &mut [V],
        control: &Control,
    ) -> Result<()> {
        self.w8.write(request, query, values, control)?;
        self.w16.write(request, query, values, control)?;
        self.w32.write(request, query, values, control)?;
        self.w64.write(request, query, values, control)
    }
}

/// Groups of strings that fit lanes of one width.
struct Groups<T> {
    /// By group, with the codes of its symbols.
    groups: Vec<(Alphabet, PatternGroup<T>)>,
    /// Strings by lane, group by group.
    strings: Vec<usize>,
}

impl<T: Lane> Groups<T> {
    /// Groups of strings of similar lengths, so that a bound ends them early.
    fn new(list: List<'_>, mut strings: Vec<usize>, others: &mut Vec<usize>) -> Self {
        strings.sort_by_key(|&string| list.len_of(string));
        let chunks: Vec<_> = strings.chunks(PatternGroup::<T>::lanes()).collect();
        let group = |chunk: usize| {
            let strings = || chunks[chunk].iter().map(|&string| list.string(string));
            let alphabet = Alphabet::few(strings(), SHARED_CODES)?;
            let patterns: Vec<_> = strings().map(|one| alphabet.encoded(one)).collect();
            let group = PatternGroup::new::<Edit>(&patterns, alphabet.codes(), Ends::Both);
            Some((alphabet, group))
        };
        let (mut groups, mut grouped) = (Vec::new(), Vec::new());
        for (group, strings) in parallel::map(chunks.len(), group).into_iter().zip(chunks) {
            if let Some(group) = group {
                groups.push(group);
                grouped.extend_from_slice(strings);
            } else {
                others.extend_from_slice(strings);
            }
        }
        Self {
            groups,
            strings: grouped,
        }
    }

    fn write<V: Value>(
        &self,
        request: &Request<'_>,
        query: usize,
        values: &mut [V],
        control: &Control,
    ) -> Result<()> {
        let (query, scoring) = (request.queries.string(query), request.scoring());
        let of_range = |range: Range<usize>| {
            control.check()?;
            let strings = &self.strings[range.start * PatternGroup::<T>::lanes()..];
            let (mut text, mut found) = (Vec::new(), LaneValues::default());
            let mut values = Vec::new();
            for ((alphabet, group), strings) in self.groups[range]
                .iter()
                .zip(strings.chunks(PatternGroup::<T>::lanes()))
            {
                text.clear();
                alphabet.for_each(query, |code| text.push(code));
                lanes::swept(request.measure, group, &[&text], scoring.limit, &mut found);
                values.extend(strings.iter().zip(found.of_text()).map(|(&string, last)| {
                    let lens = (query.len() as u64, request.targets.len_of(string) as u64);
                    V::narrowed(scoring.value(last as u64, lens))
                }));
            }
            Ok(values)
        };
        let range_len = parallel::range_len(self.groups.len(), MIN_GROUPS);
        let found = parallel::try_map_ranges(self.groups.len(), range_len, of_range)?;
        for (&string, &value) in self.strings.iter().zip(found.iter().flatten()) {
            values[string] = value;
        }
        Ok(())
    }
}
