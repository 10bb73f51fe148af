//! All kernels embedded for CUDA devices without NVRTC: the contents of the archive.

use std::collections::HashSet;

use swath::parenthesization::{
    Arithmetic, MatrixChain, PointPolygon, Precision, Problem, RnaFold, SearchTree, Value,
    WeightedPolygon,
};
use swath::unstable::backend::Capabilities;
use swath::unstable::kernels::anti_diagonal::{self, LANES, Recurrence};
use swath::unstable::kernels::diagonal_transition::Steps;
use swath::unstable::kernels::sort;
use swath::unstable::kernels::substring::{self, Windows};
use swath::unstable::kernels::{Kernel, edit_distance, lcs, readback, supersequence};
use swath::unstable::lcs::Tuning;
use swath::unstable::neighbors;
use swath::unstable::pairs;
use swath::unstable::papers::row_wise::{ROWS, TILE_COLS};
use swath::unstable::papers::tiled::gpu::TILE;
use swath::unstable::parenthesization::Tuning as TreeTuning;
use swath::unstable::parenthesization::gpu::TableSizes as TreeSizes;
use swath::unstable::search;
use swath::unstable::sequences::bit_parallel::gpu::checkpoints::{CheckpointLayout, REPLAY_BYTES};
use swath::unstable::sequences::bit_parallel::gpu::embedded::SYMBOLS;
use swath::unstable::sequences::bit_parallel::gpu::plan;
use swath::unstable::sequences::bit_parallel::gpu::tiling::Tiling;
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sequences::diagonal_transition::gpu::plan as wavefronts;
use swath::unstable::sort::{SortSizes, SortTuning};
use swath::unstable::substring::search::alphabet::EMBEDDED_BITS;

/// A CUDA device limited to embedded kernels.
pub fn device() -> Capabilities {
    let mut caps = Capabilities::default();
    (caps.binding_bytes, caps.buffer_bytes, caps.chunk_bytes) = (4 << 32, 4 << 32, 1 << 30);
    (caps.workgroup_bytes, caps.workgroup_lanes, caps.subgroup) = (48 << 10, 1024, Some(32));
    (caps.int64, caps.float64, caps.checks, caps.compiles) = (true, true, false, false);
    (caps.forward_progress, caps.carry_flag) = (true, true);
    caps
}

/// The strip sweep on small tables, which use the same kernels as large ones.
fn strip_sweeps(caps: &Capabilities) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (table, shared) in [TableKind::Lcs, TableKind::Edit]
        .into_iter()
        .flat_map(|table| SYMBOLS.map(|shared| (table, shared)))
    {
        let shape = Shape::new(table, 5000, 3000, shared);
        for tiling in Tiling::candidates(shape, caps, &Tuning::default()).expect("there are some") {
            kernels.push(plan::kernel(&tiling, None));
            for passes in tiling.checkpoint_passes(caps) {
                let layout = CheckpointLayout::new(&tiling, passes, REPLAY_BYTES, 1 << 30)
                    .expect("it is small");
                kernels.extend([
                    plan::kernel(&tiling, Some(&layout)),
                    plan::replay_kernel(&tiling, &layout),
                ]);
            }
        }
    }
    kernels
}

/// The tables of every problem, with checked sums where they can overflow.
fn parenthesizations(caps: &Capabilities) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let wide = WeightedPolygon::new([vec![1u64 << 17], vec![1; 8]].concat()).expect("weights");
    let whole = [
        (Arithmetic::U32, false),
        (Arithmetic::F64, false),
        (Arithmetic::U64, false),
        (Arithmetic::U64, true),
    ];
    for form in whole.map(Some) {
        kernels.extend(tables(&MatrixChain::new(vec![10; 9]), caps, form));
        kernels.extend(tables(&wide, caps, form));
        kernels.extend(tables(
            &SearchTree::new(vec![1u64; 9], vec![]).expect("weights"),
            caps,
            form,
        ));
    }
    kernels.extend(tables(
        &RnaFold::new(b"GGGAAACCC", 3).expect("letters"),
        caps,
        None,
    ));
    kernels.extend(tables(
        &WeightedPolygon::new(vec![0.5; 9]).expect("weights"),
        caps,
        None,
    ));
    kernels.extend(tables(
        &PointPolygon::new(vec![[0.5, 1.0]; 9]).expect("corners"),
        caps,
        None,
    ));
    kernels.extend(tables(
        &SearchTree::new(vec![0.5; 9], vec![]).expect("weights"),
        caps,
        None,
    ));
    kernels
}

