//! Shortest common supersequences: Zhao, table I.

use super::super::{Kind, Problem};
use super::{Paper, Published};

pub const PAPER: Paper = Paper {
    problem: Problem::Scs,
    title: "Parallel Computing the Shortest Common Supersequence Problem",
    authors: "Z. Zhao",
    year: "",
    tables: &[TIME],
};

/// Table I: time.
const TIME: Published = Published {
    place: "Table I",
    machine: "one GPU of the Great Lakes cluster, University of Michigan; the paper does not name its model",
    note: "The length alone. The paper's times leave out allocation and copies; ours are of whole calls.",
    kind: Kind::Letters(26),
    path: false,
    methods: &["row-wise", "anti-diagonal"],
    columns: &[
        "serial",
        "anti-diagonal, 8 threads",
        "anti-diagonal, 16 threads",
        "anti-diagonal, 32 threads",
        "row-wise, 8 threads",
        "row-wise, 16 threads",
        "row-wise, 32 threads",
        "row-wise, GPU",
    ],
    plotted: &[(0, "serial"), (7, "row-wise, GPU")],
    unit: ("ms", 1e-3),
    rows: &[
        (
            (2_000, Some(2_000)),
            &[
                21.0650, 14.9655, 21.5291, 51.0949, 15.1931, 23.6336, 52.2534, 5.6098,
            ],
        ),
        (
            (4_000, Some(4_000)),
            &[
                83.7208, 35.3459, 47.2821, 84.2341, 34.8422, 56.3370, 146.9931, 11.1558,
            ],
        ),
        (
            (6_000, Some(6_000)),
            &[
                186.8341, 63.0685, 70.9093, 161.0058, 55.2004, 89.6952, 241.4106, 16.9883,
            ],
        ),
        (
            (8_000, Some(8_000)),
            &[
                332.9428, 96.4191, 105.6943, 203.9953, 87.3840, 138.0009, 311.7736, 21.9110,
            ],
        ),
        (
            (10_000, Some(10_000)),
            &[
                524.3038, 175.2451, 189.4233, 284.6570, 111.8855, 162.3052, 440.7839, 27.5591,
            ],
        ),
        (
            (20_000, Some(20_000)),
            &[
                2100.6904, 532.5543, 454.5218, 633.1145, 425.1172, 395.2775, 931.3449, 58.0116,
            ],
        ),
        (
            (40_000, Some(40_000)),
            &[
                8398.2480, 2473.1117, 1544.3785, 1346.8406, 1335.6912, 1273.7588, 1959.3540,
                113.1901,
            ],
        ),
        (
            (60_000, Some(60_000)),
            &[
                18845.5030, 5678.9880, 2888.7606, 2714.6061, 2872.7902, 2471.7683, 2937.4066,
                185.7801,
            ],
        ),
    ],
};
