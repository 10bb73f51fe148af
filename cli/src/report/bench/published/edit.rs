//! Edit distances: Ceccherelli 2023, tables 1 and 2.

use super::super::{Kind, Problem};
use super::{Paper, Published};

pub const PAPER: Paper = Paper {
    problem: Problem::Edit,
    title: "PC-2022/23 final: Parallel edit distance",
    authors: "C. Ceccherelli",
    year: "2022/23",
    tables: &[OPENMP, CUDA],
};

/// Table 1: execution times of the sequential and the parallel version for OpenMP.
const OPENMP: Published = Published {
    place: "Table 1",
    machine: "Intel Core i5-1135G7",
    note: "",
    kind: Kind::Letters(4),
    path: false,
    methods: &["tiled", "anti-diagonal"],
    columns: &["sequential", "4 threads", "8 threads"],
    plotted: &[(0, "sequential"), (2, "8 threads")],
    unit: ("s", 1.0),
    rows: &[
        ((10_000, Some(10_000)), &[0.38, 0.15, 0.13]),
        ((30_000, Some(30_000)), &[3.51, 1.30, 1.11]),
        ((50_000, Some(50_000)), &[10.12, 4.05, 3.41]),
    ],
};

/// Table 2: execution times of the parallel version for CUDA.
const CUDA: Published = Published {
    place: "Table 2",
    machine: "a GPU that the paper does not name",
    note: "Columns are the threads of a block.",
    columns: &["128", "256", "512", "1024"],
    plotted: &[(0, "GPU")],
    rows: &[
        ((10_000, Some(10_000)), &[0.1268, 0.1266, 0.1256, 0.1282]),
        ((30_000, Some(30_000)), &[0.3911, 0.3921, 0.3995, 0.4440]),
        ((50_000, Some(50_000)), &[0.7934, 0.8035, 0.8165, 0.9123]),
        ((100_000, Some(100_000)), &[2.3260, 2.3487, 2.3903, 2.9213]),
        ((150_000, Some(150_000)), &[4.8100, 4.8657, 5.0153, 6.3399]),
    ],
    ..OPENMP
};
