//! `swath devices`, `swath selftest` and `swath completions`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use clap_complete::Shell;
use serde_json::Value;
use swath::{DeviceInfo, Engine, SelfTest};

use crate::args::{self, DevicesArgs, SelftestArgs};
use crate::exit::Failure;
use crate::output;
use crate::report::{Object, between, units};

pub fn completions(shell: Shell) -> anyhow::Result<()> {
    // clap_complete panics on write errors, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "swath", &mut script);
    output::to_stdout(|out| out.write_all(&script))
}

pub fn devices(args: &DevicesArgs) -> anyhow::Result<()> {
    let devices = swath::devices();
    output::to_stdout(|out| {
        if args.json {
            Object::new("devices/2", out)
                .objects("devices", &devices, |object, device| {
                    let capabilities = device.capabilities.iter();
                    let capabilities: BTreeMap<_, _> = capabilities
                        .map(|(name, text)| (*name, capability(text)))
                        .collect();
                    object
                        .field("selector", &device.selector)
                        .field("name", &device.name)
                        .field("kind", device.kind)
                        .field("driver", &device.driver)
                        .field("auto", device.auto)
                        .field("reason", &device.reason)
                        .field("capabilities", capabilities)
                })
                .end()
        } else {
            devices_text(&devices, out)
        }
    })
}

fn devices_text(devices: &[DeviceInfo], out: &mut dyn Write) -> io::Result<()> {
    for (index, device) in devices.iter().enumerate() {
        between(index > 0, out)?;
        let (mark, taken) = if device.auto {
            ('*', "yes")
        } else {
            (' ', "no")
        };
        let (selector, name, kind) = (&device.selector, &device.name, device.kind);
        writeln!(out, "{mark} {selector}  {name} ({kind})")?;
        let mut lines = vec![
            ("auto", format!("{taken}: {}", device.reason)),
            ("driver", device.driver.clone()),
        ];
        lines.extend(device.capabilities.iter().cloned());
        let width = lines.iter().map(|(key, _)| key.len()).max();
        let width = width.unwrap_or_default();
        for (key, value) in lines {
            writeln!(out, "    {key:width$}  {value}")?;
        }
    }
    Ok(())
}

/// Numbers and booleans as such; unknown and varying values are null.
fn capability(text: &str) -> Value {
    let value = serde_json::from_str(text).ok();
    let value = value.filter(|value: &Value| value.is_number() || value.is_boolean());
    value.unwrap_or_default()
}

pub fn selftest(args: &SelftestArgs) -> anyhow::Result<()> {
    let tests = Engine::new(args.engine.options())?.selftest()?;
    output::to_stdout(|out| {
        if args.json {
            Object::new("selftest/1", out)
                .field("passed", tests.iter().all(|test| test.passed))
                .objects("tests", &tests, |object, test| {
                    object
                        .field("kernel", &test.kernel)
                        .field("passed", test.passed)
                        .field("seconds", test.elapsed.as_secs_f64())
                        .field("detail", &test.detail)
                        .field("error", &test.error)
                })
                .end()
        } else {
            selftest_text(&tests, out)
        }
    })?;
    // Wrong answers take precedence over missing ones.
    let of_all = |count: usize| format!("{count} of {} kernel variants", tests.len());
    let wrong = tests.iter().filter(|test| test.detail.is_some()).count();
    if wrong > 0 {
        let wrong = of_all(wrong);
        let message =
            format!("{wrong} gave a wrong answer on this device; choose another with --device");
        return Err(Failure::Verification(message).into());
    }
    let errors = tests.iter().filter_map(|test| test.error.as_deref());
    let errors: Vec<_> = errors.collect();
    match errors.first() {
        None => Ok(()),
        Some(first) => Err(Failure::NoAnswer(format!(
            "{} gave no answer: {first}",
            of_all(errors.len())
        ))
        .into()),
    }
}

fn selftest_text(tests: &[SelfTest], out: &mut dyn Write) -> io::Result<()> {
    let width = tests.iter().map(|test| test.kernel.len()).max();
    let width = width.unwrap_or_default();
    for test in tests {
        let verdict = match (test.passed, &test.error) {
            (true, _) => "ok    ",
            (false, None) => "FAILED",
            (false, Some(_)) => "ERROR ",
        };
        let detail = test.detail.as_ref().or(test.error.as_ref());
        let detail = detail.map_or(String::new(), |detail| format!("  {detail}"));
        let (kernel, time) = (&test.kernel, units::time(test.elapsed));
        writeln!(out, "{verdict}  {kernel:width$}  {time}{detail}")?;
    }
    let passed = tests.iter().filter(|test| test.passed).count();
    let all = tests.len();
    writeln!(
        out,
        "{passed} of {all} kernel variants gave the known answer"
    )
}
