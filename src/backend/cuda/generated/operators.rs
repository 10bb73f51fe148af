//! Operators, functions of numbers and conversions.

use naga::{
    BinaryOperator as Binary, Expression, Handle, MathFunction, Scalar, ScalarKind, TypeInner,
    UnaryOperator,
};

use super::functions::FunctionWriter;
use super::types::scalar;
use super::{Result, unsupported};

impl FunctionWriter<'_, '_> {
    /// Type of a number or of the components of a vector.
    fn scalar_of(&self, handle: Handle<Expression>) -> Result<Scalar> {
        let inner = self.inner(handle);
        inner
            .scalar()
            .filter(|_| !matches!(inner, TypeInner::Matrix { .. }))
            .map_or_else(|| unsupported(format!("an operator of {inner:?}")), Ok)
    }

    fn is_vector(&self, handle: Handle<Expression>) -> bool {
        matches!(self.inner(handle), TypeInner::Vector { .. })
    }

    pub(super) fn unary(&self, op: UnaryOperator, operand: Handle<Expression>) -> Result<String> {
        let text = self.expression(operand)?;
        Ok(match (op, self.scalar_of(operand)?.kind) {
            (UnaryOperator::Negate, ScalarKind::Sint) => format!("wrapping_negate({text})"),
            (UnaryOperator::Negate, _) => format!("(-{text})"),
            (UnaryOperator::LogicalNot, _) => format!("(!{text})"),
            (UnaryOperator::BitwiseNot, _) => format!("(~{text})"),
        })
    }

    pub(super) fn binary(
        &self,
        op: Binary,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<String> {
        let [a, b] = [self.expression(left)?, self.expression(right)?];
        let Scalar { kind, width } = self.scalar_of(left)?;
        let known = self.writer.known(&self.function.expressions, right);
        let is_vector = self.is_vector(left) || self.is_vector(right);
        let function = match (op, kind) {
            (Binary::Add, ScalarKind::Sint) => Some("wrapping_add"),
            (Binary::Subtract, ScalarKind::Sint) => Some("wrapping_sub"),
            (Binary::Multiply, ScalarKind::Sint) => Some("wrapping_mul"),
            (Binary::Modulo, ScalarKind::Float) => Some("remainder_of"),
            // Nonnegative constants other than zero neither overflow nor trap.
            (Binary::Divide | Binary::Modulo, ScalarKind::Uint | ScalarKind::Sint)
                if known.is_some_and(|divisor| divisor > 0) =>
            {
                None
            }
            (Binary::Divide, ScalarKind::Uint | ScalarKind::Sint) => Some("quotient"),
            (Binary::Modulo, _) => Some("remainder_of"),
            (Binary::ShiftLeft, ScalarKind::Sint) => Some("shift_left"),
            (Binary::ShiftLeft, _) if is_vector => Some("shift_left"),
            (Binary::ShiftRight, _) if is_vector => Some("shift_right"),
            _ => None,
        };
        if let Some(function) = function {
            return Ok(format!("{function}({a}, {b})"));
        }
        let bits = 8 * u32::from(width);
        Ok(match op {
            Binary::ShiftLeft | Binary::ShiftRight if known.is_none() => {
                let op = naga::back::binary_operation_str(op);
                format!("({a} {op} ({b} & {}u))", bits - 1)
            }
            // Not of bits, which are numbers.
            Binary::And | Binary::InclusiveOr | Binary::ExclusiveOr
                if kind == ScalarKind::Bool && !is_vector =>
            {
                format!("bool({a} {} {b})", naga::back::binary_operation_str(op))
            }
            _ => format!("({a} {} {b})", naga::back::binary_operation_str(op)),
        })
    }

    pub(super) fn math(
        &self,
        function: MathFunction,
        arguments: &[Option<Handle<Expression>>; 3],
    ) -> Result<String> {
        use MathFunction as F;
        let kind = arguments[0]
            .map(|first| self.scalar_of(first))
            .transpose()?;
        let is_real = kind.is_some_and(|scalar| scalar.kind == ScalarKind::Float);
        let is_word = kind == Some(Scalar::U32);
        let name = match function {
            F::Abs => "absolute",
            F::Min => "lesser",
            F::Max => "greater",
            F::Clamp => "clamped",
            F::Sqrt if is_real => "square_root",
            F::Fma if is_real => "fused",
            F::Floor if is_real => "round_down",
            F::Ceil if is_real => "round_up",
            F::Trunc if is_real => "round_to_zero",
            F::Round if is_real => "round_to_even",
            F::CountTrailingZeros if is_word => "trailing_zeros",
            F::CountLeadingZeros if is_word => "leading_zeros",
            F::CountOneBits if is_word => "count_ones",
            F::ReverseBits if is_word => "reverse_bits",
            F::FirstTrailingBit if is_word => "first_trailing",
            F::FirstLeadingBit if is_word => "first_leading",
            other => return unsupported(format!("the function {other:?}")),
        };
        let texts = arguments.iter().flatten();
        let texts = texts
            .map(|&argument| self.expression(argument))
            .collect::<Result<Vec<_>>>()?;
        Ok(format!("{name}({})", texts.join(", ")))
    }

    /// A value of another type: the same number, or the same bits if not `converts`.
    pub(super) fn conversion(
        &self,
        handle: Handle<Expression>,
        from: Handle<Expression>,
        converts: bool,
    ) -> Result<String> {
        let (ty, value) = (self.ty(handle)?, self.expression(from)?);
        if !converts {
            return Ok(format!("bitcast<{ty}>({value})"));
        }
        let (to, from_scalar) = (self.scalar_of(handle)?, self.scalar_of(from)?);
        // Both must have names.
        scalar(to)?;
        scalar(from_scalar)?;
        let saturates = from_scalar.kind == ScalarKind::Float
            && matches!(to.kind, ScalarKind::Sint | ScalarKind::Uint);
        Ok(if saturates || self.is_vector(from) {
            format!("convert<{ty}>({value})")
        } else {
            format!("{ty}({value})")
        })
    }
}
