//! Matrix chains: Wu, Ke, Lin and Feng 2011, table II.

use super::super::{Kind, Problem};
use super::{Paper, Published};

pub const PAPER: Paper = Paper {
    problem: Problem::Chain,
    title: "Optimizing Dynamic Programming on Graphics Processing Units via Adaptive Thread-Level Parallelism",
    authors: "C.-C. Wu, J.-Y. Ke, H. Lin and W. Feng",
    year: "2011",
    tables: &[SPLITTING],
};

/// Table II: the impact of when to start splitting threads on execution times for different matrix sequence sizes.
const SPLITTING: Published = Published {
    place: "Table II",
    machine: "NVIDIA Tesla C1060, Intel Xeon E5504",
    note: "Columns are the phase from which threads are split. The table names no unit: these are taken as seconds, for in \
           milliseconds the longest chain would take more operations than the device can do.",
    kind: Kind::Dimensions,
    path: false,
    methods: &["tiled", "adaptive", "thread-per-subproblem"],
    columns: &[
        "1", "32", "64", "128", "256", "512", "1024", "1536", "2048", "2560", "3072", "3584",
        "4096",
    ],
    plotted: &[(0, "adaptive, Tesla C1060")],
    unit: ("s", 1.0),
    rows: &[
        ((128, None), &[0.06, 0.06, 0.06, 0.07]),
        ((256, None), &[0.07, 0.07, 0.07, 0.07, 0.09]),
        ((512, None), &[0.08, 0.08, 0.08, 0.09, 0.11, 0.19]),
        ((1_024, None), &[0.14, 0.14, 0.14, 0.15, 0.17, 0.26, 0.59]),
        (
            (1_536, None),
            &[0.26, 0.26, 0.26, 0.27, 0.29, 0.37, 0.72, 1.27],
        ),
        (
            (2_048, None),
            &[0.47, 0.47, 0.47, 0.47, 0.49, 0.56, 0.88, 1.46, 2.25],
        ),
        (
            (2_560, None),
            &[0.77, 0.78, 0.77, 0.78, 0.79, 0.86, 1.15, 1.68, 2.50, 3.51],
        ),
        (
            (3_072, None),
            &[
                1.21, 1.22, 1.21, 1.21, 1.23, 1.29, 1.55, 2.03, 2.78, 3.83, 5.07,
            ],
        ),
        (
            (3_584, None),
            &[
                1.80, 1.80, 1.80, 1.80, 1.82, 1.87, 2.10, 2.54, 3.21, 4.16, 5.46, 6.92,
            ],
        ),
        (
            (4_096, None),
            &[
                2.57, 2.57, 2.57, 2.57, 2.58, 2.63, 2.83, 3.21, 3.81, 4.69, 5.85, 7.37, 9.06,
            ],
        ),
    ],
};
