//! `swath selftest`.

use swath::{Engine, SelfTest};

use super::args::SelftestArgs;
use super::exit::{NoAnswer, VerificationFailed};
use super::output;
use crate::report;

/// Runs every kernel variant; one wrong answer fails the command, and so does one that does not come.
pub fn run(args: &SelftestArgs) -> anyhow::Result<()> {
    let tests = Engine::new(args.engine.options())?.selftest()?;
    output::to_stdout(|out| match args.json {
        true => report::selftest_json(&tests, out),
        false => report::selftest_text(&tests, out),
    })?;
    verdict(&tests)
}

/// Wrong answers weigh more than those that did not come.
fn verdict(tests: &[SelfTest]) -> anyhow::Result<()> {
    let of = |count: usize| format!("{count} of {} kernel variants", tests.len());
    let wrong = tests.iter().filter(|test| test.detail.is_some()).count();
    if wrong > 0 {
        let told = of(wrong);
        return Err(VerificationFailed(format!(
            "{told} gave a wrong answer on this device; choose another with --device"
        ))
        .into());
    }
    let errors: Vec<_> = tests
        .iter()
        .filter_map(|test| test.error.as_deref())
        .collect();
    match errors.first() {
        None => Ok(()),
        Some(first) => {
            Err(NoAnswer(format!("{} gave no answer: {first}", of(errors.len()))).into())
        }
    }
}
