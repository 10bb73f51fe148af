//! `swath selftest`.

use swath::Engine;

use super::args::SelftestArgs;
use super::exit::VerificationFailed;
use super::output;
use crate::report;

/// Runs every kernel variant; one wrong answer fails the command.
pub fn run(args: &SelftestArgs) -> anyhow::Result<()> {
    let tests = Engine::new(args.engine.options())?.selftest()?;
    output::to_stdout(|out| match args.json {
        true => report::selftest_json(&tests, out),
        false => report::selftest_text(&tests, out),
    })?;
    match tests.iter().filter(|test| !test.passed).count() {
        0 => Ok(()),
        failed => Err(VerificationFailed(format!(
            "{failed} of {} kernel variants gave a wrong answer on this device; choose another with --device",
            tests.len()
        ))
        .into()),
    }
}
