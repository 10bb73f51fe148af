//! Runs a call for the longest common substring: encodes the inputs, searches, maps places back,
//! verifies.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::answer::{CommonSubstring, Occurrences};
use super::certificate::Inputs;
use super::inputs::{PROBLEM, Records, check_inputs};
use super::longest::LongestQuery;
use super::place::{Place, Strand};
use super::query::SubstringQuery;
use super::texts::{Code, Text, Texts};
use super::{Method, SubstringOptions};
use crate::call::phase::Phase;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, PlanSummary, Report, Run};
use crate::error::{Error, Result};
use crate::sequences::typed::for_class;

pub(super) struct Longest<'a> {
    records: &'a Records<'a>,
    both_strands: bool,
    min_inputs: usize,
    options: &'a SubstringOptions,
}

impl<'a> Longest<'a> {
    pub(super) fn new(
        records: &'a Records<'a>,
        both_strands: bool,
        options: &'a SubstringOptions,
    ) -> Result<Self> {
        let min_inputs = resolve_min_inputs(records.len(), options)?;
        records.check_strands(both_strands)?;
        if options.method == Method::Anchors {
            return Err(Error::MethodUnavailable {
                method: options.method.name(),
                device: "substrings of unknown length".to_string(),
                reason: "it needs a least length of matches; take the method 'cascade'".to_string(),
            });
        }
        Ok(Self {
            records,
            both_strands,
            min_inputs,
            options,
        })
    }

    /// The longest substrings of the texts: their length, and their places in the inputs.
    async fn longest<C: Code>(
        &self,
        call: &Call<'_>,
        texts: &[Text<'_, C>],
    ) -> Result<(usize, Vec<Occurrences>, Run)> {
        let codes = codes(texts);
        let mut query = self.query(&codes);
        let (found, run) = placement::run(call, &mut query).await?;
        let of_class = |class: Vec<(usize, usize)>| {
            let places = class
                .into_iter()
                .map(|(text, position)| texts[text].place(position..position + found.length));
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            Occurrences { places }
        };
        let classes = found.occurrences.into_iter().map(of_class).collect();
        Ok((found.length, classes, run))
    }

    fn query<'c, C: Code>(&'c self, texts: &'c [&'c [C]]) -> LongestQuery<'c, C> {
        LongestQuery {
            query: SubstringQuery {
                texts,
                inputs: self.min_inputs,
            },
            options: self.options,
            input_symbols: self.records.symbols(),
            is_undecided: false,
            alphabet: OnceCell::new(),
        }
    }

    /// Encodes the inputs. If a substring must occur in all inputs, the first needs one strand
    /// only: the forward strand contains the substring or its reverse complement.
    fn texts(&self) -> Result<Texts<'a>> {
        let is_in_first = self.min_inputs == self.records.len();
        self.records
            .texts(|input| self.both_strands && !(input == 0 && is_in_first))
    }

    pub(super) fn plan(&self, engine: &Engine) -> Result<PlanSummary> {
        match &self.texts()? {
            Texts::Narrow(texts) => placement::plan(engine, &self.query(&codes(texts))),
            Texts::Wide(texts) => placement::plan(engine, &self.query(&codes(texts))),
        }
    }

    pub(super) async fn solve(&self, call: &Call<'_>) -> Result<Report<CommonSubstring>> {
        let (engine, phases) = (call.engine, &call.phases);
        let texts = engine.on_threads(|| self.texts())?;
        phases.lap(Phase::Encode);
        call.control.set_phase(Phase::Search);
        let (length, classes, mut run) = match &texts {
            Texts::Narrow(texts) => self.longest(call, texts).await?,
            Texts::Wide(texts) => self.longest(call, texts).await?,
        };
        phases.lap(Phase::Search);
        call.control.set_phase(Phase::Verify);
        let substrings = engine.on_threads(|| {
            for_class!(&self.records.all, PROBLEM, |all| {
                let proof = Inputs {
                    records: &self.records.by_input(all),
                    both_strands: self.both_strands,
                };
                let substrings = if self.both_strands {
                    merge_strands(&proof, length, classes)?
                } else {
                    classes
                };
                proof.verify_occurrences(length, self.min_inputs, &substrings)?;
                Ok(substrings)
            })
        })?;
        phases.lap(Phase::Verify);
        call.close(&mut run);
        Ok(Report::new(CommonSubstring { length, substrings }, run))
    }
}

fn codes<'a, C: Code>(texts: &'a [Text<'_, C>]) -> Vec<&'a [C]> {
    texts.iter().map(|text| &*text.codes).collect()
}

/// The minimum number of inputs that contain the substring.
fn resolve_min_inputs(inputs: usize, options: &SubstringOptions) -> Result<usize> {
    check_inputs(inputs)?;
    let requested = options.inputs.unwrap_or(inputs as u64);
    if (2..=inputs as u64).contains(&requested) {
        return Ok(requested as usize);
    }
    Err(Error::OutOfRange {
        what: "the number of inputs that a substring has to be in",
        given: requested,
        allowed: match inputs {
            2 => "2".to_string(),
            _ => format!("2 to {inputs}"),
        },
    })
}

/// Merges each substring with its reverse complement, read on the strand of its first place.
fn merge_strands<S: Code>(
    inputs: &Inputs<'_, '_, S>,
    length: usize,
    classes: Vec<Occurrences>,
) -> Result<Vec<Occurrences>> {
    let mut joined: Vec<Occurrences> = Vec::new();
    let mut known: HashMap<Vec<S>, usize> = HashMap::new();
    for class in classes {
        let Some(first) = class.places.first() else {
            continue;
        };
        match known.get(&inputs.read(&first.turned(), length)?) {
            Some(&place) => {
                let turned = class.places.into_iter().map(Place::turned);
                joined[place].places.extend(turned);
            }
            None => {
                known.insert(inputs.read(first, length)?, joined.len());
                joined.push(class);
            }
        }
    }
    for substring in &mut joined {
        let places = &mut substring.places;
        places.sort_unstable();
        places.dedup();
        let at = |place: &Place| (place.input, place.record, place.start);
        if places.windows(2).any(|pair| at(&pair[0]) == at(&pair[1])) {
            places.retain(|place| place.strand == Strand::Forward);
        }
        if places
            .first()
            .is_some_and(|first| first.strand == Strand::Reverse)
        {
            places.iter_mut().for_each(|place| *place = place.turned());
        }
    }
    joined.sort_unstable();
    Ok(joined)
}
