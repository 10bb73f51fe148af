//! Sort and scan on a GPU.
//!
//! One plan per length hashes all windows of all texts, radix-sorts the hashes and compares
//! neighbours. Only counts are read back, and the windows if the counts say that texts share some.
//! If the memory budget cannot hold all windows, the hashes are partitioned by their highest bits,
//! one plan per partition.

use super::plan::{self, ENTRY_WORDS, LISTED, MIXED, SORTED, UNCOMPARED, UNEQUAL, WindowSortPlan};
use super::sizes::WindowSortSizes;
use super::{CommonWindows, WindowSorter, classes_of, search};
use crate::backend::{Session, Span};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::plan::Resident;
use crate::substring::gpu::texts::{TextPacker, concatenated};
use crate::substring::query::SubstringQuery;
use crate::substring::search::alphabet::Alphabet;
use crate::substring::search::filter::{Survivor, Windows};
use crate::substring::search::{SearchOutcome, SearchStats, Settings};
use crate::substring::texts::Code;

/// Runs the method on a device.
///
/// # Errors
/// As [`Session::run`]; [`Error::InputTooLong`] and [`Error::MemoryBudget`].
pub async fn on_gpu<C: Code>(
    device: &Device<'_>,
    query: SubstringQuery<'_, C>,
    alphabet: Alphabet,
    settings: &Settings,
) -> Result<(SearchOutcome, SearchStats)> {
    let alphabet = alphabet.on(device.backend.capabilities());
    device.phases.lap(Phase::Encode);
    let packer = TextPacker::new(vec![concatenated(query.texts)], &alphabet);
    let session = device.open_session()?.streamed_from(&packer);
    let mut sorter = GpuWindowSorter {
        query,
        settings: *settings,
        session,
        alphabet: &alphabet,
        windows: 0,
    };
    search(query, settings, &mut sorter, device.control).await
}

struct GpuWindowSorter<'a, C: Code> {
    query: SubstringQuery<'a, C>,
    settings: Settings,
    session: Session<'a>,
    alphabet: &'a Alphabet,
    windows: u64,
}

impl<C: Code> WindowSorter for GpuWindowSorter<'_, C> {
    async fn common(&mut self, windows: Windows, all: bool) -> Result<CommonWindows> {
        let sizes = self.sizes(windows, self.session.device.budget_bytes)?;
        let Self {
            query,
            settings,
            session,
            ..
        } = self;
        let device = session.device;
        let (mut list, mut is_whole) = (Vec::new(), true);
        for partition in 0..1 << sizes.partitions_log2 {
            let make = |resident: &Resident| WindowSortPlan::new(&sizes, partition, resident);
            let control = |planned: &WindowSortPlan| {
                vec![Span {
                    buffer: planned.control,
                    first: 0,
                    words: plan::control_words(&sizes),
                }]
            };
            device.control.add_total(cells(&sizes));
            let ((planned, counts), _) = session.round(&make, &control, &|_| Ok(())).await?;
            self.windows += sizes.sorted();
            let count = |place: usize| u64::from(counts.get(place).copied().unwrap_or(0));
            // A partition with more hashes than planned loses some.
            is_whole &= count(SORTED) <= sizes.sort.keys;
            if all && !is_whole {
                return Err(self.too_short(windows)?);
            }
            if count(MIXED) == 0 {
                continue;
            }
            let is_proven = query.inputs == 2 && count(UNEQUAL) == 0 && count(UNCOMPARED) == 0;
            let fit = count(LISTED) <= sizes.capacity;
            if !all && is_proven && !fit {
                return Ok(CommonWindows::Present(None));
            }
            if all {
                settings.check_places(list.len() as u64 + count(LISTED))?;
            }
            if fit {
                let span = Span {
                    buffer: planned.entries,
                    first: 0,
                    words: count(LISTED) * ENTRY_WORDS,
                };
                let read = session.read(&[span])?.await?;
                list.extend(entries(&sizes, read.words()));
                device.phases.lap(Phase::Readback);
                continue;
            }
            for pass in &planned.plan.replays {
                let [_, begin, end, ..] = pass.params;
                let words = u64::from(end - begin) * ENTRY_WORDS;
                let span = Span {
                    buffer: planned.entries,
                    first: 0,
                    words,
                };
                let read = session
                    .replay(std::slice::from_ref(pass), false, &[span])?
                    .await?;
                list.extend(entries(&sizes, read.words()));
                device.phases.lap(Phase::Readback);
                // A sample is enough to decide existence. The last group may be incomplete, so it
                // waits for the next run.
                if !all {
                    device.on_threads(|| parallel::sort_unstable(&mut list));
                    let last = list.last().map(|survivor: &Survivor| survivor.key);
                    let begun = list.partition_point(|survivor| Some(survivor.key) != last);
                    let open = list.split_off(begun);
                    let found = device.on_threads(|| {
                        classes_of(query, std::mem::take(&mut list), windows.length)
                    });
                    device.phases.lap(Phase::Compare);
                    if !found.is_empty() {
                        return Ok(CommonWindows::Present(None));
                    }
                    list = open;
                }
            }
        }
        let classes = device.on_threads(|| classes_of(query, list, windows.length));
        device.phases.lap(Phase::Compare);
        match (classes.is_empty(), is_whole) {
            (true, true) => Ok(CommonWindows::Absent),
            (true, false) => Err(self.too_short(windows)?),
            (false, _) => Ok(CommonWindows::Present(Some(classes).filter(|_| is_whole))),
        }
    }

    fn cells(&self, windows: Windows) -> u64 {
        let sizes = self.sizes(windows, self.session.device.budget_bytes);
        sizes.map_or(0, |sizes| cells(&sizes) << sizes.partitions_log2)
    }

    fn windows(&self) -> u64 {
        self.windows
    }
}

