//! The cascade on a GPU.
//!
//! Texts are uploaded once and stay on the device. Each length is one plan of all visits, without a
//! readback in between: the device itself detects when further visits are useless. The list of
//! surviving windows is read back.

mod plan;
pub(crate) mod prefixes;
pub mod sizes;
pub mod texts;

use plan::ENTRY_WORDS;
pub use plan::FilterPlan;
use sizes::{CONTROL_LEFT, FilterSizes};
use texts::TextPacker;

use super::query::SubstringQuery;
use super::search::alphabet::Alphabet;
use super::search::cpu::CpuFilter;
use super::search::filter::{Filter, Survivor, Survivors, Windows};
use super::search::{SearchOutcome, SearchStats, Settings, search};
use super::texts::Code;
use crate::backend::{Session, Span};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::plan::Resident;

/// Runs the method `cascade` on a device.
///
/// # Errors
/// As [`Session::run`]; [`Error::InputTooLong`] and [`Error::CertificateFailed`].
pub async fn on_gpu<C: Code>(
    device: &Device<'_>,
    query: SubstringQuery<'_, C>,
    alphabet: Alphabet,
    settings: &Settings,
) -> Result<(SearchOutcome, SearchStats)> {
    let host = CpuFilter::new(query, alphabet, settings, device.control);
    device.phases.lap(Phase::Encode);
    let alphabet = host.alphabet().clone().on(device.backend.capabilities());
    let packer = TextPacker::new(
        query.texts.iter().map(|&text| vec![(0, text)]).collect(),
        &alphabet,
    );
    let session = device.open_session()?.streamed_from(&packer);
    let mut filter = GpuFilter {
        query,
        settings: *settings,
        session,
        host,
        alphabet: &alphabet,
        windows: 0,
    };
    search(query, settings, &mut filter, device.control).await
}

struct GpuFilter<'a, C: Code> {
    query: SubstringQuery<'a, C>,
    settings: Settings,
    session: Session<'a>,
    /// Makes the keys on the host if more windows survive than the list holds.
    host: CpuFilter<'a, C>,
    alphabet: &'a Alphabet,
    windows: u64,
}

impl<C: Code> GpuFilter<'_, C> {
    fn sizes(&self, windows: Windows) -> Result<FilterSizes> {
        let device = self.session.device;
        FilterSizes::new(
            &self.query,
            self.alphabet,
            windows,
            device.backend.capabilities(),
            device.budget_bytes,
            &self.settings.tuning,
        )
    }
}

/// Word of `control`: the list has one key in 2^this; 0 if it is complete.
const SHARE_LOG2: usize = 4;
/// Word of `control`: number of entries to list.
pub const LISTED: usize = 5;

impl<C: Code> Filter for GpuFilter<'_, C> {
    async fn survivors(&mut self, windows: Windows, all: bool) -> Result<Survivors> {
        let Self { query, session, .. } = self;
        let device = session.device;
        if query
            .texts
            .iter()
            .filter(|text| windows.count(text.len()) > 0)
            .count()
            < query.inputs
        {
            return Ok(Survivors {
                list: Vec::new(),
                complete: true,
            });
        }
        let sizes = self.sizes(windows)?;
        let Self {
            query,
            settings,
            session,
            host,
            ..
        } = self;
        let make = |resident: &Resident| FilterPlan::new(&sizes, resident);
        let control = |planned: &FilterPlan| {
            vec![Span {
                buffer: planned.control,
                first: 0,
                words: sizes.control_words(),
            }]
        };
        device
            .control
            .add_total(FilterPlan::new(&sizes, &Resident::default()).plan.cells());
        let ((planned, words), _) = session.round(&make, &control, &|_| Ok(())).await?;
        self.windows += sizes.visited();
        let texts = query.texts.len();
        let left = words.get(CONTROL_LEFT as usize..).unwrap_or_default();
        let left: u64 = left.iter().take(texts).map(|&left| u64::from(left)).sum();
        let is_complete = words.get(SHARE_LOG2) == Some(&0);
        if all && !is_complete {
            settings.check_places(left)?;
            let bits = read_bits(session, &sizes, &planned).await?;
            let list = device.on_threads(|| host.list_all(windows, &bits));
            device.phases.lap(Phase::Readback);
            return Ok(Survivors {
                list,
                complete: true,
            });
        }
        let listed = words
            .get(LISTED)
            .copied()
            .unwrap_or(0)
            .min(sizes.capacity as u32);
        let span = Span {
            buffer: planned.entries,
            first: 0,
            words: u64::from(listed) * ENTRY_WORDS,
        };
        let read = session.read(&[span])?.await?;
        let entry = |entry: &[u32]| Survivor {
            key: u64::from(entry[3]) << 32 | u64::from(entry[2]),
            text: entry[0] as usize,
            position: entry[1] as usize,
        };
        let list: Vec<_> = read
            .words()
            .chunks_exact(ENTRY_WORDS as usize)
            .map(entry)
            .collect();
        device.phases.lap(Phase::Readback);
        if is_complete && list.len() as u64 != left {
            return Err(Error::CertificateFailed(format!(
                "a filter listed {} of {left} windows",
                list.len()
            )));
        }
        Ok(Survivors {
            list,
            complete: is_complete,
        })
    }

    fn cells(&self, windows: Windows) -> u64 {
        self.sizes(windows).map_or(0, |sizes| {
            FilterPlan::new(&sizes, &Resident::default()).plan.cells()
        })
    }

    fn windows(&self) -> u64 {
        self.windows
    }

    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let device = self.session.device;
        let done = device.on_threads(work);
        device.phases.lap(Phase::Compare);
        done
    }
}

