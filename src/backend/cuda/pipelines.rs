//! Cache of kernel code; each kernel is compiled once.

use std::sync::Arc;

use super::compiler::{self, FLAGS};
use super::driver::{Context, Function, Module};
use super::embedded::{self, Origin};
use super::source::{Source, source};
use crate::backend::kernel_cache::KernelCache;
use crate::host::cache::Cache;
use crate::kernels::{Kernel, Launch};

#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub function: Function,
    pub lanes: u32,
    /// Dependence between passes of one launch.
    pub passes: Launch,
    /// Maximum workgroups of a cooperative launch; 0 for other kernels.
    pub at_once: u32,
    _module: Arc<Module>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub capability: (u32, u32),
    pub driver: u32,
}

#[derive(Debug)]
pub(super) struct Pipelines {
    target: Target,
    origin: Origin,
    cache: Cache,
    kernels: KernelCache<Pipeline>,
}

impl Pipelines {
    pub(super) fn new(target: Target, origin: Origin) -> Self {
        Self {
            target,
            origin,
            cache: Cache::for_user("cuda"),
            kernels: KernelCache::default(),
        }
    }

    /// Returns the code of a kernel on the device, building it if necessary.
    pub(super) fn get(&self, context: &Arc<Context>, kernel: &Kernel) -> Result<Pipeline, String> {
        self.kernels.get(kernel, || self.build(context, kernel))
    }

    fn build(&self, context: &Arc<Context>, kernel: &Kernel) -> Result<Pipeline, String> {
        let source = source(kernel);
        let code = match self.origin {
            Origin::Compiled => self.compiled(kernel, &source)?,
            // A user's source is never embedded.
            Origin::Embedded | Origin::Recompiled if !kernel.user_shaders.is_empty() => {
                return Err(embedded::not_embedded());
            }
            Origin::Embedded => embedded::ptx(&source.key())?,
            Origin::Recompiled => {
                embedded::check(&source.key()).and_then(|()| self.compiled(kernel, &source))?
            }
        };
        let load = || {
            // SAFETY: the code is unmodified output of NVRTC. Cached and embedded code is found by
            // the whole source, and damaged or truncated files are rejected.
            let module = unsafe { Module::new(context, &code)? };
            let function = module.function(c"kernel_main")?;
            let (lanes, passes) = (kernel.block, source.launch(kernel));
            let at_once = if passes == Launch::Cooperative {
                context.groups_at_once(function, lanes)?
            } else {
                0
            };
            Ok(Pipeline {
                function,
                lanes,
                passes,
                at_once,
                _module: Arc::new(module),
            })
        };
        load().map_err(|failure: super::driver::Failure| failure.to_string())
    }

    /// Compiles a source by NVRTC, or reads the result from the cache on disk.
    fn compiled(&self, kernel: &Kernel, source: &Source) -> Result<Vec<u8>, String> {
        let key = key(self.target, &compiler::build()?, &FLAGS, &source.key());
        self.cache.get(&key, || {
            let text = source.text().map_err(|error| error.to_string())?;
            let (major, minor) = self.target.capability;
            let architecture = compiler::architecture(major, minor)?;
            compiler::compile(kernel.stem, &text, &architecture)
        })
    }
}

/// Cache key: target, compiler, flags and the key of the source. It omits the build of the driver, unlike the key
/// of a verified device: that affects the answers of the code but not the code, which every build
/// of the version loads.
fn key(
    Target { capability, driver }: Target,
    compiler: &str,
    flags: &[&str],
    text: &str,
) -> String {
    format!("for {capability:?}, driver {driver}, by NVRTC {compiler} {flags:?}\n{text}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn cache_key_depends_on_device_driver_compiler_flags_and_source() {
        let target = Target {
            capability: (9, 0),
            driver: 12_080,
        };
        let (ada, next, updated) = (
            Target {
                capability: (8, 9),
                ..target
            },
            Target {
                capability: (9, 1),
                ..target
            },
            Target {
                driver: 12_090,
                ..target
            },
        );
        let keys = [
            key(target, "12.8", &["--a"], "text"),
            key(ada, "12.8", &["--a"], "text"),
            key(next, "12.8", &["--a"], "text"),
            key(updated, "12.8", &["--a"], "text"),
            key(target, "12.9", &["--a"], "text"),
            key(target, "12.8", &["--b"], "text"),
            key(target, "12.8", &["--a", "--b"], "text"),
            key(target, "12.8", &["--a"], "text "),
        ];
        assert_eq!(
            keys.iter().collect::<HashSet<_>>().len(),
            keys.len(),
            "{keys:?}"
        );
        assert_eq!(key(target, "12.8", &["--a"], "text"), keys[0]);
    }
}
