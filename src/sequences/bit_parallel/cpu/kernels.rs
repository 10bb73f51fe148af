//! Kernels by instruction set: lanes, chains and limbs of a strip in registers.

use super::kernel::{LIMB_ROWS, TileWork, sweep};
use super::lanes::Lanes;
#[cfg(target_arch = "aarch64")]
use super::vector::Neon;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};
use crate::host::simd::Instructions;
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

/// The sweep compiled for one instruction set, one strip shape and one number of planes.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    pub instructions: Instructions,
    /// 64-bit lanes per register.
    pub lanes: usize,
    /// Chains per strip; independent within a step.
    pub chains: usize,
    pub limbs: usize,
    pub sets: bool,
    /// Computes a tile.
    ///
    /// # Safety
    /// [`Instructions::available`] must have returned true for
    /// [`instructions`](Self::instructions).
    pub run: unsafe fn(&mut TileWork<'_>),
}

impl Kernel {
    /// `None` if the processor lacks the instructions. `PLANES` 0 serves any number of planes.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "no SIMD kernels for this processor")
    )]
    pub(crate) fn new<
        R: Lanes,
        X: Vector,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
    >() -> Option<Self> {
        X::INSTRUCTIONS
            .available()
            .then(Self::always::<R, X, CHAINS, LIMBS, PLANES>)
    }

    fn always<R: Lanes, X: Vector, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>()
    -> Self {
        Self {
            instructions: X::INSTRUCTIONS,
            lanes: X::LANES,
            chains: CHAINS,
            limbs: LIMBS,
            sets: false,
            run: run::<R, X, CHAINS, LIMBS, PLANES, false>,
        }
    }

    fn of_sets<R: Lanes, X: Vector, const CHAINS: usize, const LIMBS: usize>() -> Self {
        Self {
            sets: true,
            run: run::<R, X, CHAINS, LIMBS, 0, true>,
            ..Self::always::<R, X, CHAINS, LIMBS, 0>()
        }
    }

    pub(super) fn with_sets<R: Lanes>(instructions: Instructions, rows: usize) -> Option<Self> {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = rows;
        let kernel = match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 if in_one_register::<Avx512>(rows) => {
                Self::of_sets::<R, Avx512, 1, 1>()
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => Self::of_sets::<R, Avx512, 2, 3>(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => Self::of_sets::<R, Avx2, 2, 2>(),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => Self::of_sets::<R, Neon, 2, 2>(),
            Instructions::Portable => Self::of_sets::<R, [u64; 2], 2, 2>(),
        };
        instructions.available().then_some(kernel)
    }

    /// The fastest kernel of one instruction set; `None` if the processor lacks it.
    pub(crate) fn with<R: Kernels>(
        instructions: Instructions,
        rows: usize,
        planes: usize,
        store: bool,
    ) -> Option<Self> {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = store;
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 if in_one_register::<Avx512>(rows) => {
                Self::new::<R, Avx512, 1, 1, 0>()
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => R::avx512(planes, store),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 if in_one_register::<Avx2>(rows) => Self::new::<R, Avx2, 1, 1, 0>(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => R::avx2(planes),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon if in_one_register::<Neon>(rows) => Self::new::<R, Neon, 1, 1, 0>(),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => R::neon(planes),
            Instructions::Portable => Some(Self::portable::<R>(rows, planes)),
        }
    }

    fn portable<R: Kernels>(rows: usize, planes: usize) -> Self {
        if in_one_register::<[u64; 2]>(rows) {
            return Self::always::<R, [u64; 2], 1, 1, 0>();
        }
        R::portable(planes)
    }

    pub(crate) fn lane_rows(&self) -> usize {
        self.limbs * LIMB_ROWS
    }

    pub(crate) fn strip_rows(&self) -> usize {
        self.chains * self.lanes * self.lane_rows()
    }

    /// Index of a limb, counted from the strip's first row, in the strip's vectors.
    pub(crate) fn place(&self, limb: usize) -> usize {
        let (lane, limb) = (limb / self.limbs, limb % self.limbs);
        (lane / self.lanes * self.limbs + limb) * self.lanes + self.register_lane(lane)
    }

    /// Register lane of a lane counted from the strip's first row.
    pub(crate) fn register_lane(&self, lane: usize) -> usize {
        self.lanes - 1 - lane % self.lanes
    }
}

/// [`sweep`] with the instruction set of the registers enabled.
///
/// # Safety
/// As for [`Kernel::run`].
unsafe fn run<
    R: Lanes,
    X: Vector,
    const CHAINS: usize,
    const LIMBS: usize,
    const PLANES: usize,
    const SETS: bool,
>(
    work: &mut TileWork<'_>,
) {
    // SAFETY: the caller has checked the processor.
    unsafe {
        X::enabled(
            #[inline(always)]
            || sweep::<R, X, CHAINS, LIMBS, PLANES, SETS>(work),
        )
    }
}

fn in_one_register<X: Vector>(rows: usize) -> bool {
    rows <= X::LANES * LIMB_ROWS
}

/// Fastest number of chains and of limbs per lane, by instruction set and planes: the maximum that
/// fits into registers next to the row planes. `PLANES` 0 reads the planes from memory.
pub(crate) trait Kernels: Lanes {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel>;
    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel>;
    #[cfg(target_arch = "aarch64")]
    fn neon(planes: usize) -> Option<Kernel>;
    fn portable(planes: usize) -> Kernel;

    /// The fastest kernel of this processor, or of the instruction set named by the environment.
    /// `store`: whether boundaries are stored. Not generic, so all kernels are compiled once in this
    /// crate instead of in every caller.
    fn pick(rows: usize, planes: usize, store: bool) -> Kernel;

    fn pick_of_sets(rows: usize) -> Kernel;

    /// A kernel of lower strips for corridors of about `rows` rows; `None` if [`pick`](Self::pick)
    /// has none too high, or the rows are many.
    fn pick_narrow(rows: u64, planes: usize) -> Option<Kernel>;
}

fn narrow<R: Kernels>(rows: u64, planes: usize) -> Option<Kernel> {
    match (Instructions::chosen(), planes) {
        _ if rows > MAX_NARROW_ROWS => None,
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx512, 2) => Kernel::new::<R, Avx512, 3, 1, 2>(),
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx512, 3) => Kernel::new::<R, Avx512, 3, 1, 3>(),
        _ => None,
    }
}

