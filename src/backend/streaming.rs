//! Streamed uploads: the threads that fill staging memory also generate the contents, so that the
//! host holds no second copy of a long input.

use crate::plan::{Buffer, BufferId, Contents, Plan};

/// Generates the contents of buffers with [`Contents::Streamed`](crate::plan::Contents::Streamed).
pub trait UploadSource: Sync {
    /// Writes all of `words`, the contents of `buffer` from word `first` on. `first` is a multiple
    /// of the buffer's unit.
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]);
}

#[derive(Clone, Debug)]
pub struct StreamedBuffer {
    pub id: BufferId,
    /// Description passed to the source.
    pub buffer: Buffer,
    /// Words per unit: parts begin at multiples of it.
    pub unit: u64,
    /// First word; those before it are on the device.
    pub first: u64,
}

impl StreamedBuffer {
    pub fn of(plan: &Plan) -> Vec<Self> {
        let streamed = |(id, buffer): (BufferId, &Buffer)| {
            let (unit, first) = match buffer.contents {
                Contents::Streamed(unit) => (unit, 0),
                Contents::ResidentBefore(first) => (1, first),
                _ => return None,
            };
            Some(Self {
                id,
                buffer: buffer.clone(),
                unit,
                first,
            })
        };
        plan.buffers
            .iter()
            .enumerate()
            .filter_map(streamed)
            .collect()
    }
}

/// Minimum words of a deferred upload. Filling fewer takes less time than another submission.
const MIN_DEFERRED_WORDS: u64 = 1 << 20;

/// Buffers filled while earlier passes run that do not use them.
#[derive(Clone, Debug)]
pub struct DeferredUpload {
    /// The first pass that uses one of them.
    pub before: usize,
    pub buffers: Vec<StreamedBuffer>,
}

/// Splits `streamed` into buffers to fill before all passes and deferred ones, sorted by first use.
/// Large buffers that the first pass does not use are deferred.
pub fn split_by_first_use(
    plan: &Plan,
    mut streamed: Vec<StreamedBuffer>,
) -> (Vec<StreamedBuffer>, Vec<DeferredUpload>) {
    let first_use = |streamed: &StreamedBuffer| {
        plan.passes
            .iter()
            .position(|pass| plan.bindings[pass.bindings].contains(&streamed.id))
    };
    let mut deferred: Vec<DeferredUpload> = Vec::new();
    streamed.retain(|streamed| {
        let before = first_use(streamed)
            .filter(|&before| before > 0 && streamed.buffer.words >= MIN_DEFERRED_WORDS);
        let Some(before) = before else { return true };
        match deferred
            .iter_mut()
            .find(|deferred| deferred.before == before)
        {
            Some(deferred) => deferred.buffers.push(streamed.clone()),
            None => deferred.push(DeferredUpload {
                before,
                buffers: vec![streamed.clone()],
            }),
        }
        false
    });
    deferred.sort_by_key(|deferred| deferred.before);
    (streamed, deferred)
}

/// Source for plans without streamed buffers.
#[derive(Debug)]
pub struct NoUploads;

impl UploadSource for NoUploads {
    fn write(&self, _: &Buffer, _: u64, words: &mut [u32]) {
        words.fill(0);
    }
}

/// Words of a part generated at once: it stays in a cache.
const PART_WORDS: u64 = 1 << 13;

/// Minimum and maximum words of an upload task.
const TASK_WORDS: (u64, u64) = (1 << 14, 1 << 20);
/// Tasks per thread, if the upload is long enough.
const TASKS_OF_THREAD: u64 = 2;

/// An upload task: words `first..end` of a buffer, generated `part` words at a time.
#[derive(Clone, Copy, Debug)]
pub struct UploadTask<'f> {
    pub streamed: &'f StreamedBuffer,
    pub first: u64,
    pub end: u64,
    pub part: u64,
}

/// Divides the upload of `buffers` into tasks for `threads` threads, of at most `max` words or one
/// part.
pub fn upload_tasks(buffers: &[StreamedBuffer], threads: usize, max: u64) -> Vec<UploadTask<'_>> {
    let words = |streamed: &StreamedBuffer| streamed.buffer.words - streamed.first;
    let words: u64 = buffers.iter().map(words).sum();
    let share = words / (threads as u64 * TASKS_OF_THREAD).max(1);
    let share = share.clamp(TASK_WORDS.0, TASK_WORDS.1);
    let of_buffer = |streamed| {
        let StreamedBuffer {
            buffer,
            unit,
            first,
            ..
        }: &StreamedBuffer = streamed;
        let unit = (*unit).max(1);
        let (part, all) = ((PART_WORDS / unit).max(1) * unit, buffer.words);
        let words = (share.div_ceil(part) * part).min((max / part).max(1) * part);
        (*first..all)
            .step_by(words as usize)
            .map(move |first| UploadTask {
                streamed,
                first,
                end: all.min(first + words),
                part,
            })
    };
    buffers.iter().flat_map(of_buffer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Access, Kernel};
    use crate::plan::{Pass, params};

    #[test]
    fn large_buffers_unused_by_the_first_pass_are_deferred() {
        let mut plan = Plan::default();
        let kernel = plan.kernel(Kernel::new("kernel", 1, &[Access::Read; 2]));
        let mut streamed = |words| plan.buffer("", words, Contents::Streamed(3));
        let large = MIN_DEFERRED_WORDS;
        let [first, second, small, unused, third, beside] =
            [large, large, large - 1, large, 2 * large, large].map(&mut streamed);
        let zeros = plan.buffer("", large, Contents::Zeros);
        for bound in [
            [first, zeros],
            [first, first],
            [third, beside],
            [zeros, small],
            [second, third],
        ] {
            let bindings = plan.bind(bound.to_vec());
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [1; 3],
                params: params([]),
                cells: 1,
            });
        }
        let (immediate, deferred) = split_by_first_use(&plan, StreamedBuffer::of(&plan));
        let ids = |streamed: &[StreamedBuffer]| {
            streamed
                .iter()
                .map(|streamed| streamed.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&immediate), [first, small, unused]);
        let deferred: Vec<_> = deferred
            .iter()
            .map(|deferred| (deferred.before, ids(&deferred.buffers)))
            .collect();
        assert_eq!(deferred, [(2, vec![third, beside]), (4, vec![second])]);
    }

    #[test]
    fn upload_tasks_cover_every_word_once_and_begin_at_units() {
        for words in [0, 1, 5, 65_535, 65_540, 3_000_005, 50_000_000] {
            for (threads, max) in [(1, u64::MAX), (2, 1 << 19), (16, u64::MAX), (16, 1)] {
                let buffers = [1, 5, 20_000].map(|unit| {
                    let buffer = Buffer {
                        name: String::new(),
                        words,
                        contents: Contents::Streamed(unit),
                        input: None,
                    };
                    StreamedBuffer {
                        id: unit as BufferId,
                        buffer,
                        unit,
                        first: 0,
                    }
                });
                let tasks = upload_tasks(&buffers, threads, max);
                for StreamedBuffer { id, unit, .. } in &buffers {
                    let mut next = 0;
                    for task in tasks.iter().filter(|task| task.streamed.id == *id) {
                        assert!(
                            task.first == next
                                && task.end > next
                                && task.first % unit == 0
                                && task.part % unit == 0
                        );
                        next = task.end;
                    }
                    assert_eq!(next, words);
                }
            }
        }
    }
}
