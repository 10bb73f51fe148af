use super::super::inputs::{self, Random};
use super::*;
use crate::lcs::reference;

const BLOCK: usize = 128;

/// Kernels with few limbs, so that small inputs cross strips: every kind of register that this processor has, planes in
/// registers and in memory.
fn kernels(planes: usize) -> Vec<Kernel> {
    let mut kernels = vec![Kernel::new::<[u64; 2], 2, 1, 0>(), Kernel::new::<[u64; 1], 1, 2, 0>()];
    if planes == 2 {
        kernels.extend([Kernel::new::<[u64; 2], 1, 2, 2>(), Kernel::new::<[u64; 4], 2, 1, 2>()]);
    }
    #[cfg(target_arch = "x86_64")]
    {
        use vector::{Avx2, Avx512};
        kernels.extend([Kernel::new::<Avx2, 2, 1, 0>(), Kernel::new::<Avx512, 1, 1, 0>()]);
        if planes == 2 {
            kernels.extend([Kernel::new::<Avx2, 1, 2, 2>(), Kernel::new::<Avx512, 2, 1, 2>()]);
        }
        if planes == 3 {
            kernels.extend([Kernel::new::<Avx2, 2, 2, 3>(), Kernel::new::<Avx512, 1, 2, 3>()]);
        }
    }
    kernels.into_iter().flatten().collect()
}

fn reference_column(a: &[u32], b: &[u32]) -> Vec<u64> {
    let mut column = vec![0; a.len() + 1];
    for y in b {
        let mut diagonal = 0;
        for (i, x) in a.iter().enumerate() {
            let left = column[i + 1];
            column[i + 1] = if x == y { diagonal + 1 } else { left.max(column[i]) };
            diagonal = left;
        }
    }
    let mut words = vec![!0u64; a.len().div_ceil(64)];
    for i in (0..a.len()).filter(|&i| column[i + 1] > column[i]) {
        words[i / 64] &= !(1 << (i % 64));
    }
    words
}

fn assert_matches_reference(a: &[u32], b: &[u32]) {
    let codes = Encoded::new(a, b);
    let control = Control::default();
    let column = reference_column(a, b);
    let path = reference::subsequence(a, b).0;
    let coding = Coding::new(&codes.a, &codes.b, codes.shared);
    assert_eq!(length(&codes, &control).expect("not cancelled"), path.steps());
    let mut picked = vec![Kernel::portable(a.len(), coding.planes)];
    picked.extend([false, true].map(|store| Kernel::pick(a.len(), coding.planes, store)));
    for kernel in kernels(coding.planes).into_iter().chain(picked) {
        let table = || Table::new(kernel, coding, &codes.a, &codes.b, BLOCK);
        let sizes = format!("{} lanes, {} chains, {} limbs", kernel.lanes, kernel.chains, kernel.limbs);
        let found = table().run(false, &control).expect("not cancelled").last_column();
        assert_eq!(found, column, "{sizes}, a = {a:?}, b = {b:?}");
        let found = table().path(&codes.a, &codes.b, &control).expect("not cancelled");
        assert_eq!(found, path, "{sizes}, a = {a:?}, b = {b:?}");
    }
}

#[test]
fn every_kernel_matches_the_reference_on_limb_lane_and_strip_edges() {
    let mut random = Random::new(2);
    for rows in [1, 62, 63, 64, 125, 126, 127, 251, 252, 253, 503, 504, 505, 1007, 1008, 1009] {
        for letters in [4, 5] {
            assert_matches_reference(&random.codes(rows, letters), &random.codes(150, letters));
        }
    }
}

#[test]
fn every_kernel_matches_the_reference_on_block_edges() {
    let mut random = Random::new(3);
    for cols in [1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 63, 64, 65, 127, 128, 129, 255, 256, 257] {
        for letters in [4, 26] {
            assert_matches_reference(&random.codes(300, letters), &random.codes(cols, letters));
        }
    }
}

#[test]
fn every_kernel_matches_the_reference_on_every_kind_of_input() {
    for (a, b) in inputs::pairs(330, 290) {
        assert_matches_reference(&a, &b);
    }
}

