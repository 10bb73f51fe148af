//! Estimates of the time that the engine's GPU takes, and their correction by measurements.

use super::device_slot::{DeviceSlot, KnownDevice};
use super::profile::throughput::Throughput;
use super::{Engine, profile};
use crate::backend::{Capabilities, Interface};
use crate::error::Result;

/// Expected seconds from a listed device to its first pass.
pub(super) fn opening_seconds(interface: Option<Interface>) -> f64 {
    let times = match interface {
        Some(Interface::Cuda) => 2.0,
        _ => 1.0,
    };
    times * profile::gpu::OPENING_SECONDS + profile::gpu::BUILDING_SECONDS
}

/// Device data for planning, open or not.
#[derive(Clone, Debug)]
pub(crate) struct DeviceEstimate {
    /// The adapter's name.
    pub name: String,
    pub capabilities: Capabilities,
    /// Budget for device memory of plans.
    pub budget_bytes: u64,
    /// Seconds besides the passes: opening the device, and the call itself.
    pub overhead: f64,
    /// Measured over expected time of passes.
    pub pace: f64,
}

impl DeviceEstimate {
    /// Expected seconds of a call whose passes take `passes` seconds by the profile.
    pub(crate) fn call_seconds(&self, passes: f64) -> f64 {
        passes * self.pace + self.overhead
    }
}

impl Engine {
    /// Estimate for the engine's GPU; `None` without one. Devices are listed only for work that
    /// takes the CPU longer (`cpu_seconds`) than opening a device.
    pub(crate) fn device_estimate(&self, cpu_seconds: f64) -> Result<Option<DeviceEstimate>> {
        if self.slot().is_unlisted() {
            let opening = profile::gpu::LISTING_SECONDS + opening_seconds(None);
            if cpu_seconds < profile::gpu::WORTH_LISTING * opening {
                return Ok(None);
            }
            self.list_devices()?;
        }
        let (known, is_open) = {
            let slot = self.slot();
            if matches!(*slot, DeviceSlot::Forked) {
                return self.forked().map_or(Ok(None), Err);
            }
            (slot.known(), slot.is_open())
        };
        Ok(known.map(|known| self.estimate(known, is_open)))
    }

    /// True if the engine was given a GPU by name.
    pub(crate) fn names_gpu(&self) -> Result<bool> {
        Ok(!self.chooses_device() && self.device_estimate(0.0)?.is_some())
    }

    pub(super) fn has_open_gpu(&self) -> bool {
        self.slot().is_open()
    }

    fn estimate(&self, known: KnownDevice, is_open: bool) -> DeviceEstimate {
        let KnownDevice {
            name,
            capabilities,
            interface,
            throughput,
        } = known;
        let Throughput { overhead, pace } = throughput.unwrap_or_default();
        let opening = if is_open {
            0.0
        } else {
            opening_seconds(interface)
        };
        DeviceEstimate {
            name,
            budget_bytes: self.device_budget_of(&capabilities),
            capabilities,
            overhead: opening + overhead,
            pace,
        }
    }

    /// Returns `true` if measurements apply to other engines: not with checked or portable kernels.
    pub(super) fn keeps_throughput(&self) -> bool {
        !self.inner.options.checked && !self.inner.options.portable
    }

    /// Derives the pace of the open GPU from a sweep of `took` seconds, if that is long enough.
    pub(crate) fn note_pace(&self, took: f64, expected: impl FnOnce() -> Result<f64>) {
        if took < profile::gpu::TELLING_SECONDS || !self.keeps_throughput() {
            return;
        }
        let Ok(expected) = expected() else { return };
        let (noted, device) = match &mut *self.slot() {
            DeviceSlot::Open { gpu, throughput } => {
                let (min, max) = profile::gpu::PACES;
                let noted = Throughput {
                    pace: (took / expected.max(1e-9)).clamp(min, max),
                    ..throughput.unwrap_or_default()
                };
                *throughput = Some(noted);
                (noted, gpu.described())
            }
            _ => return,
        };
        if let Some(device) = device {
            noted.keep_fastest(&device);
        }
    }
}
