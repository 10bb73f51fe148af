//! Upper bound of a device's throughput: the instructions of the recurrence alone, or the memory
//! traffic of a sort alone.

use crate::engine::DeviceInfo;

/// Integer lanes (or fast double-precision lanes) of an NVIDIA or AMD compute unit per cycle.
const LANES_PER_UNIT: f64 = 64.0;

/// Unit of throughput, with its minimum instructions or memory traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// LCS table cells: four instructions per 31 rows of a limb (`shaders/lcs/limbs.wgsl`); with a
    /// carry flag three per 32 rows (`shaders/lcs/limbs.cu`).
    LcsCells,
    /// Edit distance table cells: ten instructions per 31 rows of a limb with three-input logic
    /// (`shaders/edit_distance/limbs.wgsl`); with a carry flag eight per 32 rows
    /// (`shaders/edit_distance/limbs.cu`).
    EditCells,
    /// Splits. 64-bit integers: a wide multiply-add, two additions, three instructions for the
    /// minimum. Others: a multiply-add, an addition, a minimum; single precision has twice the
    /// lanes.
    Splits(Numbers),
    /// Windows tested and marked: a key of three words, two hashes with two finalizers of seven
    /// instructions, one bit each (`shaders/substring/visit.wgsl`).
    Windows,
    /// Sorted keys, eight bits per round; a round reads and writes keys and payload.
    Keys {
        /// Bytes per key, equal to the number of rounds.
        key_bytes: u32,
        /// Payload bytes per key.
        payload_bytes: u32,
    },
}

/// Cost types with different instruction counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// 64-bit integers.
    Wide,
    /// 32-bit integers, or double precision.
    Narrow,
    /// Single precision.
    Single,
}

/// Limiting resource of one unit of work.
enum Cost {
    Instructions(f64),
    Bytes(f64),
}

impl Work {
    fn cost(self, carry_flag: bool) -> Cost {
        Cost::Instructions(match self {
            Work::LcsCells if carry_flag => 3.0 / 32.0,
            Work::LcsCells => 4.0 / 31.0,
            Work::EditCells if carry_flag => 8.0 / 32.0,
            Work::EditCells => 10.0 / 31.0,
            Work::Splits(Numbers::Wide) => 6.0,
            Work::Splits(Numbers::Narrow) => 3.0,
            Work::Splits(Numbers::Single) => 1.5,
            Work::Windows => 48.0,
            Work::Keys {
                key_bytes,
                payload_bytes,
            } => {
                return Cost::Bytes(f64::from(key_bytes * 2 * (key_bytes + payload_bytes)));
            }
        })
    }
}

/// A numeric capability of a device.
pub fn capability(device: &DeviceInfo, name: &str) -> Option<f64> {
    text_of(device, name)?.parse().ok()
}

fn text_of<'a>(device: &'a DeviceInfo, name: &str) -> Option<&'a str> {
    device
        .capabilities
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| text.as_str())
}

/// Maximum throughput per second: from compute units and clock (the device's unless given), or from
/// memory bandwidth. `None` if the driver does not report them.
pub fn ceiling(work: Work, device: &DeviceInfo, clock_ghz: Option<f64>) -> Option<f64> {
    match work.cost(text_of(device, "carry_flag") == Some("true")) {
        Cost::Instructions(instructions) => {
            let clock_hz = clock_ghz
                .map(|clock| clock * 1e9)
                .or_else(|| capability(device, "clock_hz"))?;
            Some(capability(device, "compute_units")? * LANES_PER_UNIT * clock_hz / instructions)
        }
        Cost::Bytes(bytes) => Some(capability(device, "bytes_per_second")? / bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(capabilities: &[(&'static str, &str)]) -> DeviceInfo {
        DeviceInfo {
            selector: "vulkan:0".to_string(),
            name: "a GPU".to_string(),
            kind: "discrete GPU",
            driver: String::new(),
            capabilities: capabilities
                .iter()
                .map(|&(name, value)| (name, value.to_string()))
                .collect(),
            auto: true,
            reason: String::new(),
        }
    }

    #[test]
    fn ceiling_needs_compute_units_and_clock() {
        // 100 units of 64 lanes at 1 GHz issue 6.4e12 instructions per second.
        let silent = device(&[("compute_units", "100"), ("clock_hz", "unknown")]);
        assert_eq!(
            ceiling(Work::Windows, &silent, Some(1.0)),
            Some(6.4e12 / 48.0)
        );
        assert_eq!(
            ceiling(Work::LcsCells, &silent, Some(2.0)),
            Some(12.8e12 * 31.0 / 4.0)
        );
        assert_eq!(ceiling(Work::Windows, &silent, None), None);
        let telling = device(&[("compute_units", "100"), ("clock_hz", "3000000000")]);
        assert_eq!(ceiling(Work::Windows, &telling, None), Some(19.2e12 / 48.0));
        assert_eq!(
            ceiling(Work::Windows, &telling, Some(1.0)),
            Some(6.4e12 / 48.0),
            "what is given counts"
        );
        assert_eq!(
            ceiling(
                Work::Windows,
                &device(&[("compute_units", "unknown")]),
                Some(2.0)
            ),
            None
        );
    }

    #[test]
    fn carry_flag_raises_the_ceiling() {
        let ceilings = |flag: &str| {
            let gpu = device(&[("compute_units", "100"), ("carry_flag", flag)]);
            [Work::LcsCells, Work::EditCells].map(|work| ceiling(work, &gpu, Some(1.0)))
        };
        assert_eq!(
            ceilings("false"),
            [Some(6.4e12 * 31.0 / 4.0), Some(6.4e12 * 31.0 / 10.0)]
        );
        assert_eq!(
            ceilings("true"),
            [Some(6.4e12 * 32.0 / 3.0), Some(6.4e12 * 32.0 / 8.0)]
        );
    }

    #[test]
    fn ceiling_of_a_sort_is_the_memory_bandwidth() {
        let gpu = device(&[("compute_units", "100"), ("bytes_per_second", "4800")]);
        let keys = |key_bytes, payload_bytes| {
            ceiling(
                Work::Keys {
                    key_bytes,
                    payload_bytes,
                },
                &gpu,
                Some(1.0),
            )
        };
        assert_eq!(
            keys(4, 0),
            Some(4800.0 / 32.0),
            "four rounds read and write four bytes"
        );
        assert_eq!(
            keys(8, 4),
            Some(4800.0 / 192.0),
            "eight rounds read and write twelve"
        );
        assert_eq!(
            ceiling(
                Work::Keys {
                    key_bytes: 4,
                    payload_bytes: 0
                },
                &device(&[]),
                Some(1.0)
            ),
            None
        );
    }
}