/// The kernels of a table for one arithmetic, with or without checked sums.
fn tables<P: Problem>(
    problem: &P,
    caps: &Capabilities,
    form: Option<(Arithmetic, bool)>,
) -> Vec<Kernel> {
    let mut tuning = TreeTuning::default();
    (tuning.arithmetic, tuning.checked_sums) =
        (form.map(|form| form.0), form.is_some_and(|form| form.1));
    let mut kernels = Vec::new();
    for method in super::trees::GPU_METHODS {
        for precision in Precision::ALL
            .into_iter()
            .filter(|&precision| P::Value::REAL || precision == Precision::Exact)
        {
            let sizes = TreeSizes::new(problem, method, precision, caps, &tuning).expect("it fits");
            kernels.extend(sizes.plan().plan.kernels);
        }
    }
    kernels
}

/// Kernels of fixed shape, and those of substrings for symbols of these numbers of bits.
pub fn of_one_shape(bits: &[u32]) -> Vec<Kernel> {
    use Recurrence::{EditDistance, Supersequence};
    let mut kernels = vec![
        readback::stamp(),
        readback::gather(),
        lcs::conditional_sum(true),
        edit_distance::tiled(TILE as u32),
        supersequence::midpoints(),
        anti_diagonal::sweep(EditDistance, false, LANES),
        substring::settle(),
        substring::prefix_blocks(),
        substring::prefix_spread(),
        substring::count_level(),
        substring::clear(),
        substring::list_groups(),
    ];
    for steps in [Steps::Indel, Steps::Levenshtein] {
        kernels.extend([1, 2, 4, 8, 16, 32].map(|bits| wavefronts::kernel(steps, bits)));
    }
    for origins in [false, true] {
        kernels.extend([
            supersequence::row_wise(ROWS as u32, TILE_COLS as u32, origins),
            anti_diagonal::sweep(Supersequence, origins, LANES),
        ]);
    }
    for &bits in bits {
        kernels.extend([
            substring::prefix_stretches(bits),
            substring::hash_windows(bits),
            substring::neighbours(bits),
            substring::compare_pairs(bits),
        ]);
        for windows in [Windows::Packed, Windows::Hashed] {
            kernels.extend([
                substring::visit(windows, bits),
                substring::list(windows, bits),
            ]);
        }
    }
    kernels
}

/// The sort of this many keys of all kinds.
pub fn sorts(caps: &Capabilities, keys: u64) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (key_words, payload) in [(1, false), (1, true), (2, false), (2, true)] {
        let sizes = SortSizes::new(key_words, payload, keys, caps, &SortTuning::default());
        let SortSizes { sort, onesweep, .. } = sizes.expect("it fits");
        kernels.extend([sort.upsweep(), sort.downsweep(), sort.copy()]);
        kernels.extend(
            onesweep
                .iter()
                .flat_map(|one| [one.histogram(), one.pass()]),
        );
    }
    kernels
}

/// All kernels, each once.
pub fn kernels() -> Vec<Kernel> {
    let caps = device();
    let mut kernels = [
        strip_sweeps(&caps),
        of_one_shape(&EMBEDDED_BITS),
        parenthesizations(&caps),
        sorts(&caps, 1000),
        vec![sort::scan(), sort::Onesweep::scan()],
        pairs::embedded_kernels(&caps),
        neighbors::embedded_kernels(),
        search::embedded_kernels(),
    ]
    .concat();
    let mut seen = HashSet::new();
    kernels.retain(|kernel| seen.insert(kernel.clone()));
    kernels
}
