//! The list of devices.

use std::ffi::{CString, c_char};

use crate::arguments::{Output, SizedOutput, borrowed, extensible};
use crate::status::{Status, c_text, freed, guarded, invalid};

/// Devices of this machine, the CPU last.
pub struct Devices(Vec<Entry>);

struct Entry {
    selector: CString,
    name: CString,
    kind: CString,
    driver: CString,
    reason: CString,
    is_auto: bool,
}

/// A device. The texts belong to the list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Device {
    /// `sizeof(swath_device)`.
    pub size: usize,
    /// Name for `swath_engine_options`, such as "vulkan:0".
    pub selector: *const c_char,
    /// Name of the adapter.
    pub name: *const c_char,
    /// "discrete GPU", "integrated GPU", "virtual GPU", "software", "other" or "CPU".
    pub kind: *const c_char,
    /// Name and version of the driver.
    pub driver: *const c_char,
    /// Why "auto" takes the device or not.
    pub reason: *const c_char,
    /// 1 for the device that "auto" takes for large inputs.
    pub is_auto: u32,
}

extensible!(Device, "swath_device");

/// Lists the devices. This loads drivers, which takes some milliseconds, and opens no device.
///
///     swath_devices *devices = NULL;
///     if (swath_devices_new(&devices) == SWATH_OK) {
///         swath_device device = {.size = sizeof device};
///         for (size_t i = 0; i < swath_devices_len(devices); i++)
///             if (swath_devices_get(devices, i, &device) == SWATH_OK)
///                 printf("%s: %s\n", device.selector, device.name);
///         swath_devices_free(devices);
///     }
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_devices_new(devices: *mut *mut Devices) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointer has to be.
        let output = unsafe { Output::of(devices, "devices") }?;
        let entry = |device: swath::DeviceInfo| Entry {
            selector: c_text(&device.selector),
            name: c_text(&device.name),
            kind: c_text(device.kind),
            driver: c_text(&device.driver),
            reason: c_text(&device.reason),
            is_auto: device.auto,
        };
        output.give(Devices(swath::devices().into_iter().map(entry).collect()));
        Ok(())
    })
}

/// Number of devices; 0 for null.
///
///     size_t count = swath_devices_len(devices);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_devices_len(devices: *const Devices) -> usize {
    // SAFETY: the header says what the pointer has to be.
    unsafe { devices.as_ref() }.map_or(0, |devices| devices.0.len())
}

/// Describes device `index`, from 0.
///
///     swath_device device = {.size = sizeof device};
///     if (swath_devices_get(devices, 0, &device) == SWATH_OK)
///         printf("%s\n", device.reason);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_devices_get(
    devices: *const Devices,
    index: usize,
    device: *mut Device,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (devices, output) = unsafe {
            (
                borrowed(devices, "devices")?,
                SizedOutput::of(device, "device")?,
            )
        };
        let count = devices.0.len();
        let entry = devices.0.get(index).ok_or_else(|| {
            invalid(format!(
                "the argument 'index' is {index}, and there are {count} devices"
            ))
        })?;
        output.put(&Device {
            size: size_of::<Device>(),
            selector: entry.selector.as_ptr(),
            name: entry.name.as_ptr(),
            kind: entry.kind.as_ptr(),
            driver: entry.driver.as_ptr(),
            reason: entry.reason.as_ptr(),
            is_auto: entry.is_auto.into(),
        });
        Ok(())
    })
}

/// Frees a list of devices. Null is ignored.
///
///     swath_devices_free(devices);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_devices_free(devices: *mut Devices) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(devices) }
}
