//! The integer ceiling: what a device would do if it issued integer instructions alone, and those for the recurrence alone.

use crate::engine::DeviceInfo;

/// Integer lanes that one NVIDIA or AMD compute unit runs a cycle.
const LANES_PER_UNIT: f64 = 64.0;

/// What a rate counts, with the least integer instructions that one of it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Cells of the LCS table: four instructions for the 31 rows of a limb, as in `shaders/lcs/limbs.wgsl`.
    LcsCells,
    /// Cells of the table of edit distances: ten for the 31 rows of a limb with three-input logic, as in
    /// `shaders/edit_distance/limbs.wgsl`.
    EditCells,
    /// Splits with a 64-bit cost: a wide multiply-add, an addition of two, a minimum of three.
    Splits,
    /// Windows that are tested and marked: a key of three words, two hashes of two finalizers of seven, a bit each, as in
    /// `shaders/substring/visit.wgsl`.
    Windows,
}

impl Work {
    fn instructions(self) -> f64 {
        match self {
            Work::LcsCells => 4.0 / 31.0,
            Work::EditCells => 10.0 / 31.0,
            Work::Splits => 6.0,
            Work::Windows => 48.0,
        }
    }
}

/// A number among a device's capabilities.
pub fn capability(device: &DeviceInfo, name: &str) -> Option<f64> {
    let (_, text) = device.capabilities.iter().find(|(known, _)| *known == name)?;
    text.parse().ok()
}

/// The most of this work in a second on a device whose driver tells its compute units, at this clock.
pub fn ceiling(work: Work, device: &DeviceInfo, clock_ghz: f64) -> Option<f64> {
    Some(capability(device, "compute_units")? * LANES_PER_UNIT * clock_ghz * 1e9 / work.instructions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_is_known_where_the_compute_units_are() {
        let device = |units: &str| DeviceInfo {
            selector: "vulkan:0".to_string(),
            name: "a GPU".to_string(),
            kind: "discrete GPU",
            driver: String::new(),
            capabilities: vec![("compute_units", units.to_string())],
            auto: true,
            reason: String::new(),
        };
        // 100 units of 64 lanes at 1 GHz issue 6.4e12 instructions a second.
        assert_eq!(ceiling(Work::Windows, &device("100"), 1.0), Some(6.4e12 / 48.0));
        assert_eq!(ceiling(Work::Splits, &device("100"), 2.0), Some(12.8e12 / 6.0));
        assert_eq!(ceiling(Work::Splits, &device("unknown"), 2.0), None);
    }
}
