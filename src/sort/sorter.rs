//! Sort of an application's own buffers within its own commands.

use std::marker::PhantomData;

use wgpu::{Buffer, BufferUsages, CommandEncoder};

use super::Key;
use super::key::{digits, low_bits, words_of};
use super::shape::SortTuning;
use super::sizes::{KeyArrays, SortSizes};
use crate::backend::wgpu::{HostDevice, Part, Recorder};
use crate::error::{Error, Result};
use crate::plan::{BufferId, Contents, Plan};

/// Sorts keys in an application's buffers by passes recorded into its own [`CommandEncoder`].
///
/// Kernels are built and scratch buffers allocated once, for a maximum number of keys. A sort
/// allocates only its bindings and a few words. The sorts of one sorter share its scratch buffers;
/// they run one after the other on the device's queue. The order is ascending and stable, like that
/// of [`RadixSort`](super::RadixSort). No device features are required; the sort is faster with
/// `SUBGROUP`.
///
/// Memory besides the arrays: a copy of them, and a few megabytes. Arrays longer than a binding are
/// sorted in chunks.
///
/// ```no_run
/// use swath::sort::{Length, Sorter};
/// use swath::{HostDevice, wgpu};
///
/// # use swath::wgpu::{Adapter, Device, Queue};
/// # fn host(adapter: Adapter, device: Device, queue: Queue) -> swath::Result<()> {
/// let buffer = |size| {
///     device.create_buffer(&wgpu::BufferDescriptor {
///         label: None,
///         size,
///         usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
///         mapped_at_creation: false,
///     })
/// };
/// // Once; 40 of 64 key bits are used.
/// let host = HostDevice::new(&adapter, device.clone(), queue.clone());
/// let sorter = Sorter::<u64>::for_pairs(host, 1_000_000)?.key_bits(40);
///
/// // With the application's other work.
/// let (keys, payload, count) = (buffer(8_000_000), buffer(4_000_000), buffer(4));
/// let mut commands = device.create_command_encoder(&Default::default());
/// let length = Length::OnDevice { buffer: &count, offset_bytes: 0 };
/// sorter.record(&mut commands, &keys, Some(&payload), length)?;
/// queue.submit([commands.finish()]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sorter<K: Key> {
    recorder: Recorder,
    sizes: SortSizes,
    tuning: SortTuning,
    /// Lowest key bits to sort by.
    key_bits: u32,
    /// The other buffers of each round, by chunk: keys and payload.
    scratch: [Vec<Part>; 2],
    counts: Part,
    keys: PhantomData<K>,
}

/// Number of keys of a sort; [`Sorter`] has an example.
#[derive(Clone, Copy, Debug)]
pub enum Length<'a> {
    /// The first `n` keys of the buffer.
    Keys(u64),
    /// A `u32` in a separate buffer, read when the passes run; at most the sorter's maximum is
    /// sorted. `offset_bytes` is a multiple of 4.
    OnDevice {
        /// Created with `STORAGE`.
        buffer: &'a Buffer,
        /// Offset of the number.
        offset_bytes: u64,
    },
}

impl<K: Key> Sorter<K> {
    /// A sorter for at most `most_keys` keys.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with what the device lacks, [`Error::InputTooLong`],
    /// [`Error::DeviceMemory`].
    pub fn for_keys(host: HostDevice, most_keys: u64) -> Result<Self> {
        Self::new(
            Recorder::on(host, false)?,
            most_keys,
            false,
            SortTuning::default(),
        )
    }

    /// A sorter for at most `most_keys` keys, each with a payload word.
    ///
    /// # Errors
    /// As [`for_keys`](Self::for_keys).
    pub fn for_pairs(host: HostDevice, most_keys: u64) -> Result<Self> {
        Self::new(
            Recorder::on(host, false)?,
            most_keys,
            true,
            SortTuning::default(),
        )
    }

    #[doc(hidden)]
    pub fn tuned(
        host: HostDevice,
        most_keys: u64,
        payload: bool,
        checked: bool,
        tuning: SortTuning,
    ) -> Result<Self> {
        Self::new(Recorder::on(host, checked)?, most_keys, payload, tuning)
    }

    fn new(recorder: Recorder, most_keys: u64, payload: bool, tuning: SortTuning) -> Result<Self> {
        let sizes = SortSizes::new(
            words_of::<K>(),
            payload,
            most_keys,
            recorder.capabilities(),
            &tuning,
        )?;
        let InPlacePlan { plan, .. } = plan_in_place(&sizes, 1, low_bits(8));
        recorder.build(&plan.kernels)?;
        let part = |words: u64, name: &str| {
            let part = |chunk| recorder.buffer(name, sizes.chunk(chunk).1.max(1) * words * 4);
            (0..sizes.chunks()).map(part).collect::<Result<Vec<_>>>()
        };
        let scratch = [
            part(words_of::<K>().into(), "scratch keys")?,
            if payload {
                part(1, "scratch payload")?
            } else {
                Vec::new()
            },
        ];
        let counts = recorder.buffer("counts", sizes.counts_words() * 4)?;
        Ok(Self {
            recorder,
            sizes,
            tuning,
            key_bits: K::BITS,
            scratch,
            counts,
            keys: PhantomData,
        })
    }

    /// Sorts by the lowest `bits` bits only, in fewer passes. Keys that are equal in these keep
    /// their order.
    pub fn key_bits(mut self, bits: u32) -> Self {
        self.key_bits = bits.min(K::BITS);
        self
    }

    /// Maximum number of keys of a sort.
    pub fn most_keys(&self) -> u64 {
        self.sizes.keys
    }

