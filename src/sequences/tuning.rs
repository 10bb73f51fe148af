//! Overrides of the strip sweep's shape, for tests and benchmarks.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::bit_parallel::{CarryExchange, Matching};

/// Overrides of the kernel's shape. Each `None` is chosen from the sizes and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// Source of the match masks.
    pub matching: Option<Matching>,
    /// How lanes exchange carries.
    pub carry_exchange: Option<CarryExchange>,
    /// Lanes per strip, a power of two. [`CarryExchange::Subgroup`] requires the subgroup size.
    pub lanes: Option<u32>,
    /// Limbs per lane: even, 2 to 16.
    pub limbs: Option<u32>,
    /// Columns per carry word: 8, 16 or 32.
    pub columns: Option<u32>,
    /// Column words per pass: 1 to 4096.
    pub steps: Option<u32>,
    /// 1: one sweep from the first column. 2: sweeps from both ends that meet in the middle.
    pub directions: Option<u32>,
    /// Bytes of replayed tiles on the device during a traceback.
    pub replay_bytes: Option<u64>,
}

impl Tuning {
    pub(crate) fn check(&self, caps: &Capabilities) -> Result<()> {
        let max_lanes = caps.workgroup_lanes;
        let check =
            |knob, value: Option<u32>, is_known: &dyn Fn(u32) -> bool, allowed: &str| match value {
                Some(value) if !is_known(value) => Err(Error::InvalidTuning {
                    knob,
                    value: u64::from(value),
                    allowed: allowed.to_string(),
                }),
                _ => Ok(()),
            };
        let lanes = |lanes: u32| lanes.is_power_of_two() && (2..=max_lanes).contains(&lanes);
        check(
            "lanes",
            self.lanes,
            &lanes,
            &format!("2, 4, 8 or another power of two up to {max_lanes}"),
        )?;
        check(
            "limbs",
            self.limbs,
            &|limbs| limbs % 2 == 0 && (2..=16).contains(&limbs),
            "2, 4, 6 or more up to 16",
        )?;
        check(
            "columns",
            self.columns,
            &|columns| [8, 16, 32].contains(&columns),
            "8, 16 or 32",
        )?;
        check(
            "steps",
            self.steps,
            &|steps| (1..=MAX_STEPS).contains(&steps),
            &format!("1 to {MAX_STEPS}"),
        )?;
        check(
            "directions",
            self.directions,
            &|directions| [1, 2].contains(&directions),
            "1 or 2",
        )
    }
}

/// Maximum column words per pass: more do not fit into workgroup memory.
const MAX_STEPS: u32 = 4096;
