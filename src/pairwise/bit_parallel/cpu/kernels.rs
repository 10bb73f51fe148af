//! Which registers, chains and limbs a sweep takes.

use super::kernel::{LIMB_ROWS, TileWork};
use super::lanes::Lanes;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};
use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs};

/// The sweep for one kind of register and one number of planes.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    pub lanes: usize,
    pub chains: usize,
    pub limbs: usize,
    /// Computes a tile.
    ///
    /// # Safety
    /// [`Vector::available`] has returned true.
    pub run: unsafe fn(&mut TileWork<'_>),
}

impl Kernel {
    /// `None` where this processor lacks the instructions. `PLANES` 0 serves every number of planes.
    pub fn new<R: Lanes, X: Vector, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>() -> Option<Self> {
        X::available().then(Self::always::<R, X, CHAINS, LIMBS, PLANES>)
    }

    fn always<R: Lanes, X: Vector, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>() -> Self {
        Self { lanes: X::LANES, chains: CHAINS, limbs: LIMBS, run: X::enter::<R, CHAINS, LIMBS, PLANES> }
    }

    /// The fastest kernel that this processor has, where boundaries are stored and where they are not.
    pub fn pick<R: Kernels>(rows: usize, planes: usize, store: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = Self::avx512::<R>(rows, planes, store).or_else(|| Self::avx2::<R>(rows, planes)) {
            return kernel;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = store;
        Self::portable::<R>(rows, planes)
    }

    #[cfg(target_arch = "x86_64")]
    pub fn avx512<R: Kernels>(rows: usize, planes: usize, store: bool) -> Option<Self> {
        if rows <= Avx512::LANES * LIMB_ROWS {
            return Self::new::<R, Avx512, 1, 1, 0>();
        }
        R::avx512(planes, store)
    }

    #[cfg(target_arch = "x86_64")]
    pub fn avx2<R: Kernels>(rows: usize, planes: usize) -> Option<Self> {
        if rows <= Avx2::LANES * LIMB_ROWS {
            return Self::new::<R, Avx2, 1, 1, 0>();
        }
        R::avx2(planes)
    }

    pub fn portable<R: Kernels>(rows: usize, planes: usize) -> Self {
        if rows <= 2 * LIMB_ROWS {
            return Self::always::<R, [u64; 2], 1, 1, 0>();
        }
        R::portable(planes)
    }

    /// Rows of one lane.
    pub fn lane_rows(&self) -> usize {
        self.limbs * LIMB_ROWS
    }

    /// Rows of one strip.
    pub fn strip_rows(&self) -> usize {
        self.chains * self.lanes * self.lane_rows()
    }

    /// Where a strip's vectors hold its limbs, counted from its first row.
    pub fn place(&self, limb: usize) -> usize {
        let (lane, limb) = (limb / self.limbs, limb % self.limbs);
        (lane / self.lanes * self.limbs + limb) * self.lanes + self.register_lane(lane)
    }

    /// Where registers hold a lane, counted through the strip from its first row.
    pub fn register_lane(&self, lane: usize) -> usize {
        self.lanes - 1 - lane % self.lanes
    }
}

/// The fastest shapes for inputs that fill them.
pub(crate) trait Kernels: Lanes {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel>;
    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel>;
    fn portable(planes: usize) -> Kernel;
}

impl Kernels for Lcs {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel> {
        match (planes, store) {
            (1, false) => Kernel::new::<Self, Avx512, 4, 3, 1>(),
            (1, true) => Kernel::new::<Self, Avx512, 3, 3, 1>(),
            (2, false) => Kernel::new::<Self, Avx512, 3, 4, 2>(),
            (2, true) => Kernel::new::<Self, Avx512, 3, 3, 2>(),
            (3, false) => Kernel::new::<Self, Avx512, 3, 4, 3>(),
            (3, true) => Kernel::new::<Self, Avx512, 2, 4, 3>(),
            (4, _) => Kernel::new::<Self, Avx512, 2, 2, 4>(),
            (5, _) => Kernel::new::<Self, Avx512, 2, 4, 5>(),
            (6, _) => Kernel::new::<Self, Avx512, 1, 4, 6>(),
            (7, _) => Kernel::new::<Self, Avx512, 1, 8, 7>(),
            (8, _) => Kernel::new::<Self, Avx512, 1, 8, 8>(),
            _ => Kernel::new::<Self, Avx512, 1, 12, 0>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel> {
        match planes {
            1 => Kernel::new::<Self, Avx2, 2, 2, 1>(),
            2 => Kernel::new::<Self, Avx2, 2, 2, 2>(),
            3 => Kernel::new::<Self, Avx2, 2, 2, 3>(),
            4 => Kernel::new::<Self, Avx2, 2, 2, 4>(),
            5 => Kernel::new::<Self, Avx2, 2, 2, 5>(),
            _ => Kernel::new::<Self, Avx2, 2, 4, 0>(),
        }
    }

    fn portable(planes: usize) -> Kernel {
        match planes {
            2 => Kernel::always::<Self, [u64; 2], 2, 2, 2>(),
            3 => Kernel::always::<Self, [u64; 2], 2, 2, 3>(),
            _ => Kernel::always::<Self, [u64; 2], 2, 4, 0>(),
        }
    }
}

impl Kernels for Edit {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel> {
        match (planes, store) {
            (1, false) => Kernel::new::<Self, Avx512, 3, 2, 1>(),
            (1, true) => Kernel::new::<Self, Avx512, 2, 3, 1>(),
            (2, false) => Kernel::new::<Self, Avx512, 3, 2, 2>(),
            (2, true) => Kernel::new::<Self, Avx512, 2, 3, 2>(),
            (3, false) => Kernel::new::<Self, Avx512, 3, 2, 3>(),
            (3, true) => Kernel::new::<Self, Avx512, 2, 3, 3>(),
            (4, _) => Kernel::new::<Self, Avx512, 2, 3, 4>(),
            (5, false) => Kernel::new::<Self, Avx512, 2, 3, 5>(),
            (5, true) => Kernel::new::<Self, Avx512, 1, 6, 5>(),
            (6, _) => Kernel::new::<Self, Avx512, 1, 6, 6>(),
            (7, _) => Kernel::new::<Self, Avx512, 1, 6, 7>(),
            (8, _) => Kernel::new::<Self, Avx512, 1, 6, 8>(),
            _ => Kernel::new::<Self, Avx512, 2, 3, 0>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel> {
        match planes {
            2 => Kernel::new::<Self, Avx2, 2, 2, 2>(),
            3 => Kernel::new::<Self, Avx2, 2, 2, 3>(),
            _ => Kernel::new::<Self, Avx2, 2, 2, 0>(),
        }
    }

    fn portable(planes: usize) -> Kernel {
        match planes {
            2 => Kernel::always::<Self, [u64; 2], 2, 2, 2>(),
            _ => Kernel::always::<Self, [u64; 2], 2, 2, 0>(),
        }
    }
}