    /// Records a sort of the keys at the start of a buffer (`u64` keys low word first), and of
    /// their payload if the sorter is made for pairs. The buffers need `STORAGE` and space for the
    /// number of keys; for [`Length::OnDevice`], space for the sorter's maximum.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`], [`Error::LengthMismatch`] and [`Error::InputTooLong`]; nothing is
    /// recorded then.
    pub fn record(
        &self,
        commands: &mut CommandEncoder,
        keys: &Buffer,
        payload: Option<&Buffer>,
        length: Length<'_>,
    ) -> Result<()> {
        if payload.is_some() != self.sizes.sort.payload {
            let reason = match payload {
                Some(_) => "the sorter was made for keys alone: make one for pairs",
                None => "the sorter was made for pairs and there is none: make one for keys alone",
            };
            return Err(Error::InvalidBuffer {
                what: "payload",
                reason: reason.to_string(),
            });
        }
        let max = match length {
            Length::Keys(keys) => keys,
            Length::OnDevice { .. } => self.sizes.keys,
        };
        if max > self.sizes.keys {
            let remedy = "make a sorter for as many";
            return Err(Error::InputTooLong {
                what: "the array of keys",
                actual: max,
                limit: self.sizes.keys,
                remedy,
            });
        }
        check("keys", keys, max * u64::from(words_of::<K>()) * 4)?;
        payload.map_or(Ok(()), |payload| check("payload", payload, max * 4))?;
        let on_device = match length {
            Length::Keys(_) => None,
            Length::OnDevice { buffer, .. } => Some(buffer),
        };
        if payload == Some(keys)
            || on_device.is_some_and(|length| length == keys || payload == Some(length))
        {
            let reason =
                "keys, payload and length lie in buffers of their own, and here two are one"
                    .to_string();
            return Err(Error::InvalidBuffer {
                what: "keys",
                reason,
            });
        }
        let (length, length_at) = match length {
            Length::Keys(keys) => (self.recorder.upload("length", &[keys as u32])?, 0),
            Length::OnDevice {
                buffer,
                offset_bytes,
            } => length_part(buffer, offset_bytes)?,
        };
        let sizes = self.sizes.for_keys(max, &self.tuning)?;
        let InPlacePlan {
            plan,
            arrays,
            scratch,
            length: length_id,
            counts,
        } = plan_in_place(&sizes, length_at, low_bits(self.key_bits));
        let mut parts = vec![length.clone(); plan.buffers.len()];
        parts[length_id] = length;
        for chunk in 0..sizes.chunks() {
            let (first, count) = sizes.chunk(chunk);
            let part = |buffer: &Buffer, bytes: u64| Part {
                buffer: buffer.clone(),
                offset_bytes: first * bytes,
                size_bytes: count.max(1) * bytes,
            };
            parts[arrays.keys[chunk]] = part(keys, u64::from(words_of::<K>()) * 4);
            parts[scratch.keys[chunk]] = self.scratch[0][chunk].clone();
            if let Some(payload) = payload {
                parts[arrays.payload[chunk]] = part(payload, 4);
                parts[scratch.payload[chunk]] = self.scratch[1][chunk].clone();
            }
        }
        counts
            .into_iter()
            .for_each(|counts| parts[counts] = self.counts.clone());
        if max == 0 || plan.passes.is_empty() {
            return Ok(());
        }
        self.recorder.record(commands, &plan, &parts)
    }
}

/// Plan of a sort whose result is in the input arrays.
struct InPlacePlan {
    plan: Plan,
    arrays: KeyArrays,
    scratch: KeyArrays,
    length: BufferId,
    counts: Option<BufferId>,
}

fn plan_in_place(sizes: &SortSizes, length_at: u32, bits: u64) -> InPlacePlan {
    let mut plan = Plan::default();
    let [arrays, scratch] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
    let length = plan.buffer("length", 1, Contents::Unspecified);
    let counts = plan.buffers.len();
    let result_index = sizes.add_passes(
        &mut plan,
        [&arrays, &scratch],
        (length, length_at),
        &digits(bits),
    );
    if result_index == 1 {
        sizes.add_copy(&mut plan, [&scratch, &arrays], length, length_at);
    }
    let counts = (plan.buffers.len() > counts).then_some(counts);
    InPlacePlan {
        plan,
        arrays,
        scratch,
        length,
        counts,
    }
}

/// Checks that kernels can bind `needed` bytes of the buffer.
fn check(what: &'static str, buffer: &Buffer, needed: u64) -> Result<()> {
    let reason = if !buffer.usage().contains(BufferUsages::STORAGE) {
        "it was made without STORAGE".to_string()
    } else if buffer.size() < needed {
        format!("it has {} bytes and {needed} are needed", buffer.size())
    } else {
        return Ok(());
    };
    Err(Error::InvalidBuffer { what, reason })
}

/// Binding offset alignment valid on every device.
const ALIGNMENT_BYTES: u64 = 256;

/// The bindable part of a buffer that contains the length, and the length's word index in it.
fn length_part(buffer: &Buffer, offset_bytes: u64) -> Result<(Part, u32)> {
    let end = offset_bytes
        .checked_add(4)
        .filter(|_| offset_bytes.is_multiple_of(4));
    let Some(end) = end else {
        let reason =
            format!("a length cannot lie at {offset_bytes} bytes: put it at a multiple of 4");
        return Err(Error::InvalidBuffer {
            what: "length",
            reason,
        });
    };
    check("length", buffer, end)?;
    let begin = offset_bytes / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    let part = Part {
        buffer: buffer.clone(),
        offset_bytes: begin,
        size_bytes: end - begin,
    };
    Ok((part, ((offset_bytes - begin) / 4) as u32))
}
