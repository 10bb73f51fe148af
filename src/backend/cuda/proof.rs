//! Whether devices have given known answers: what `auto` goes by, kept beside the code of kernels.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::embedded::origin;
use super::pipelines::Target;
use super::{compiler, source};
use crate::host::cache::{Cache, digest};

/// What a device has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It has given the known answers.
    Right,
    /// It has given others.
    Wrong,
    /// It could not be asked in this process.
    NotAsked,
}

/// What programs keep of a proof: nothing where there is none.
const KEPT: [(Proof, u8); 2] = [(Proof::Right, 1), (Proof::Wrong, 0)];

/// What this process knows, by the same keys.
static KNOWN: Mutex<Option<HashMap<String, Proof>>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<HashMap<String, Proof>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that answers depend on: the device, its driver, what compiles kernels, and their texts.
fn key(device: &str, Target { capability, driver }: Target) -> String {
    static TEXTS: LazyLock<u64> = LazyLock::new(|| digest(source::texts().collect::<String>().as_bytes()));
    let (version, compiled, texts) = (env!("CARGO_PKG_VERSION"), (origin(), compiler::version().ok()), *TEXTS);
    format!("known answers of {device} {capability:?}, driver {driver}, {version} {compiled:?} {texts:x}")
}

/// What the device has shown, in this process or to an earlier one.
pub(super) fn of(device: &str, target: Target) -> Option<Proof> {
    let key = key(device, target);
    let kept = || {
        let byte = *Cache::of_user("cuda").kept(&key)?.first()?;
        KEPT.into_iter().find_map(|(proof, kept)| (kept == byte).then_some(proof))
    };
    known().as_ref().and_then(|known| known.get(&key).copied()).or_else(kept)
}

/// Keeps what the device has shown; that it could not be asked, for this process alone.
pub(super) fn keep(device: &str, target: Target, proof: Proof) {
    let key = key(device, target);
    if let Some((_, byte)) = KEPT.into_iter().find(|(kept, _)| *kept == proof) {
        Cache::of_user("cuda").keep(&key, &[byte]);
    }
    known().get_or_insert_default().insert(key, proof);
}