/// Rows of a corridor up to which lower strips save more cells than they cost speed.
const MAX_NARROW_ROWS: u64 = 4096;

/// Table of kernels of one register: chains, limbs per lane and planes in registers.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! shapes {
    ($of:expr, $register:ty {
        $($planes:pat => [$chains:literal, $limbs:literal, $held:literal],)*
    }) => {
        match $of {
            $($planes => Kernel::new::<Self, $register, $chains, $limbs, $held>(),)*
        }
    };
}

macro_rules! picks {
    () => {
        #[inline(never)]
        fn pick(rows: usize, planes: usize, store: bool) -> Kernel {
            let chosen = Kernel::with::<Self>(Instructions::chosen(), rows, planes, store);
            chosen.unwrap_or_else(|| Kernel::portable::<Self>(rows, planes))
        }

        #[inline(never)]
        fn pick_of_sets(rows: usize) -> Kernel {
            Kernel::with_sets::<Self>(Instructions::chosen(), rows)
                .unwrap_or_else(Kernel::of_sets::<Self, [u64; 2], 2, 2>)
        }

        #[inline(never)]
        fn pick_narrow(rows: u64, planes: usize) -> Option<Kernel> {
            narrow::<Self>(rows, planes)
        }
    };
}

impl Kernels for Lcs {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel> {
        shapes!((planes, store), Avx512 {
            (1, false) => [4, 3, 1],
            (1, true) => [3, 3, 1],
            (2, false) => [3, 4, 2],
            (2, true) => [3, 3, 2],
            (3, false) => [3, 4, 3],
            (3, true) => [2, 4, 3],
            (4, _) => [2, 2, 4],
            (5, _) => [2, 4, 5],
            (6, _) => [1, 4, 6],
            (7, _) => [1, 8, 7],
            (8, _) => [1, 8, 8],
            _ => [1, 12, 0],
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel> {
        shapes!(planes, Avx2 {
            1 => [2, 2, 1],
            2 => [2, 2, 2],
            3 => [2, 2, 3],
            4 => [2, 2, 4],
            5 => [2, 2, 5],
            _ => [2, 4, 0],
        })
    }

    #[cfg(target_arch = "aarch64")]
    fn neon(planes: usize) -> Option<Kernel> {
        shapes!(planes, Neon {
            1 => [2, 4, 1],
            2 => [2, 3, 2],
            3 => [2, 2, 3],
            4 => [2, 2, 4],
            5 => [2, 2, 5],
            _ => [2, 4, 0],
        })
    }

    fn portable(planes: usize) -> Kernel {
        match planes {
            2 => Kernel::always::<Self, [u64; 2], 2, 2, 2>(),
            3 => Kernel::always::<Self, [u64; 2], 2, 2, 3>(),
            _ => Kernel::always::<Self, [u64; 2], 2, 4, 0>(),
        }
    }

    picks!();
}

impl Kernels for Edit {
    #[cfg(target_arch = "x86_64")]
    fn avx512(planes: usize, store: bool) -> Option<Kernel> {
        shapes!((planes, store), Avx512 {
            (1, false) => [3, 2, 1],
            (1, true) => [2, 3, 1],
            (2, false) => [3, 2, 2],
            (2, true) => [2, 3, 2],
            (3, false) => [3, 2, 3],
            (3, true) => [2, 3, 3],
            (4, _) => [2, 3, 4],
            (5, false) => [2, 3, 5],
            (5, true) => [1, 6, 5],
            (6, _) => [1, 6, 6],
            (7, _) => [1, 6, 7],
            (8, _) => [1, 6, 8],
            _ => [2, 3, 0],
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(planes: usize) -> Option<Kernel> {
        shapes!(planes, Avx2 {
            2 => [2, 2, 2],
            3 => [2, 2, 3],
            _ => [2, 2, 0],
        })
    }

    #[cfg(target_arch = "aarch64")]
    fn neon(planes: usize) -> Option<Kernel> {
        shapes!(planes, Neon {
            1 => [2, 2, 1],
            2 => [2, 2, 2],
            3 => [2, 2, 3],
            4 => [1, 3, 4],
            5 => [1, 3, 5],
            _ => [2, 2, 0],
        })
    }

    fn portable(planes: usize) -> Kernel {
        match planes {
            2 => Kernel::always::<Self, [u64; 2], 2, 2, 2>(),
            _ => Kernel::always::<Self, [u64; 2], 2, 2, 0>(),
        }
    }

    picks!();
}
