//! SIMD registers of 64-bit lanes, with the operations of the sweep.
//!
//! The sweep is generic over [`Vector`].
//! [`Dispatch::dispatch`](super::dispatch::Dispatch::dispatch) runs it inside a function with the
//! instruction set enabled, so that every operation becomes one instruction.

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

/// A register of [`LANES`](Vector::LANES) 64-bit lanes.
pub(crate) trait Vector: Copy {
    /// Lanes per register; divides 8.
    const LANES: usize;
    const INSTRUCTIONS: Instructions;

    fn splat(value: u64) -> Self;
    /// Loads the first [`LANES`](Vector::LANES) elements, which must exist.
    fn load(from: &[u64]) -> Self;
    fn store(self, to: &mut [u64]);
    /// The elements of `table` at the first [`LANES`](Vector::LANES) places. By single loads: gather
    /// instructions are slow on processors that mitigate Downfall.
    ///
    /// # Safety
    /// These places exist and are less than `table.len()`.
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self;
    /// `self & !(row ^ column)`: narrows the matching rows by one plane.
    fn matching(self, row: Self, column: Self) -> Self;
    /// Complement of [`matching`](Vector::matching).
    fn mismatching(self, row: Self, column: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// All ones in lanes whose top bit is set, else zero.
    fn sign(self) -> Self;
    /// `sum | (self & kept)`.
    fn merge(self, sum: Self, kept: Self) -> Self;
    /// `self` where `valid` is all ones, `other` where it is 0.
    fn or_outside(self, other: Self, valid: Self) -> Self;
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
    /// Moves every lane down by one; `entering` becomes the top lane.
    fn shift_in(self, entering: u64) -> Self;
    /// The lowest lane.
    fn lowest(self) -> u64;
    /// Top bits of all lanes; the lowest lane is bit 0.
    fn signs(self) -> u8;
    /// Bits of the bytes that equal `byte`, bit 0 for the first.
    #[inline(always)]
    fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let (words, _) = block.as_chunks::<8>();
        words.iter().enumerate().fold(0, |bits, (place, word)| {
            let other = u64::from_le_bytes(*word) ^ u64::from_le_bytes([byte; 8]);
            let equal = !(((other & LOW) + LOW) | other | LOW) >> 7;
            // Gathers the lowest bits of all bytes in the top one.
            bits | equal.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * place)
        })
    }
}
