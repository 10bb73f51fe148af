//! The kernels' common parts, by the values, the goal and the weights of a problem.

use crate::parenthesization::problem::{Goal, Shader};
use crate::parenthesization::value::Arithmetic;
use crate::plan::{Access, Kernel};

/// What a kernel is made for.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The weights.
    pub shader: Shader,
    /// What costs are made of.
    pub arithmetic: Arithmetic,
    /// A minimum or a maximum.
    pub goal: Goal,
    /// Whether ranges may be enclosed.
    pub encloses: bool,
    /// Whether sums are checked.
    pub checked: bool,
}

impl Variant {
    /// The kernel `stem` of these parts, its own text the last; `tables` are the numbers of the bindings that it writes.
    pub(super) fn kernel(
        &self,
        stem: &'static str,
        constants: &[(&'static str, u32)],
        parts: &[&'static str],
        tables: impl IntoIterator<Item = u32>,
    ) -> Kernel {
        let flag = |name, set: bool| (name, u32::from(set));
        let mut all = vec![
            flag("CHECKED", self.checked),
            flag("GREATEST", self.goal == Goal::Greatest),
            flag("ENCLOSES", self.encloses),
        ];
        all.extend(constants.iter().chain(&self.shader.constants));
        let value = match self.arithmetic {
            Arithmetic::U64 => include_str!("../../../shaders/parenthesization/value_u64.wgsl"),
            Arithmetic::Limbs => include_str!("../../../shaders/parenthesization/value_limbs.wgsl"),
            Arithmetic::F64 => include_str!("../../../shaders/parenthesization/value_f64.wgsl"),
            Arithmetic::F32 => include_str!("../../../shaders/parenthesization/value_f32.wgsl"),
        };
        let mut texts = vec![value, include_str!("../../../shaders/parenthesization/goal.wgsl"), self.shader.source];
        if !self.encloses {
            texts.push(include_str!("../../../shaders/parenthesization/no_enclosure.wgsl"));
        }
        texts.extend(parts);
        let shown: Vec<_> = all.iter().map(|(name, value)| format!("{}={value}", name.to_lowercase())).collect();
        let arithmetic = self.arithmetic.name();
        let mut bindings = vec![(0, Access::Read)];
        bindings.extend(tables.into_iter().map(|table| (table, Access::ReadWrite)));
        Kernel {
            label: format!("parenthesization/{stem} {} {arithmetic} {}", self.shader.name, shown.join(" ")),
            constants: all,
            aliases: Vec::new(),
            parts: texts,
            bindings,
            subgroups: false,
        }
    }
}
