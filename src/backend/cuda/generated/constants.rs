//! Literals, and expressions outside of functions.

use naga::{Arena, Expression, Handle, Literal, Type, TypeInner};

use super::module::ModuleWriter;
use super::{Result, unsupported};

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

pub(super) fn literal(literal: Literal) -> Result<String> {
    let real = |is_finite: bool, text: String| {
        if is_finite {
            Ok(text)
        } else {
            unsupported("a real number that is not finite".to_string())
        }
    };
    let text = match literal {
        Literal::U32(value) => format!("{value}u"),
        // The positive number has another type.
        Literal::I32(i32::MIN) => "i32(0x80000000u)".to_string(),
        Literal::I64(i64::MIN) => "i64(0x8000000000000000ull)".to_string(),
        Literal::I32(value) => format!("{value}"),
        Literal::U64(value) => format!("{value}ull"),
        Literal::I64(value) => format!("{value}ll"),
        Literal::F32(value) => real(value.is_finite(), format!("{value:e}f"))?,
        Literal::F64(value) => real(value.is_finite(), format!("{value:e}"))?,
        Literal::Bool(value) => format!("{value}"),
        other => return unsupported(format!("the literal {other:?}")),
    };
    Ok(if text.starts_with('-') {
        format!("({text})")
    } else {
        text
    })
}

/// A nonnegative integer that is known when the kernel is translated.
pub(super) fn unsigned(literal: Literal) -> Option<u64> {
    match literal {
        Literal::U32(value) => Some(value.into()),
        Literal::U64(value) => Some(value),
        Literal::I32(value) => u64::try_from(value).ok(),
        Literal::I64(value) => u64::try_from(value).ok(),
        _ => None,
    }
}

/// An expression that a composite consists of: its text and type.
pub(super) struct Part<'t> {
    pub text: String,
    pub inner: &'t TypeInner,
}

impl<'a> ModuleWriter<'a> {
    /// An expression outside of functions.
    pub(super) fn constant(&self, handle: Handle<Expression>) -> Result<String> {
        let module = self.module;
        match &module.global_expressions[handle] {
            Expression::Compose { ty, components } => {
                let part = |&part| {
                    Ok(Part {
                        text: self.constant(part)?,
                        inner: self.info[part].inner_with(&module.types),
                    })
                };
                self.compose(
                    *ty,
                    &components.iter().map(part).collect::<Result<Vec<_>>>()?,
                )
            }
            Expression::Splat { value, .. } => {
                let ty = self.inner(self.info[handle].inner_with(&module.types))?;
                Ok(format!("splat<{ty}>({})", self.constant(*value)?))
            }
            other => self
                .leaf(other)
                .unwrap_or_else(|| unsupported(format!("the constant expression {other:?}"))),
        }
    }

    /// An expression without operands; `None` for others.
    pub(super) fn leaf(&self, expression: &Expression) -> Option<Result<String>> {
        Some(match *expression {
            Expression::Literal(value) => literal(value),
            Expression::Constant(constant) => self.constant(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => self.ty(ty).map(|ty| format!("{ty}{{}}")),
            _ => return None,
        })
    }

    /// A value of a vector, array or structure.
    pub(super) fn compose(&self, ty: Handle<Type>, parts: &[Part<'_>]) -> Result<String> {
        let (name, inner) = (self.ty(ty)?, &self.module.types[ty].inner);
        let is_vector = matches!(inner, TypeInner::Vector { .. });
        let scalars = |part: &Part<'_>| match part.inner {
            TypeInner::Vector { size, .. } if is_vector => COMPONENTS[..*size as usize]
                .iter()
                .map(|component| format!("{}.{component}", part.text))
                .collect(),
            _ => vec![part.text.clone()],
        };
        let list = parts
            .iter()
            .flat_map(scalars)
            .collect::<Vec<_>>()
            .join(", ");
        Ok(if matches!(inner, TypeInner::Array { .. }) {
            format!("{name}{{{{{list}}}}}")
        } else {
            format!("{name}{{{list}}}")
        })
    }

    /// The nonnegative integer that an expression is, if it is a literal or a constant.
    pub(super) fn known(
        &self,
        expressions: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Option<u64> {
        match expressions[handle] {
            Expression::Literal(value) => unsigned(value),
            Expression::Constant(constant) => {
                let module = self.module;
                self.known(&module.global_expressions, module.constants[constant].init)
            }
            _ => None,
        }
    }
}
