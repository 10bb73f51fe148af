//! Index of the blocks of one text by content.

use std::ops::Range;

use super::sizes::BlockSizes;
use crate::error::{Error, Result};
use crate::host::parallel::{concat, map_ranges, sort_unstable};
use crate::substring::texts::Code;
use crate::symbols::hash::{hash, hashes, top};

/// A set of equal blocks. Classes with the same hash are adjacent.
struct Class {
    hash: u64,
    /// Index of the first member in [`Index::members`].
    members: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    class: u32,
    /// Class of the preceding block; [`NONE`] for the first block.
    before: u32,
    block: u32,
}

pub(super) const NONE: u32 = u32::MAX;

/// Hash table of the blocks of a text, one class per distinct content.
pub(super) struct Index<'a, C> {
    pub codes: &'a [C],
    pub sizes: BlockSizes,
    classes: Vec<Class>,
    members: Vec<Member>,
    /// Open addressing: first class of a hash plus 1, at the slot of the hash or after it; 0 if
    /// empty.
    slots: Vec<u32>,
    slots_log2: u32,
    /// Bloom filter with one bit per class hash.
    filter: Vec<u64>,
    filter_log2: u32,
}

/// Filter bits per block, log2: few windows without a class pass.
const FILTER_BITS_LOG2: u32 = 5;
const TASK_BLOCKS: usize = 1 << 10;

/// Peak host memory of an index.
pub(super) fn size_bytes(blocks: usize) -> u64 {
    let a_block =
        size_of::<(u64, u32)>() + size_of::<u32>() + size_of::<Member>() + size_of::<Class>();
    let slots = 2 * size_of::<u32>() + (1 << FILTER_BITS_LOG2) / 8;
    (blocks as u64).saturating_mul((a_block + 2 * slots) as u64)
}

impl<'a, C: Code> Index<'a, C> {
    /// # Errors
    /// [`Error::InputTooLong`] if there are more blocks than 32-bit numbers.
    pub(super) fn new(codes: &'a [C], sizes: BlockSizes) -> Result<Self> {
        let blocks = sizes.blocks(codes.len());
        let limit = u64::from(NONE) - 1;
        if blocks as u64 > limit {
            let remedy = "ask for longer matches, or give shorter inputs";
            return Err(Error::InputTooLong {
                what: "the input",
                actual: codes.len() as u64,
                limit,
                remedy,
            });
        }
        let mut hashed = hashed(codes, sizes, blocks);
        sort_unstable(&mut hashed);

        let (mut classes, mut class_of) = (Vec::new(), vec![NONE; blocks]);
        for same in hashed.chunk_by(|x, y| x.0 == y.0) {
            let first = classes.len();
            // Nearly always one content per hash; collisions are resolved by comparison.
            let mut contents: Vec<&[C]> = Vec::new();
            for &(hash, block) in same {
                let content = &codes[block as usize * sizes.step..][..sizes.width];
                let known = contents.iter().position(|&known| known == content);
                class_of[block as usize] = (first + known.unwrap_or(contents.len())) as u32;
                if known.is_none() {
                    contents.push(content);
                    classes.push(Class { hash, members: 0 });
                }
            }
        }
        drop(hashed);

        let member = |block: usize| Member {
            class: class_of[block],
            before: block.checked_sub(1).map_or(NONE, |before| class_of[before]),
            block: block as u32,
        };
        let mut members: Vec<_> = (0..blocks).map(member).collect();
        sort_unstable(&mut members);
        for (place, pair) in members.windows(2).enumerate() {
            if pair[0].class != pair[1].class {
                classes[pair[1].class as usize].members = place as u32 + 1;
            }
        }

        let slots_log2 = (2 * classes.len()).next_power_of_two().ilog2().max(1);
        let filter_log2 = classes.len().next_power_of_two().ilog2() + FILTER_BITS_LOG2;
        let (mut slots, mut filter) = (
            vec![0; 1 << slots_log2],
            vec![0u64; 1 << filter_log2.saturating_sub(6)],
        );
        let mut last = None;
        for (class, &Class { hash, .. }) in classes.iter().enumerate() {
            if last.replace(hash) == Some(hash) {
                continue;
            }
            let mut slot = top(hash, slots_log2);
            while slots[slot] != 0 {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = class as u32 + 1;
            let bit = top(hash, filter_log2);
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Ok(Self {
            codes,
            sizes,
            classes,
            members,
            slots,
            slots_log2,
            filter,
            filter_log2,
        })
    }

    /// Filter test: false only if no block has this hash.
    #[inline]
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let bit = top(hash, self.filter_log2);
        self.filter[bit / 64] >> (bit % 64) & 1 == 1
    }

    pub(super) fn classes(&self, hash: u64) -> Range<u32> {
        let mut slot = top(hash, self.slots_log2);
        while self.slots[slot] != 0 {
            let first = self.slots[slot] - 1;
            if self.classes[first as usize].hash == hash {
                let same = self.classes[first as usize..]
                    .iter()
                    .take_while(|class| class.hash == hash)
                    .count();
                return first..first + same as u32;
            }
            slot = (slot + 1) % self.slots.len();
        }
        0..0
    }

    /// The symbols of a class's blocks.
    pub(super) fn content(&self, class: u32) -> &'a [C] {
        let block = self.members[self.classes[class as usize].members as usize].block;
        &self.codes[block as usize * self.sizes.step..][..self.sizes.width]
    }

    /// Positions of the blocks of a class, except those whose preceding block is of the class
    /// `before`.
    pub(super) fn positions(&self, class: u32, before: u32) -> impl Iterator<Item = usize> {
        let start = self.classes[class as usize].members as usize;
        let end = self
            .classes
            .get(class as usize + 1)
            .map_or(self.members.len(), |next| next.members as usize);
        let members = &self.members[start..end];
        let left_out = match before {
            NONE => members.len()..members.len(),
            _ => {
                members.partition_point(|member| member.before < before)
                    ..members.partition_point(|member| member.before <= before)
            }
        };
        let kept = members[..left_out.start]
            .iter()
            .chain(&members[left_out.end..]);
        kept.map(|member| member.block as usize * self.sizes.step)
    }
}

/// Hashes of all blocks, with the block numbers.
fn hashed<C: Code>(
    codes: &[C],
    BlockSizes { width, step }: BlockSizes,
    blocks: usize,
) -> Vec<(u64, u32)> {
    let of_task = |task_blocks: Range<usize>| {
        let mut hashed = Vec::with_capacity(task_blocks.len());
        if 2 * step > width {
            let block = |block| &codes[block * step..][..width];
            hashed.extend(task_blocks.map(|number| (hash(block(number)), number as u32)));
        } else {
            let from = task_blocks.start * step;
            let blocks = &codes[from..(task_blocks.end - 1) * step + width];
            let hashes = hashes(blocks, width).step_by(step);
            hashed.extend(hashes.zip(task_blocks.start as u32..));
        }
        hashed
    };
    concat(map_ranges(blocks, TASK_BLOCKS, of_task))
}
