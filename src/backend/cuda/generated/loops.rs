//! Loops, and which of them are unrolled.
//!
//! The limits are fitted to code size: with one limit of 64 iterations for all loops, the machine
//! code of some kernels was four times that of hand-written ones, and up to twelve times in
//! `tiled_wavefront`.

use naga::{
    AddressSpace, BinaryOperator as Binary, Block, Expression, Handle, LocalVariable, Statement,
};

use super::Result;
use super::functions::FunctionWriter;
use super::module::ModuleWriter;

/// Maximum iterations of an unrolled loop.
const MAX_ITERATIONS: u64 = 16;

/// Maximum iterations of an unrolled loop that picks elements of a lane's own array: only
/// unrolled, the array is in registers.
const MAX_REGISTERS: u64 = 64;

/// Maximum expressions of an unrolled loop, all iterations together.
const MAX_EXPRESSIONS: u64 = 1024;

/// Iterations of a longer loop that are unrolled if its body is short.
const PARTIAL: u32 = 8;

/// Maximum expressions of a short body.
const SHORT_BODY: u64 = 64;

/// Assumed iterations of an inner loop.
const INNER_ITERATIONS: u64 = 8;

/// What is known about the end of a loop.
enum Bound {
    /// A counter goes from a constant to this constant.
    Constant(u64),
    /// Something is compared with a constant.
    Unknown,
    /// It depends on the input.
    Varies,
}

impl<'a> FunctionWriter<'_, 'a> {
    /// Writes a loop. Its `continuing` block ends the body. If the body jumps there, the block is a
    /// lambda instead, which the jump calls.
    pub(super) fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        if let Some(iterations) = self.unrolled(body) {
            self.line(&match iterations {
                0 => "#pragma unroll".to_string(),
                iterations => format!("#pragma unroll {iterations}"),
            });
        }
        if continues(body) && !(continuing.is_empty() && break_if.is_none()) {
            self.line(if break_if.is_some() {
                "for (bool goes_on = true; goes_on; goes_on = [&] {"
            } else {
                "for (;; [&] {"
            });
            let outer = self.indented(continuing)?;
            if let Some(condition) = break_if {
                let condition = self.expression(condition)?;
                self.line(&format!("    return !{condition};"));
            }
            self.forget(outer);
            self.line("}()) {");
            self.begin_iteration();
            self.nested(body)?;
        } else {
            self.line("for (;;) {");
            self.begin_iteration();
            let outer = self.indented(body)?;
            self.indented(continuing)?;
            if let Some(condition) = break_if {
                let condition = self.expression(condition)?;
                self.line(&format!("    if ({condition}) {{"));
                self.line("        break;");
                self.line("    }");
            }
            self.forget(outer);
        }
        self.line("}");
        Ok(())
    }

    fn begin_iteration(&mut self) {
        if self.writer.options.checks {
            self.line("    may_go_on();");
        }
    }

    /// Iterations to unroll, 0 for all of them; `None` leaves the choice to the compiler.
    fn unrolled(&self, body: &Block) -> Option<u32> {
        let weight = self.writer.weight(body);
        match self.bound(body) {
            Bound::Constant(bound) => {
                let is_all = if self.picks_registers(body) {
                    bound <= MAX_REGISTERS
                } else {
                    bound <= MAX_ITERATIONS && weight * bound <= MAX_EXPRESSIONS
                };
                let is_short = !has_loop(body) && weight <= SHORT_BODY;
                Some(if is_all {
                    0
                } else if is_short {
                    PARTIAL
                } else {
                    1
                })
            }
            Bound::Varies => Some(1),
            Bound::Unknown => None,
        }
    }

    /// True if a block picks an element of a lane's own array by a number that varies.
    fn picks_registers(&self, block: &Block) -> bool {
        let picks = |handle| match self.function.expressions[handle] {
            Expression::Access { base, .. } => {
                self.inner(base).pointer_space() == Some(AddressSpace::Function)
            }
            _ => false,
        };
        any(block, &|statement| match statement {
            Statement::Emit(range) => range.clone().any(picks),
            _ => false,
        })
    }

    /// Bound of a loop that begins with a comparison, as those of `for` and `while` do.
    fn bound(&self, body: &Block) -> Bound {
        let first = body.iter().find_map(|statement| match statement {
            Statement::If { condition, .. } => Some(*condition),
            _ => None,
        });
        let Some(&Expression::Binary { op, left, right }) =
            first.map(|condition| &self.function.expressions[condition])
        else {
            return Bound::Varies;
        };
        let end = self.writer.known(&self.function.expressions, right);
        match (op, end) {
            (Binary::Less | Binary::LessEqual, Some(end)) if self.starts_at_constant(left) => {
                Bound::Constant(end)
            }
            (Binary::Less | Binary::LessEqual, _) | (_, None) => Bound::Varies,
            (_, Some(_)) => Bound::Unknown,
        }
    }

    /// True if a counter has a constant value before the loop.
    fn starts_at_constant(&self, counter: Handle<Expression>) -> bool {
        let Expression::Load { pointer } = self.function.expressions[counter] else {
            return false;
        };
        let Expression::LocalVariable(variable) = self.function.expressions[pointer] else {
            return false;
        };
        let is_known = |value| {
            self.writer
                .known(&self.function.expressions, value)
                .is_some()
        };
        match self.stored {
            Some((stored, value)) if stored == variable => is_known(value),
            _ => self.initial(variable).is_none_or(is_known),
        }
    }

    fn initial(&self, variable: Handle<LocalVariable>) -> Option<Handle<Expression>> {
        self.function.local_variables[variable].init
    }
}

impl ModuleWriter<'_> {
    /// Approximate expressions of a block, with the functions that it calls.
    fn weight(&self, block: &Block) -> u64 {
        let of = |statement: &Statement| match statement {
            Statement::Emit(range) => range.clone().count() as u64,
            Statement::Block(block) => self.weight(block),
            Statement::If { accept, reject, .. } => self.weight(accept) + self.weight(reject),
            Statement::Loop {
                body, continuing, ..
            } => INNER_ITERATIONS * (self.weight(body) + self.weight(continuing)),
            Statement::Switch { cases, .. } => {
                cases.iter().map(|case| self.weight(&case.body)).sum()
            }
            Statement::Call { function, .. } => self.weight(&self.module.functions[*function].body),
            _ => 1,
        };
        block.iter().map(of).sum()
    }
}

/// True if a statement of the block or of a block inside is as sought.
fn any(block: &Block, sought: &dyn Fn(&Statement) -> bool) -> bool {
    block.iter().any(|statement| {
        sought(statement)
            || match statement {
                Statement::Block(block) => any(block, sought),
                Statement::If { accept, reject, .. } => any(accept, sought) || any(reject, sought),
                Statement::Loop {
                    body, continuing, ..
                } => any(body, sought) || any(continuing, sought),
                Statement::Switch { cases, .. } => cases.iter().any(|case| any(&case.body, sought)),
                _ => false,
            }
    })
}

fn has_loop(block: &Block) -> bool {
    any(block, &|statement| {
        matches!(statement, Statement::Loop { .. })
    })
}

/// True if a loop's body jumps to its `continuing` block.
fn continues(body: &Block) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => continues(block),
        Statement::If { accept, reject, .. } => continues(accept) || continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}
