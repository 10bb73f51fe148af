//! `swath devices`.

use super::args::DevicesArgs;
use super::output;
use crate::report;

/// Lists every device.
pub fn run(args: &DevicesArgs) -> anyhow::Result<()> {
    let devices = swath::devices();
    output::to_stdout(|out| match args.json {
        true => report::devices_json(&devices, out),
        false => report::devices_text(&devices, out),
    })
}