#[test]
fn the_picked_kernels_match_the_reference_across_their_strips() {
    let mut random = Random::new(10);
    for letters in [2, 4, 7, 12, 26, 60, 100, 256, 600] {
        let (a, b) = (random.codes(6100, letters), random.codes(1100, letters));
        let codes = Encoded::new(&a, &b);
        let control = Control::default();
        assert_eq!(length(&codes, &control).expect("not cancelled"), reference::length(&a, &b), "{letters} letters");
        let found = last_column(&codes.a, &codes.b, codes.shared, &control).expect("not cancelled");
        assert!(found == reference_column(&a, &b), "{letters} letters");
        let found = subsequence(&codes.a, &codes.b, codes.shared, &control).expect("not cancelled");
        assert!(found == reference::subsequence(&a, &b).0, "{letters} letters");
    }
}

#[test]
fn the_picked_avx2_kernels_match_the_reference() {
    #[cfg(target_arch = "x86_64")]
    for (a, b) in inputs::pairs(600, 290) {
        let codes = Encoded::new(&a, &b);
        let coding = Coding::new(&codes.a, &codes.b, codes.shared);
        let Some(kernel) = Kernel::avx2(a.len(), coding.planes) else { return };
        let table = Table::new(kernel, coding, &codes.a, &codes.b, BLOCK);
        let path = table.path(&codes.a, &codes.b, &Control::default()).expect("not cancelled");
        assert_eq!(path, reference::subsequence(&a, &b).0, "a = {a:?}, b = {b:?}");
    }
}

#[test]
fn the_budget_for_stored_boundaries_covers_what_is_stored() {
    let mut random = Random::new(4);
    for letters in [2, 4, 26, 300] {
        let codes = Encoded::new(&random.codes(9000, letters), &random.codes(3000, letters));
        let control = Control::default();
        let coding = Coding::new(&codes.a, &codes.b, codes.shared);
        let kernel = Kernel::pick(codes.a.len(), coding.planes, true);
        let table = Table::new(kernel, coding, &codes.a, &codes.b, path::BLOCK_COLS).run(true, &control);
        let strips = table.expect("not cancelled").strips;
        let stored: usize = strips.iter().map(|strip| strip.stored_v.len() * 8 + strip.stored_carries.len()).sum();
        let sweep = CpuSweep { limit_bytes: stored as u64 - 1, control: &control };
        assert!(!sweep.fits(9000, 3000), "{stored} bytes with {letters} letters");
        let sweep = CpuSweep { limit_bytes: stored as u64 * 4, control: &control };
        assert!(sweep.fits(9000, 3000), "{stored} bytes with {letters} letters");
    }
}

#[test]
fn a_cancelled_sweep_returns_the_error() {
    let control = Control::default();
    assert!(last_column(&[1], &[1], 1, &control).is_ok());
    let cancel = crate::control::CancelHandle::new();
    cancel.cancel();
    assert!(last_column(&[1], &[1], 1, &Control::new(cancel, None)).is_err());
}

#[test]
fn scratch_of_one_kernel_does_not_reach_another() {
    let mut random = Random::new(11);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let narrow = Kernel::new::<[u64; 1], 1, 2, 0>().expect("always available");
    let wide = Kernel::new::<[u64; 2], 2, 1, 0>().expect("always available");
    // Padding of 0 and of 17 on both sides: the padded blocks have the same length.
    for (kernel, cols) in [(narrow, 98), (wide, 64), (narrow, 98)] {
        let (a, b) = (random.codes(260, 3), random.codes(cols, 3));
        let codes = Encoded::new(&a, &b);
        let coding = Coding::new(&codes.a, &codes.b, codes.shared);
        let run = || Table::new(kernel, coding, &codes.a, &codes.b, BLOCK).run(false, &Control::default());
        let found = pool.install(run).expect("not cancelled").last_column();
        assert_eq!(found, reference_column(&a, &b), "{cols} columns");
    }
}
