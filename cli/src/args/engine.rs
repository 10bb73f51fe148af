//! Options of the engine, and the arguments of `swath devices`, `selftest` and `man`.

use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use swath::{DeviceChoice, Error, MOST_THREADS, Options, default_host_memory};

use crate::input::Reading;
use crate::progress::When;

#[derive(Debug, Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Device: auto, cpu, cuda:N, vulkan:N, metal:N, dx12:N or part of an adapter's name; several
    /// are cuda:all or a list such as cuda:0,cuda:1. Auto never chooses a software adapter
    #[arg(long, value_parser = parse_device, default_value = "auto", value_name = "D")]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub allowed: AllowedArgs,
}

/// Maximum symbols of a record whose calls run side by side, and host memory of such a call. A longer
/// record occupies all threads itself, or a GPU.
pub const MAX_SHORT: usize = 1 << 12;
const SHORT_CALL_BYTES: u64 = 32 << 20;

#[derive(Debug, Args)]
#[command(next_help_heading = "Engine")]
pub struct AllowedArgs {
    /// Maximum device memory: bytes, or with K, M, G, T (powers of 1024) or kB, MB, GB, TB (powers
    /// of 1000)
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    mem_gpu: Option<u64>,
    /// Maximum host memory for the inputs and stored boundaries [default: 4G, or less if the
    /// machine or a limit of the process has less]
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    mem_host: Option<u64>,
    /// Number of CPU threads, at most 1024 [default: all]
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, MOST_THREADS as u64))]
    threads: Option<u32>,
    /// Time limit of one GPU submission in milliseconds; 4 to 8 keeps a desktop smooth
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, u32::MAX.into()))]
    slice_ms: Option<u32>,
    /// Run shaders with bounds checks and loop bounds; slow
    #[arg(long)]
    checked: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ProgressArgs {
    /// Show progress on stderr; auto shows it on a terminal
    #[arg(long = "progress", default_value = "auto", value_name = "WHEN")]
    pub when: When,
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command, for example lcs [default: swath itself]
    pub command: Option<String>,
    /// Write the pages of all commands into the folder DIR, for packages
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub all: Option<PathBuf>,
}

impl EngineArgs {
    pub fn reading(&self) -> Reading {
        Reading::within(self.host_memory())
    }

    /// Options of the engine, with the host memory left by the inputs.
    pub fn options_beside(&self, reading: &Reading) -> Options {
        let mut options = self.options();
        options.host_memory = Some(self.rest(reading));
        options
    }

    /// Adds the memory of the inputs to an error about the host memory left.
    pub fn explained<T>(&self, result: swath::Result<T>, reading: &Reading) -> anyhow::Result<T> {
        let rest = self.rest(reading);
        result.map_err(|error| match error {
            Error::MemoryBudget { limit, .. } if limit == rest => {
                let inputs = reading.memory.used();
                anyhow::Error::from(error).context(format!(
                    "--mem-host allows {} bytes, and the inputs take {inputs}",
                    self.host_memory()
                ))
            }
            error => error.into(),
        })
    }

    pub fn threads_side_by_side(&self) -> usize {
        let fitting = usize::try_from(self.host_memory() / SHORT_CALL_BYTES);
        self.allowed
            .threads()
            .min(fitting.unwrap_or(usize::MAX))
            .max(1)
    }

    fn host_memory(&self) -> u64 {
        // Known once: the inputs change what is left.
        static DEFAULT: LazyLock<u64> = LazyLock::new(default_host_memory);
        self.allowed.mem_host.unwrap_or_else(|| *DEFAULT)
    }

    /// Host memory left by the inputs.
    pub fn rest(&self, reading: &Reading) -> u64 {
        self.host_memory().saturating_sub(reading.memory.used())
    }

    pub fn options(&self) -> Options {
        self.allowed.options(self.device.clone())
    }
}

impl AllowedArgs {
    pub fn threads(&self) -> usize {
        let threads = self.threads.map(|threads| threads as usize);
        let threads = threads.or_else(|| available_parallelism().ok().map(NonZero::get));
        threads.unwrap_or(1)
    }

    pub fn options(&self, device: DeviceChoice) -> Options {
        let mut options = Options::default();
        options.device = device;
        options.device_memory = self.mem_gpu;
        options.host_memory = self.mem_host;
        options.threads = self.threads.map(|threads| threads as usize);
        options.slice_ms = self.slice_ms;
        options.checked = self.checked;
        options
    }
}

/// Parser for the names of these values.
pub fn one_of<T, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(name)).try_map(|text| text.parse())
}

pub fn whole_number<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    min: u64,
    max: u64,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| {
        let number = text.parse().ok();
        let number = number.filter(|number| (min..=max).contains(number));
        let range = if max < u32::MAX.into() {
            format!("from {min} to {max}")
        } else {
            format!("from {min} on")
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("give a whole number {range}"))
    }
}

/// Value of a switch in the environment; `None` for other texts.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "" | "0" | "n" | "no" | "f" | "false" | "off" => Some(false),
        "1" | "y" | "yes" | "t" | "true" | "on" => Some(true),
        _ => None,
    }
}

pub(super) fn parse_device(text: &str) -> Result<DeviceChoice, String> {
    match text.trim() {
        "" => Err("empty; `swath devices` lists what can stand here".into()),
        name => name
            .parse()
            .map_err(|never: std::convert::Infallible| match never {}),
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim().to_ascii_lowercase());
    let factor = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000u64,
        _ => {
            return Err(format!(
                "unknown unit '{unit}'; use K, M, G, T, KiB, ..., kB, ..."
            ));
        }
    };
    let too_large = || "more than 2^64 bytes".to_string();
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(too_large);
    }
    let bytes = number
        .parse::<f64>()
        .map_err(|_| "not a size; examples: 512M, 24GiB, 1.5G, 1000000".to_string())?
        * factor as f64;
    if bytes < u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err(too_large())
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_take_binary_and_decimal_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("24GiB"), Ok(24 << 30));
        assert_eq!(parse_size("1.5 g"), Ok(3 << 29));
        assert_eq!(parse_size("2kB"), Ok(2000));
        assert_eq!(parse_size("123"), Ok(123));
        for wrong in ["", "G", "-1", "1..2G", "5 parsecs", "99999999999T", "1e3"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn any_text_is_a_size_or_is_refused_and_sizes_are_read_back() {
        bolero::check!()
            .with_type::<(String, u64)>()
            .for_each(|(text, size)| {
                let _ = parse_size(text);
                assert_eq!(parse_size(&size.to_string()), Ok(*size));
                for (unit, factor) in [
                    ("K", 1 << 10),
                    ("GiB", 1 << 30),
                    ("kB", 1_000),
                    (" tb", 1_000_000_000_000),
                ] {
                    assert_eq!(
                        parse_size(&format!("{size}{unit}")).ok(),
                        size.checked_mul(factor)
                    );
                }
            });
    }
}
