//! Records for tests.

use std::time::Duration;

use super::case::{Case, Kind, Problem};
use super::record::{Device, Measured, Outcome, Record, Row};

pub const CASE: Case = Case {
    problem: Problem::Lcs,
    kind: Kind::Letters(4),
    sizes: (10, Some(10)),
    path: false,
};

/// Half of 100 cells computed in 2 seconds, twice the expected time.
pub fn measured() -> Measured {
    Measured {
        ran: ("bit-parallel", "cpu".to_string()),
        times: vec![2.0],
        phases: Vec::new(),
        expected: Duration::from_secs(1),
        count: 100,
        computed: 50,
        ceiling: None,
        answers: vec![7],
        right: true,
        checked: false,
    }
}

pub fn row(measured: Measured) -> Row {
    Row {
        case: CASE,
        device: 0,
        method: "bit-parallel",
        outcome: Outcome::Measured(measured),
    }
}

pub fn record(rows: Vec<Row>) -> Record {
    let [selector, name, driver] = ["cpu", "native code", "swath"].map(str::to_string);
    Record {
        command: Vec::new(),
        limit: Duration::from_secs(10),
        devices: vec![Device {
            selector,
            name,
            kind: "CPU",
            driver,
            threads: None,
        }],
        rows,
        papers: Vec::new(),
        complete: true,
    }
}
