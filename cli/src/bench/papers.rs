//! Tables of the papers behind the baselines, parsed from `papers.json`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::case::{Case, DEFAULT, Kind, Problem, Sizes};

/// One paper for each problem that has one.
pub static PAPERS: LazyLock<Vec<Paper<'static>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("papers.json")).expect("papers.json holds papers")
});

#[derive(Deserialize)]
pub struct Paper<'a> {
    pub problem: Problem,
    pub title: &'a str,
    pub authors: &'a str,
    /// Empty if unknown.
    pub year: &'a str,
    #[serde(borrow)]
    pub tables: Vec<Published<'a>>,
}

#[derive(Deserialize)]
pub struct Published<'a> {
    pub place: &'a str,
    pub machine: &'a str,
    pub note: &'a str,
    pub kind: Kind,
    pub path: bool,
    #[serde(borrow)]
    pub methods: Vec<&'a str>,
    #[serde(borrow)]
    pub columns: Vec<&'a str>,
    /// Plotted columns with their names in the legend.
    #[serde(borrow)]
    pub plotted: Vec<(usize, &'a str)>,
    /// Unit of the figures: name and seconds.
    #[serde(borrow)]
    pub unit: (&'a str, f64),
    /// Sizes, and figures from the first column on; missing columns at the end have no figures.
    pub rows: Vec<(Sizes, Vec<f64>)>,
}

pub fn of(problems: &[Problem]) -> impl Iterator<Item = &'static Paper<'static>> {
    PAPERS
        .iter()
        .filter(|paper| problems.contains(&paper.problem))
}

pub fn tables(problem: Problem) -> impl Iterator<Item = &'static Published<'static>> {
    let papers = PAPERS.iter().filter(move |paper| paper.problem == problem);
    papers.flat_map(|paper| &paper.tables)
}

pub fn cases(problem: Problem) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for table in tables(problem) {
        for case in table.cases(problem) {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    cases
}

pub fn methods(problem: Problem) -> Vec<&'static str> {
    let mut methods = vec![DEFAULT];
    for &method in tables(problem).flat_map(|table| &table.methods) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

impl Paper<'_> {
    pub fn source(&self) -> String {
        let year = match self.year {
            "" => String::new(),
            year => format!(" ({year})"),
        };
        format!("{}, \"{}\"{year}", self.authors, self.title)
    }
}

impl Published<'_> {
    /// Decimals printed by the paper.
    pub fn decimals(&self) -> usize {
        let figures = self.rows.iter().flat_map(|(_, figures)| figures);
        let digits = |figure: &f64| {
            let text = figure.to_string();
            text.split_once('.').map_or(0, |(_, digits)| digits.len())
        };
        figures.map(digits).max().unwrap_or_default()
    }

    pub fn cases(&self, problem: Problem) -> impl Iterator<Item = Case> {
        self.rows.iter().map(move |&(sizes, _)| Case {
            problem,
            kind: self.kind,
            sizes,
            path: self.path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_figures_and_no_more_than_columns() {
        for published in PAPERS.iter().flat_map(|paper| &paper.tables) {
            let columns = published.columns.len();
            assert!(
                published
                    .plotted
                    .iter()
                    .all(|&(column, _)| column < columns)
            );
            for (sizes, figures) in &published.rows {
                let is_right = (1..=columns).contains(&figures.len());
                assert!(
                    is_right && figures.iter().all(|&figure| figure > 0.0),
                    "{sizes:?}"
                );
            }
        }
    }

    #[test]
    fn figures_agree_with_what_the_papers_derive_from_them() {
        let rows = |problem: Problem| &tables(problem).next().expect("a table").rows;
        // Table III of the paper on supersequences: serial time over GPU time.
        let speedups = [
            3.755012, 7.504663, 10.9978, 15.19521, 19.02471, 36.21156, 74.19597, 101.4398,
        ];
        for ((_, figures), speedup) in rows(Problem::Scs).iter().zip(speedups) {
            assert!((figures[0] / figures[7] / speedup - 1.0).abs() < 1e-4);
        }
        // Table II there, last row: serial time over that of 8, 16 and 32 threads, and over the
        // number of threads.
        let efficiencies = [0.4148, 0.4077, 0.2169, 0.8200, 0.4765, 0.2005];
        let (_, last) = &rows(Problem::Scs)[7];
        let threads = [8.0, 16.0, 32.0].repeat(2);
        for (index, (efficiency, threads)) in efficiencies.iter().zip(threads).enumerate() {
            assert!((last[0] / last[1 + index] / threads - efficiency).abs() < 1e-4);
        }
        // The total of the table on subsequences is the sum of its parts.
        for (sizes, figures) in rows(Problem::Lcs) {
            let parts: f64 = figures[1..].iter().sum();
            assert!((figures[0] - parts).abs() < 0.025, "{sizes:?}");
        }
        // Speedups of the report on substrings.
        let (_, figures) = &rows(Problem::Substring)[0];
        for (figure, speedup) in figures.iter().zip([1.0, 1.93, 3.74, 7.08, 11.87, 16.03]) {
            assert!((figures[0] / figure - speedup).abs() < 0.01, "{figure}");
        }
    }
}
