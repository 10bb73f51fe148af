//! Tables that the papers behind the baselines have published, as data: one file a paper.

mod chain;
mod edit;
mod lcs;
mod paper;
mod scs;
mod substring;

pub use paper::{Paper, Published};

/// One of each problem that has one.
pub const PAPERS: [&Paper; 5] = [
    &lcs::PAPER,
    &edit::PAPER,
    &scs::PAPER,
    &chain::PAPER,
    &substring::PAPER,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_figures_and_no_more_than_columns() {
        for published in PAPERS.iter().flat_map(|paper| paper.tables) {
            for (sizes, figures) in published.rows {
                assert!(
                    (1..=published.columns.len()).contains(&figures.len()),
                    "{} {sizes:?}",
                    published.place
                );
                assert!(
                    published
                        .plotted
                        .iter()
                        .all(|&(column, _)| column < published.columns.len())
                );
                assert!(
                    figures.iter().all(|&figure| figure > 0.0),
                    "{} {sizes:?}",
                    published.place
                );
            }
        }
    }

    #[test]
    fn figures_agree_with_what_the_papers_derive_from_them() {
        // Table III of the paper on supersequences: serial time by that of the GPU.
        let speedups = [
            3.755012, 7.504663, 10.9978, 15.19521, 19.02471, 36.21156, 74.19597, 101.4398,
        ];
        for ((_, figures), speedup) in scs::PAPER.tables[0].rows.iter().zip(speedups) {
            assert!(
                (figures[0] / figures[7] / speedup - 1.0).abs() < 1e-4,
                "{figures:?}"
            );
        }
        // Table II there: serial time by that of 8, 16 and 32 threads, and by the threads; the last row.
        let efficiencies = [0.4148, 0.4077, 0.2169, 0.8200, 0.4765, 0.2005];
        let (_, last) = scs::PAPER.tables[0].rows[7];
        for (place, (efficiency, threads)) in efficiencies
            .iter()
            .zip([8.0, 16.0, 32.0].repeat(2))
            .enumerate()
        {
            assert!(
                (last[0] / last[1 + place] / threads - efficiency).abs() < 1e-4,
                "{place}"
            );
        }
        // The whole of the table on subsequences is the sum of its parts.
        for (sizes, figures) in lcs::PAPER.tables[0].rows {
            assert!(
                (figures[0] - figures[1..].iter().sum::<f64>()).abs() < 0.025,
                "{sizes:?}"
            );
        }
        // The speedups of the report on substrings.
        let (_, figures) = substring::PAPER.tables[0].rows[0];
        for (figure, speedup) in figures.iter().zip([1.0, 1.93, 3.74, 7.08, 11.87, 16.03]) {
            assert!((figures[0] / figure - speedup).abs() < 0.01, "{figure}");
        }
    }
}
