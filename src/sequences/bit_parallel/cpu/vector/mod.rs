//! SIMD registers, with the operations of the recurrences.
//!
//! Recurrences are generic over [`Register`], and so over the width of a lane. The sweep is generic
//! over [`Vector`], registers of 64-bit lanes. Both run inside [`Register::enabled`], so that every
//! operation becomes one instruction.

/// Functions of a register from those of its instruction set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! unchecked {
    ($(fn $name:ident($($arguments:tt)*) {$($body:tt)*})*) => {$(
        #[inline(always)]
        fn $name($($arguments)*) -> Self {
            // SAFETY: values exist only inside `enabled`, whose caller has checked the processor.
            Self::of(unsafe { $($body)* })
        }
    )*};
}
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::host::simd::Instructions;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;

/// Element of a register: an unsigned integer.
pub(crate) trait Lane: bytemuck::Pod + Send + Sync {
    const BITS: u32 = 8 * size_of::<Self>() as u32;
    /// Register of no instruction set.
    type Portable: Register<Lane = Self>;

    /// The low bits of a number.
    fn truncated(value: u64) -> Self;
    /// The same bits, with zeros above them.
    fn extended(self) -> u64;
    /// The same bits as a signed number.
    fn signed(self) -> i64;
}

pub(crate) fn chosen_lanes<T: Lane>() -> usize {
    match Instructions::chosen() {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => Avx512::<T>::LANES,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => Avx2::<T>::LANES,
        #[cfg(target_arch = "aarch64")]
        Instructions::Neon => Neon::<T>::LANES,
        Instructions::Portable => T::Portable::LANES,
    }
}

/// Calls a function inside [`Register::enabled`], with the chosen registers of these lanes as its last
/// type parameter.
macro_rules! with_registers {
    ($all:ident [$($first:ident),*] $lane:ty, ($($argument:expr),*)) => {{
        use $crate::host::simd::Instructions;
        use $crate::sequences::bit_parallel::cpu::vector;
        macro_rules! enabled {
            ($register:ty) => {
                // SAFETY: `chosen` has checked the processor.
                unsafe {
                    <$register as vector::Register>::enabled(
                        #[inline(always)]
                        || $all::<$($first,)* $register>($($argument),*),
                    )
                }
            };
        }
        match Instructions::chosen() {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => enabled!(vector::Avx512<$lane>),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => enabled!(vector::Avx2<$lane>),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => enabled!(vector::Neon<$lane>),
            Instructions::Portable => enabled!(<$lane as vector::Lane>::Portable),
        }
    }};
}
pub(super) use with_registers;

macro_rules! lane {
    ($($unsigned:ty, $signed:ty;)*) => {$(
        impl Lane for $unsigned {
            type Portable = [$unsigned; 64 / size_of::<$unsigned>()];

            #[inline(always)]
            fn truncated(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn extended(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn signed(self) -> i64 {
                (self as $signed).into()
            }
        }
    )*};
}

lane! {
    u8, i8;
    u16, i16;
    u32, i32;
    u64, i64;
}

/// A register of [`LANES`](Register::LANES) lanes of one width.
pub(crate) trait Register: Copy {
    type Lane: Lane;
    const LANES: usize;

    /// Calls `run`, which has to be inlined, from a function with the instruction set enabled.
    ///
    /// # Safety
    /// The processor must have the instructions.
    unsafe fn enabled<O>(run: impl FnOnce() -> O) -> O;
    /// The low bits of a number in all lanes.
    fn splat(value: u64) -> Self;
    /// Loads the first [`LANES`](Register::LANES) elements, which must exist.
    fn load(from: &[Self::Lane]) -> Self;
    fn store(self, to: &mut [Self::Lane]);
    /// `!(self ^ column)`: the rows that match in one plane.
    fn equal(self, column: Self) -> Self;
    /// `self & !(row ^ column)`: narrows the matching rows by one plane.
    fn matching(self, row: Self, column: Self) -> Self;
    /// Complement of [`matching`](Register::matching).
    fn mismatching(self, row: Self, column: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// All ones in lanes whose top bit is set, else zero.
    fn sign(self) -> Self;
    /// `sum | (self & kept)`.
    fn merge(self, sum: Self, kept: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// `self | b | c`.
    fn or3(self, b: Self, c: Self) -> Self;
    /// `self ^ b ^ c`.
    fn xor3(self, b: Self, c: Self) -> Self;
    /// `self | !(b | c)`.
    fn or_nor(self, b: Self, c: Self) -> Self;
    /// The top bit as a number.
    fn top(self) -> Self;
    /// `self << 1`, with the top bit of `below` shifted in.
    fn shift_up(self, below: Self) -> Self;
    fn count_ones(self) -> Self;
    /// True if the top bits of all lanes are set.
    fn all_negative(self) -> bool;
}

/// A register of 64-bit lanes; their number divides 8.
pub(crate) trait Vector: Register<Lane = u64> {
    const INSTRUCTIONS: Instructions;

    /// The elements of `table` at the first [`LANES`](Register::LANES) places. By single loads:
    /// gather instructions are slow on processors that mitigate Downfall.
    ///
    /// # Safety
    /// These places exist and are less than `table.len()`.
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self;
    /// `self` where `valid` is all ones, `other` where it is 0.
    fn or_outside(self, other: Self, valid: Self) -> Self;
    /// Moves every lane down by one; `entering` becomes the top lane.
    fn shift_in(self, entering: u64) -> Self;
    fn lowest(self) -> u64;
    /// Top bits of all lanes; the lowest lane is bit 0.
    fn signs(self) -> u8;
    /// Bits of the bytes that equal `byte`, bit 0 for the first.
    #[inline(always)]
    fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let (words, _) = block.as_chunks::<8>();
        words.iter().enumerate().fold(0, |bits, (index, word)| {
            let other = u64::from_le_bytes(*word) ^ u64::from_le_bytes([byte; 8]);
            let equal = !(((other & LOW) + LOW) | other | LOW) >> 7;
            // Gathers the lowest bits of all bytes in the top one.
            bits | equal.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * index)
        })
    }
}
