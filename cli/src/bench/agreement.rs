//! Whether all methods and devices give the same answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::bench::{Outcome, Row};

/// Marks the rows of one case whose answers are not the known one, or where none is known not the one that most calls gave: of
/// several that as many gave, the first. Where all come from one method on one device and none is known, they are unchecked.
pub fn judge(rows: &mut [Row], known: Option<u64>) {
    let mut calls: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    let answers = rows
        .iter()
        .filter_map(Row::measured)
        .flat_map(|measured| &measured.answers);
    for (place, &answer) in answers.enumerate() {
        calls.entry(answer).or_insert((0, place)).0 += 1;
    }
    let most = calls
        .iter()
        .max_by_key(|&(_, &(calls, first))| (calls, std::cmp::Reverse(first)));
    let ran: BTreeSet<_> = rows
        .iter()
        .filter_map(Row::measured)
        .map(|measured| &measured.ran)
        .collect();
    let checked = known.is_some() || ran.len() > 1;
    let Some(expected) = known.or(most.map(|(&answer, _)| answer)) else {
        return;
    };
    for row in rows {
        if let Outcome::Measured(measured) = &mut row.outcome {
            measured.right = measured.answers.iter().all(|&answer| answer == expected);
            measured.checked = checked;
        }
    }
}

/// What is wrong with the rows, a line each.
pub fn disagreements(rows: &[Row], selector: impl Fn(&Row) -> String) -> Vec<String> {
    let wrong = rows.iter().filter_map(|row| {
        row.measured()
            .filter(|measured| !measured.right)
            .map(|measured| (row, measured))
    });
    wrong
        .map(|(row, measured)| {
            let right = rows
                .iter()
                .filter(|other| other.case == row.case)
                .filter_map(Row::measured);
            let right = right
                .filter(|other| other.right)
                .find_map(|other| other.answers.first());
            let others = right.map_or("others differ, too".to_string(), |answer| {
                format!("others gave {answer}")
            });
            let mut answers = measured.answers.clone();
            answers.dedup();
            let (case, answers) = (
                &row.case,
                answers
                    .iter()
                    .map(u64::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            );
            format!(
                "{} {}, {}: {} on {} gave {answers}; {others}",
                case.problem.name(),
                case.size(),
                case.kind.name(),
                row.method,
                selector(row),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::report::bench::{Case, Kind, Measured, Problem};

    fn row(answers: &[u64]) -> Row {
        let case = Case {
            problem: Problem::Lcs,
            kind: Kind::Letters(4),
            sizes: (10, Some(10)),
            path: false,
        };
        let measured = Measured {
            ran: ("bit-parallel", "cpu".to_string()),
            times: vec![1.0],
            expected: Duration::from_secs(1),
            count: 100,
            computed: 100,
            ceiling: None,
            answers: answers.to_vec(),
            right: true,
            checked: false,
        };
        Row {
            case,
            device: 0,
            method: "auto",
            outcome: Outcome::Measured(measured),
        }
    }

    fn judged(answers: &[&[u64]], known: Option<u64>) -> Vec<bool> {
        let mut rows: Vec<_> = answers.iter().map(|answers| row(answers)).collect();
        judge(&mut rows, known);
        rows.iter()
            .map(|row| row.measured().is_some_and(|measured| measured.right))
            .collect()
    }

    #[test]
    fn the_answer_that_most_calls_gave_is_right_unless_another_is_known() {
        assert_eq!(judged(&[&[7, 7], &[7, 7]], None), [true, true]);
        assert_eq!(
            judged(&[&[8, 8], &[7, 7], &[7, 7]], None),
            [false, true, true]
        );
        assert_eq!(judged(&[&[7, 7], &[8, 8]], None), [true, false]);
        assert_eq!(
            judged(&[&[7, 7, 8], &[7, 7]], None),
            [false, true],
            "one call of several is enough"
        );
        assert_eq!(judged(&[&[7, 7], &[7, 7]], Some(8)), [false, false]);
    }

    #[test]
    fn an_answer_is_checked_by_another_method_another_device_or_what_is_known() {
        let checked = |ran: &[(&'static str, &str)], known| {
            let by = |&(method, device): &(&'static str, &str)| {
                let mut row = row(&[7, 7]);
                let Outcome::Measured(measured) = &mut row.outcome else {
                    unreachable!("rows are measured")
                };
                measured.ran = (method, device.to_string());
                row
            };
            let mut rows: Vec<_> = ran.iter().map(by).collect();
            judge(&mut rows, known);
            let found: Vec<_> = rows
                .iter()
                .filter_map(Row::measured)
                .map(|measured| measured.checked)
                .collect();
            assert!(
                found.windows(2).all(|pair| pair[0] == pair[1]),
                "one verdict of a case: {found:?}"
            );
            found[0]
        };
        assert!(!checked(&[("banded", "cpu")], None), "alone");
        assert!(
            !checked(&[("banded", "cpu"), ("banded", "cpu")], None),
            "what auto takes, and the same by name"
        );
        assert!(checked(&[("banded", "cpu"), ("reference", "cpu")], None));
        assert!(checked(&[("banded", "cpu"), ("banded", "a GPU")], None));
        assert!(checked(&[("banded", "cpu")], Some(7)));
    }

    #[test]
    fn a_disagreement_names_the_row_and_both_answers() {
        let mut rows = [row(&[7, 7]), row(&[7, 6])];
        judge(&mut rows, None);
        let told = disagreements(&rows, |_| "vulkan:0".to_string());
        assert_eq!(
            told,
            ["lcs 10 x 10, 4 letters: auto on vulkan:0 gave 7, 6; others gave 7"]
        );
    }
}
