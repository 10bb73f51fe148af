//! Kernel variants: value type, goal and weights of a problem.

use crate::kernels::UserShader;
use crate::kernels::parenthesization::{Value, Variant, Weights};
use crate::parenthesization::Problem;
use crate::parenthesization::problem::{Goal, Shader, Text};
use crate::parenthesization::value::{self, Arithmetic};

/// Kernels of a problem, and the numbers that they compute with.
#[derive(Clone, Debug)]
pub struct KernelVariant {
    pub kernels: Variant,
    pub arithmetic: Arithmetic,
    /// Whether costs are integers.
    pub whole: bool,
}

impl KernelVariant {
    /// The kernels of `P`. With `known` both the weights and the inputs are the library's, so that
    /// all reads are in bounds.
    pub(super) fn new<P: Problem>(
        shader: Shader,
        arithmetic: Arithmetic,
        checked_sums: bool,
        known: bool,
    ) -> Self {
        let whole = !<P::Value as value::Value>::REAL;
        let value = match arithmetic {
            Arithmetic::U32 => Value::U32,
            Arithmetic::U64 => Value::U64,
            Arithmetic::Limbs => Value::Limbs,
            Arithmetic::F64 if whole => Value::Whole,
            Arithmetic::F64 => Value::F64,
            Arithmetic::F32 => Value::F32,
        };
        let weights = match shader.text {
            Text::Library { .. } if matches!(value, Value::U32 | Value::Whole) => {
                Weights::Part(shader.narrow)
            }
            Text::Library { .. } => Weights::Part(shader.name),
            Text::User { wgsl, unchecked } => Weights::User(UserShader {
                stem: shader.name,
                wgsl,
                cuda: None,
                unchecked,
            }),
        };
        let kernels = Variant {
            value,
            weights,
            constants: shader.constants,
            greatest: P::GOAL == Goal::Greatest,
            encloses: P::ENCLOSES,
            checked_sums,
            checked: !known,
        };
        Self {
            kernels,
            arithmetic,
            whole,
        }
    }

    /// Returns `true` if the kernel may run without bounds checks; `compiles` says whether the
    /// device compiles source text.
    pub(super) fn allows_unchecked(&self, compiles: bool) -> bool {
        match self.kernels.weights {
            Weights::Part(_) => !self.kernels.checked,
            Weights::User(shader) => compiles && shader.unchecked,
        }
    }
}