/// Surviving windows as bitmaps over positions, one per text.
async fn read_bits(
    session: &Session<'_>,
    sizes: &FilterSizes,
    planned: &FilterPlan,
) -> Result<Vec<Vec<u64>>> {
    let mut bits = Vec::with_capacity(sizes.texts.len());
    for (text, chunks) in sizes.texts.iter().zip(&planned.survivors) {
        let stretches = text.windows.div_ceil(texts::STRETCH);
        let span = |(chunk, &buffer): (usize, &usize)| {
            let of_chunk = text.chunking.of_chunk(chunk);
            Span {
                buffer,
                first: 0,
                words: stretches.min(of_chunk.end).saturating_sub(of_chunk.start),
            }
        };
        let spans: Vec<_> = chunks.iter().enumerate().map(span).collect();
        let read = session.read(&spans)?.await?;
        let pair =
            |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        bits.push(read.words().chunks(2).map(pair).collect());
    }
    Ok(bits)
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::engine::letters;
    use crate::substring::search::Tuning;

    #[test]
    fn filter_uploads_texts_once_and_sliced_visits_equal_whole_ones() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let (mut a, b) = (letters(70_000, 1), letters(50_000, 2));
        // The match begins in the last stretch of a workgroup.
        a[8_170..8_470].copy_from_slice(&b[30_000..30_300]);
        // A chain of two texts, and substrings of two in three.
        let other = letters(30_000, 3);
        for texts in [&[&a[..], &b[..]][..], &[&a[..], &other[..], &b[..]]] {
            let query = SubstringQuery { texts, inputs: 2 };
            // Too short for the first filter to be selective.
            let tuning = Tuning {
                start_length: Some(6),
                capacity: Some(256),
                ..Tuning::default()
            };
            let settings = Settings {
                tuning,
                ..Settings::default()
            };
            let found = backend.whole_and_split(async |device| {
                let before = backend.loads().len();
                let (answer, _) =
                    on_gpu(device, query, Alphabet::of(query.texts), &settings).await?;
                let loads = &backend.loads()[before..];
                let of_texts = |(name, _): &&(String, bool)| name.starts_with("codes");
                let uploads = |load: &Vec<(String, bool)>| {
                    load.iter().filter(of_texts).filter(|(_, new)| *new).count()
                };
                let uploads: Vec<_> = loads.iter().map(uploads).collect();
                assert!(uploads.len() >= 2 && uploads[0] == texts.len(), "{loads:?}");
                assert!(
                    uploads[1..].iter().all(|&uploads| uploads == 0),
                    "{loads:?}"
                );
                match answer {
                    SearchOutcome::Found(found) => Ok(found),
                    SearchOutcome::Undecided => panic!("a length decides"),
                }
            });
            assert!((300..340).contains(&found[0].length), "{}", found[0].length);
            assert_eq!(found[0], found[1]);
        }
        let cut = backend.split_kernels();
        for kernel in ["clear", "count_level", "list", "visit"] {
            assert!(
                cut.contains(format!("substring/{kernel}").as_str()),
                "{kernel} is none of {cut:?}"
            );
        }
    }
}
