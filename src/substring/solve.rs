//! Runs a call for the longest common substring: encodes the inputs, decides, searches, maps places
//! back, verifies.

use std::collections::HashMap;
use std::time::Instant;

use super::answer::{CommonSubstring, Occurrences};
use super::certificate::Inputs;
use super::decision::Decision;
use super::gpu::{on_gpu as search_on_gpu, window_sort};
use super::inputs::{PROBLEM, Records, check_inputs, check_strands, symbols};
use super::place::Strand;
use super::query::{LongestSubstrings, SubstringQuery};
use super::search::{self, SearchOutcome, sort_and_scan};
use super::texts::{Code, Strands, Text, Texts};
use super::{Method, Run, SubstringOptions, memory, reference, suffix_array};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine};
use crate::error::{Error, Result};
use crate::pairwise::codes::Symbol;
use crate::pairwise::typed::{Typed, needs_classes};
use crate::path_mode::PathMode;

pub(super) fn typed(
    engine: &Engine,
    records: &Records<'_>,
    both_strands: bool,
    options: &SubstringOptions,
) -> Result<(CommonSubstring, Run)> {
    match &records.all {
        Typed::Bytes(all) => {
            let (inputs, strands) = (records.by_input(all), Strands::of_bytes(both_strands));
            pollster::block_on(solve(engine, &inputs, strands, options))
        }
        Typed::Numbers(all) => {
            let inputs = records.by_input(all);
            pollster::block_on(solve(engine, &inputs, Strands::Forward, options))
        }
        Typed::Letters(_) => Err(needs_classes(PROBLEM)),
    }
}

async fn solve<S: Symbol>(
    engine: &Engine,
    inputs: &[Vec<&[S]>],
    strands: Strands<S>,
    options: &SubstringOptions,
) -> Result<(CommonSubstring, Run)> {
    let started = Instant::now();
    let phases = Phases::start();
    let min_inputs = resolve_min_inputs(inputs.len(), options)?;
    check_strands(inputs, strands)?;
    check_method(options.method)?;
    let texts = engine.on_threads(|| texts(inputs, strands, min_inputs));
    phases.lap(Phase::Encode);
    options.control.set_phase(Phase::Search);
    let context = SearchContext {
        engine,
        options,
        phases: &phases,
    };
    let result = match &texts {
        Texts::Narrow(texts) => context.classes(texts, min_inputs).await?,
        Texts::Wide(texts) => context.classes(texts, min_inputs).await?,
    };
    phases.lap(Phase::Search);
    options.control.set_phase(Phase::Verify);
    let length = result.length;
    let proof = Inputs {
        records: inputs,
        strands,
    };
    let substrings = engine.on_threads(|| {
        let substrings = match strands {
            Strands::Forward => result.classes,
            Strands::Both(_) => merge_strands(&proof, length, result.classes)?,
        };
        proof.verify_occurrences(length, min_inputs, &substrings)?;
        Ok::<_, Error>(substrings)
    })?;
    phases.lap(Phase::Verify);
    let run = Run {
        method: result.method,
        path_mode: PathMode::None,
        device: result.device,
        cells: symbols(inputs),
        computed_cells: result.computed,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: started.elapsed(),
        phases: phases.totals(),
    };
    Ok((CommonSubstring { length, substrings }, run))
}

/// The minimum number of inputs that contain the substring.
///
/// # Errors
/// [`Error::OutOfRange`].
pub(super) fn resolve_min_inputs(inputs: usize, options: &SubstringOptions) -> Result<usize> {
    check_inputs(inputs)?;
    let requested = options.inputs.unwrap_or(inputs as u64);
    let min_inputs = usize::try_from(requested)
        .ok()
        .filter(|min_inputs| (2..=inputs).contains(min_inputs));
    let allowed = || {
        if inputs == 2 {
            "2".to_string()
        } else {
            format!("2 to {inputs}")
        }
    };
    min_inputs.ok_or_else(|| Error::OutOfRange {
        what: "the number of inputs that a substring has to be in",
        given: requested,
        allowed: allowed(),
    })
}

/// Encodes the inputs. If a substring must occur in all inputs, the first needs one strand only:
/// the forward strand contains the substring or its reverse complement.
pub(super) fn texts<'a, S: Symbol>(
    inputs: &[Vec<&'a [S]>],
    strands: Strands<S>,
    min_inputs: usize,
) -> Texts<'a> {
    let is_in_first = min_inputs == inputs.len();
    Texts::new(inputs, |input| {
        if input == 0 && is_in_first {
            Strands::Forward
        } else {
            strands
        }
    })
}

/// Checks that the method finds longest substrings.
///
/// # Errors
/// [`Error::MethodUnavailable`].
pub(super) fn check_method(method: Method) -> Result<()> {
    match method {
        Method::Anchors => Err(Error::MethodUnavailable {
            method: method.name(),
            device: "substrings of unknown length".to_string(),
            reason: "it needs a least length of matches; take the method 'cascade'".to_string(),
        }),
        _ => Ok(()),
    }
}

struct SearchContext<'a> {
    engine: &'a Engine,
    options: &'a SubstringOptions,
    phases: &'a Phases,
}

