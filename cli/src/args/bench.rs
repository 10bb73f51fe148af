//! Arguments of `swath bench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use swath::DeviceChoice;

use super::engine::ProgressArgs;
use super::engine::{AllowedArgs, parse_device, switch, whole_number};
use crate::bench::case::Problem;
use crate::output::DASH;

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Problem to measure
    #[arg(value_name = "PROBLEM", default_value = ALL, value_parser = problem_names())]
    problems: Vec<String>,
    /// Small sizes and few repetitions: about a minute on two cores without a GPU
    #[arg(long, help_heading = "Cases")]
    pub quick: bool,
    /// The published sizes of the papers behind the baselines, next to the papers' own figures
    #[arg(long, help_heading = "Cases")]
    pub paper: bool,
    /// Measure the CPU by 1, 2, 4 and so on threads up to --threads, too; with --paper the tables
    /// of speedups and efficiencies follow
    #[arg(long, help_heading = "Cases")]
    pub scaling: bool,
    /// Skip calls with a longer expected time, in seconds; skipped calls are listed
    #[arg(long, value_parser = parse_seconds, value_name = "SECONDS", default_value = "10", help_heading = "Cases")]
    pub limit: Duration,
    /// Leave out the first N cases of each problem, to measure in parts
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Cases")]
    pub skip: usize,
    /// Divide every size by N, for slow devices; sizes of papers stay as they are
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number::<u32>(1, u32::MAX.into()), help_heading = "Cases")]
    pub shrink: u32,

    /// Write one JSON object to FILE; '-' writes it to stdout in place of the tables
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<OsString>,
    /// Write a self-contained HTML page with plots and tables to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Print the cases and their expected time without measuring
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub progress: ProgressArgs,

    /// Device to measure, named as in other commands; may be repeated [default: cpu, and the device
    /// of auto]
    #[arg(long = "device", value_parser = parse_device, value_name = "D", help_heading = "Engine")]
    pub devices: Vec<DeviceChoice>,
    /// Clock of the GPUs in GHz, if the driver does not report it or to override it. With the
    /// compute units it gives the peak instruction rate, and speeds are also stated as shares of it
    #[arg(long, value_parser = parse_positive, value_name = "F", help_heading = "Engine")]
    pub clock_ghz: Option<f64>,
    #[command(flatten)]
    pub allowed: AllowedArgs,
}

const ALL: &str = "all";

fn problem_names() -> PossibleValuesParser {
    let problems = Problem::value_variants().iter();
    let names = problems.filter_map(ValueEnum::to_possible_value);
    let all = PossibleValue::new(ALL).help("All problems");
    PossibleValuesParser::new(names.chain([all]))
}

impl BenchArgs {
    pub fn problems(&self) -> Vec<Problem> {
        let is_asked = |problem: &Problem| {
            let mut requested = self.problems.iter();
            requested.any(|name| name == ALL || name == problem.name())
        };
        let all = Problem::value_variants().iter().copied();
        all.filter(is_asked).collect()
    }

    /// `SWATH_JSON` of other commands is a switch: true is stdout, false nothing.
    pub(super) fn take_switch_for_file(&mut self, from_environment: impl Fn(&str) -> bool) {
        if !from_environment("json") {
            return;
        }
        let value = self.json.as_ref().map(|value| value.to_string_lossy());
        match value.as_deref().and_then(switch) {
            Some(false) => self.json = None,
            Some(true) => self.json = Some(DASH.into()),
            None => {}
        }
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let number = text
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "not a number greater than 0".to_string())
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    parse_positive(text)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_a_number_or_time_above_zero_or_is_refused_and_both_are_read_back() {
        bolero::check!()
            .with_type::<(String, f64, u32)>()
            .for_each(|(text, number, millis)| {
                if let Ok(number) = parse_positive(text) {
                    assert!(number > 0.0 && number.is_finite(), "{text:?}");
                }
                let allowed = number.is_finite() && *number > 0.0;
                assert_eq!(
                    parse_positive(&format!(" {number} ")).ok(),
                    allowed.then_some(*number)
                );
                let _ = parse_seconds(text);
                if let Ok(time) = parse_seconds(&number.to_string()) {
                    assert!(
                        *number > 0.0
                            && (time.as_secs_f64() - number).abs() <= 1e-9 * number.max(1.0),
                        "{number}"
                    );
                }
                let seconds = f64::from(*millis) / 1000.0;
                let read = parse_seconds(&seconds.to_string()).ok();
                assert_eq!(
                    read,
                    (*millis > 0).then(|| Duration::from_millis((*millis).into())),
                    "{seconds}"
                );
            });
        assert!(
            parse_seconds("1e300").is_err()
                && parse_seconds("inf").is_err()
                && parse_seconds("-1").is_err()
        );
    }
}
