//! What the kernels of a table are made for: the values, the goal and the weights of a problem.

use crate::kernels::UserShader;
use crate::kernels::parenthesization::{self, Value, Weights};
use crate::parenthesization::problem::{Goal, Shader, Text};
use crate::parenthesization::value::Arithmetic;

/// What a kernel is made for.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The weights.
    pub shader: Shader,
    /// What costs are made of.
    pub arithmetic: Arithmetic,
    /// Whether costs are whole numbers.
    pub whole: bool,
    /// A minimum or a maximum.
    pub goal: Goal,
    /// Whether ranges may be enclosed.
    pub encloses: bool,
    /// Whether sums are checked.
    pub checked: bool,
    /// Whether the weights read these inputs within their bounds, because both are the library's.
    pub known: bool,
}

impl Variant {
    /// Whether a device runs it that checks no bounds, and compiles where `compiles`.
    pub(super) fn allows_unchecked(&self, compiles: bool) -> bool {
        match self.shader.text {
            Text::Part { .. } => self.known,
            Text::Own { cuda, .. } => compiles && cuda.is_some(),
        }
    }

    /// The kernels.
    pub(super) fn kernels(&self) -> parenthesization::Variant {
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
                Text::Part { .. } if matches!(value, Value::U32 | Value::Whole) => {
                    Weights::Part(self.shader.narrow)
                }
                Text::Part { .. } => Weights::Part(self.shader.name),
                Text::Own { wgsl, cuda } => Weights::User(UserShader {
                    stem: self.shader.name,
                    wgsl,
                    cuda,
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