/// Result of a search, with what ran.
struct SearchResult {
    length: usize,
    classes: Vec<Occurrences>,
    method: Method,
    device: String,
    /// Windows or symbols examined.
    computed: u128,
}

impl SearchContext<'_> {
    async fn classes<C: Code>(&self, texts: &[Text<'_, C>], inputs: usize) -> Result<SearchResult> {
        let codes: Vec<&[C]> = texts.iter().map(|text| &*text.codes).collect();
        let query = SubstringQuery {
            texts: &codes,
            inputs,
        };
        let decide = || Decision::new(self.engine, query, self.options);
        let uses_gpu = |decision: &Decision| decision.on_gpu.is_some();
        let planned = self.engine.plan_and_open(self.phases, decide, uses_gpu);
        let (mut decision, gpu) = planned.await?;
        self.phases.lap(Phase::OpenDevice);
        let found = match gpu.as_deref() {
            Some(gpu) => self
                .on_gpu(gpu, decision.method, query)
                .await?
                .map(|found| (found, gpu.name().to_string())),
            None => None,
        };
        let ((answer, computed), mut device) = match found {
            Some(found) => found,
            None => {
                // Fallback: the device has less memory than its budget promised.
                if decision.on_gpu.is_some() {
                    decision = Decision::on_cpu(self.engine, query, self.options)?;
                }
                (self.on_cpu(decision.method, query)?, CPU.to_string())
            }
        };
        let mut method = decision.method;
        let LongestSubstrings {
            length,
            occurrences,
        } = match answer {
            SearchOutcome::Found(found) => found,
            // All hash bases collided: a method without hashes answers.
            SearchOutcome::Undecided => {
                (method, device) = (Method::SuffixArray, CPU.to_string());
                memory::checked(self.engine, method, query, &self.options.tuning)?;
                self.engine
                    .on_threads(|| suffix_array::longest(query, &self.options.control))?
            }
        };
        let of_class = |class: Vec<(usize, usize)>| {
            let places = class
                .into_iter()
                .map(|(text, position)| texts[text].place(position..position + length));
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            Occurrences { places }
        };
        let classes = occurrences.into_iter().map(of_class).collect();
        Ok(SearchResult {
            length,
            classes,
            method,
            device,
            computed,
        })
    }

    /// Runs a method on the CPU; returns the answer and the windows or symbols examined.
    fn on_cpu<C: Code>(
        &self,
        method: Method,
        query: SubstringQuery<'_, C>,
    ) -> Result<(SearchOutcome, u128)> {
        let (settings, control) = (self.options.settings(self.engine), &self.options.control);
        let symbols = query.texts.iter().map(|text| text.len() as u128).sum();
        self.engine.on_threads(|| {
            let (answer, stats) = match method {
                Method::SortAndScan => sort_and_scan::on_cpu(query, &settings, control)?,
                Method::Cascade => search::on_cpu(query, &settings, control)?,
                Method::Reference => {
                    let found =
                        reference::longest(query.texts, query.inputs, || control.check().is_ok());
                    return Ok((
                        SearchOutcome::Found(found.ok_or(Error::Cancelled)?),
                        symbols,
                    ));
                }
                _ => {
                    return Ok((
                        SearchOutcome::Found(suffix_array::longest(query, control)?),
                        symbols,
                    ));
                }
            };
            Ok((answer, u128::from(stats.windows)))
        })
    }

    /// Runs a method on a GPU; returns the answer and the windows examined. `None` if the engine
    /// chose the device and its memory is short.
    async fn on_gpu<C: Code>(
        &self,
        gpu: &dyn Backend,
        method: Method,
        query: SubstringQuery<'_, C>,
    ) -> Result<Option<(SearchOutcome, u128)>> {
        let device = self.engine.device(gpu, &self.options.control, self.phases);
        let settings = self.options.settings(self.engine);
        let found = match method {
            Method::SortAndScan => window_sort::on_gpu(&device, query, &settings).await,
            _ => search_on_gpu(&device, query, &settings).await,
        };
        match found {
            Ok((answer, stats)) => Ok(Some((answer, u128::from(stats.windows)))),
            Err(error) if error.is_lack_of_room() && self.engine.chooses_device() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Merges each substring with its reverse complement, read on the strand of its first place.
fn merge_strands<S: Symbol>(
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
        let opposite = super::Place {
            strand: first.strand.opposite(),
            ..*first
        };
        let turned = |class: Occurrences| {
            let places = class.places.into_iter();
            places.map(|place| super::Place {
                strand: place.strand.opposite(),
                ..place
            })
        };
        match known.get(&inputs.read(&opposite, length)?) {
            Some(&place) => joined[place].places.extend(turned(class)),
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
        let at = |place: &super::Place| (place.input, place.record, place.start);
        if places.windows(2).any(|pair| at(&pair[0]) == at(&pair[1])) {
            places.retain(|place| place.strand == Strand::Forward);
        }
        if places
            .first()
            .is_some_and(|first| first.strand == Strand::Reverse)
        {
            places
                .iter_mut()
                .for_each(|place| place.strand = place.strand.opposite());
        }
    }
    joined.sort_unstable();
    Ok(joined)
}
