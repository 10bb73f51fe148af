//! What `swath selftest` prints.

use std::io::{self, Write};

use swath::SelfTest;

use super::{units, write_json};

/// A line a kernel variant, then the count.
pub fn selftest_text(tests: &[SelfTest], out: &mut dyn Write) -> io::Result<()> {
    let width = tests
        .iter()
        .map(|test| test.kernel.len())
        .max()
        .unwrap_or_default();
    for test in tests {
        let verdict = match (test.passed, &test.error) {
            (true, _) => "ok    ",
            (false, None) => "FAILED",
            (false, Some(_)) => "ERROR ",
        };
        let detail = test
            .detail
            .as_ref()
            .or(test.error.as_ref())
            .map_or(String::new(), |detail| format!("  {detail}"));
        writeln!(
            out,
            "{verdict}  {:width$}  {}{detail}",
            test.kernel,
            units::time(test.elapsed)
        )?;
    }
    let passed = tests.iter().filter(|test| test.passed).count();
    writeln!(
        out,
        "{passed} of {} kernel variants gave the known answer",
        tests.len()
    )
}

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    passed: bool,
    tests: Vec<Test<'a>>,
}

#[derive(serde::Serialize)]
struct Test<'a> {
    kernel: &'a str,
    passed: bool,
    seconds: f64,
    detail: Option<&'a str>,
    error: Option<&'a str>,
}

/// Schema `swath/selftest/1`.
pub fn selftest_json(tests: &[SelfTest], out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: "swath/selftest/1",
        passed: tests.iter().all(|test| test.passed),
        tests: tests
            .iter()
            .map(|test| Test {
                kernel: &test.kernel,
                passed: test.passed,
                seconds: test.elapsed.as_secs_f64(),
                detail: test.detail.as_deref(),
                error: test.error.as_deref(),
            })
            .collect(),
    };
    write_json(&report, out)
}
