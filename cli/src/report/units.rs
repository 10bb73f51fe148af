//! Numbers with units for text reports.

use std::time::Duration;

const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
const BINARY_PREFIXES: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/// Cell updates per second, for example `65.2 TCUPS`.
pub fn cells_per_second(rate: f64) -> String {
    let (value, prefix) = scaled(rate, 1000.0, &PREFIXES);
    format!("{} {prefix}CUPS", three_digits(value))
}

/// Throughput in any unit, for example `4.50 Gsplits/s`; cells as [`cells_per_second`].
pub fn per_second(rate: f64, counted: &str) -> String {
    if counted == "cells" {
        return cells_per_second(rate);
    }
    let (value, prefix) = scaled(rate, 1000.0, &PREFIXES);
    format!("{} {prefix}{counted}/s", three_digits(value))
}

/// Bytes, for example `1.50 GiB (1610612736 bytes)`; without a prefix below 1 KiB.
pub fn bytes(count: u64) -> String {
    let (value, prefix) = scaled(count as f64, 1024.0, &BINARY_PREFIXES);
    if prefix.is_empty() {
        format!("{count} bytes")
    } else {
        format!("{} {prefix}B ({count} bytes)", three_digits(value))
    }
}

/// Time, for example `1.24 s`, `11.2 ms` or `350 µs`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    // A value that rounds to 1000 belongs to the next unit.
    let (value, unit) = match seconds {
        s if s >= 0.9995 => (s, "s"),
        s if s >= 0.9995e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    format!("{} {unit}", three_digits(value))
}

/// Short count, for example `1.5 M` for 1,500,000.
pub fn short(count: usize) -> String {
    match count as f64 {
        many if many >= 1e6 => format!("{} M", many / 1e6),
        some if some >= 1e4 => format!("{} k", some / 1e3),
        few => few.to_string(),
    }
}

fn scaled(value: f64, step: f64, prefixes: &[&'static str]) -> (f64, &'static str) {
    let mut scaled = value;
    for prefix in &prefixes[..prefixes.len() - 1] {
        // A value that rounds to 1000 belongs to the next prefix.
        if scaled < step - 0.5 {
            return (scaled, prefix);
        }
        scaled /= step;
    }
    (scaled, prefixes[prefixes.len() - 1])
}

/// Three significant digits, for example `1.50`, `15.0` or `150`.
pub fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_keep_three_digits_and_step_to_the_next_prefix_in_time() {
        assert_eq!(cells_per_second(65.24e12), "65.2 TCUPS");
        assert_eq!(cells_per_second(999.9e9), "1.00 TCUPS");
        assert_eq!(cells_per_second(0.0), "0.00 CUPS");
        assert_eq!(bytes(1_610_612_736), "1.50 GiB (1610612736 bytes)");
        assert_eq!(bytes(1000), "1000 bytes");
        assert_eq!(time(Duration::from_micros(11_240)), "11.2 ms");
        assert_eq!(time(Duration::from_nanos(999_700)), "1.00 ms");
        assert_eq!(time(Duration::from_micros(999_700)), "1.00 s");
    }
}