/// Work of one partition's plan, in cells.
fn cells(sizes: &WindowSortSizes) -> u64 {
    WindowSortPlan::new(sizes, 0, &Resident::default())
        .plan
        .cells()
}

impl<C: Code> GpuWindowSorter<'_, C> {
    fn sizes(&self, windows: Windows, budget_bytes: u64) -> Result<WindowSortSizes> {
        WindowSortSizes::new(
            &self.query,
            self.alphabet,
            windows,
            self.session.device.backend.capabilities(),
            budget_bytes,
            &self.settings.tuning,
        )
    }

    /// The error for a budget that holds one partition of the windows, but not all windows of one
    /// hash.
    fn too_short(&self, windows: Windows) -> Result<Error> {
        let needed = self.sizes(windows, u64::MAX)?.size_bytes();
        let (what, limit) = (
            "the sort of windows that repeat, on a GPU".to_string(),
            self.session.device.budget_bytes,
        );
        Ok(Error::MemoryBudget {
            what,
            needed,
            limit,
            smallest: needed,
        })
    }
}

/// Decodes the entries of the list.
fn entries<'s>(
    sizes: &'s WindowSortSizes,
    words: &'s [u32],
) -> impl Iterator<Item = Survivor> + 's {
    let listed = words
        .chunks_exact(ENTRY_WORDS as usize)
        .filter(|entry| entry[3] == 1);
    listed.map(|entry| {
        let (text, position) = sizes.place(entry[0].into());
        Survivor {
            key: u64::from(entry[2]) << 32 | u64::from(entry[1]),
            text,
            position,
        }
    })
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::engine::letters;
    use crate::substring::search::Tuning;

    #[test]
    fn sliced_window_sort_equals_whole_passes() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let (mut a, b) = (letters(30_000, 1), letters(20_000, 2));
        a[8_170..8_470].copy_from_slice(&b[10_000..10_300]);
        let texts = [&a[..], &b[..]];
        let query = SubstringQuery {
            texts: &texts,
            inputs: 2,
        };
        // More windows than are listed at once, so that the list is read run by run.
        let settings = Settings {
            tuning: Tuning {
                capacity: Some(256),
                ..Tuning::default()
            },
            ..Settings::default()
        };
        let found = backend.whole_and_split(async |device| {
            match on_gpu(device, query, Alphabet::of(query.texts), &settings).await? {
                (SearchOutcome::Found(found), _) => Ok(found),
                (SearchOutcome::Undecided, _) => panic!("a length decides"),
            }
        });
        assert!((300..340).contains(&found[0].length), "{}", found[0].length);
        assert_eq!(found[0], found[1]);
        let cut = backend.split_kernels();
        for kernel in [
            "compare_pairs",
            "hash_windows",
            "list_groups",
            "neighbours",
            "prefix_spread",
            "prefix_stretches",
        ] {
            assert!(
                cut.contains(format!("substring/{kernel}").as_str()),
                "{kernel} is none of {cut:?}"
            );
        }
    }
}
