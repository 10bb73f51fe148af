//! Kernel variants: value type, goal and weights of a problem.

use crate::kernels::UserShader;
use crate::kernels::parenthesization::{self, Value, Weights};
use crate::parenthesization::problem::{Goal, Shader, Text};
use crate::parenthesization::value::Arithmetic;

#[derive(Clone, Debug)]
pub struct KernelVariant {
    pub shader: Shader,
    pub arithmetic: Arithmetic,
    /// Whether costs are integers.
    pub whole: bool,
    pub goal: Goal,
    pub encloses: bool,
    /// Whether sums are checked for overflow.
    pub checked: bool,
    /// Whether the weights and the inputs are both the library's, so that all reads are in bounds.
    pub known: bool,
}

impl KernelVariant {
    /// Returns `true` if the kernel may run without bounds checks; `compiles` says whether the
    /// device compiles source text.
    pub(super) fn allows_unchecked(&self, compiles: bool) -> bool {
        match self.shader.text {
            Text::Library { .. } => self.known,
            Text::User { unchecked, .. } => compiles && unchecked,
        }
    }

    pub(crate) fn kernels(&self) -> parenthesization::Variant {
        let value = match self.arithmetic {
            Arithmetic::U32 => Value::U32,
            Arithmetic::U64 => Value::U64,
            Arithmetic::Limbs => Value::Limbs,
            Arithmetic::F64 if self.whole => Value::Whole,
            Arithmetic::F64 => Value::F64,
            Arithmetic::F32 => Value::F32,
        };
        parenthesization::Variant {
            value,
            weights: match self.shader.text {
                Text::Library { .. } if matches!(value, Value::U32 | Value::Whole) => {
                    Weights::Part(self.shader.narrow)
                }
                Text::Library { .. } => Weights::Part(self.shader.name),
                Text::User { wgsl, unchecked } => Weights::User(UserShader {
                    stem: self.shader.name,
                    wgsl,
                    cuda: None,
                    unchecked,
                }),
            },
            constants: self.shader.constants.clone(),
            greatest: self.goal == Goal::Greatest,
            encloses: self.encloses,
            checked_sums: self.checked,
            checked: !self.known,
        }
    }
}
