//! Statements: control flow, stores, atomics and barriers.

use naga::{
    AtomicFunction, Barrier, Block, Expression, Handle, Statement, SwitchCase, SwitchValue,
};

use super::functions::FunctionWriter;
use super::{Result, unsupported};

impl<'a> FunctionWriter<'_, 'a> {
    pub(super) fn statement(&mut self, statement: &'a Statement) -> Result<()> {
        match statement {
            Statement::Emit(range) => range.clone().try_for_each(|handle| self.emit(handle))?,
            Statement::Block(block) => {
                self.line("{");
                self.nested(block)?;
                self.line("}");
            }
            Statement::If {
                condition,
                accept,
                reject,
            } => self.branch(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.repeat(body, continuing, *break_if)?,
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return { value: Some(value) } => {
                let value = self.expression(*value)?;
                self.line(&format!("return {value};"));
            }
            Statement::Return { value: None } => self.line("return;"),
            Statement::ControlBarrier(Barrier::SUB_GROUP) => self.line("__syncwarp();"),
            Statement::ControlBarrier(_) => self.line("barrier();"),
            Statement::Store { pointer, value } => self.store(*pointer, *value)?,
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(*pointer, *fun, *value, *result)?,
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let place = self.expression(*pointer)?;
                self.declare(*result, &format!("workgroup_uniform_load(&{place})"))?;
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => {
                let called = &self.writer.info[*function];
                let context = self
                    .writer
                    .needs_context(called)
                    .then(|| Ok("in".to_string()));
                let arguments = arguments.iter().map(|argument| self.expression(*argument));
                let arguments = context.into_iter().chain(arguments);
                let arguments = arguments.collect::<Result<Vec<_>>>()?.join(", ");
                let call = format!("{}({arguments})", self.writer.functions[function]);
                self.result(*result, &call)?;
            }
            Statement::SubgroupBallot { result, predicate } => {
                let votes = self.ballot(*predicate)?;
                self.declare(*result, &votes)?;
            }
            Statement::SubgroupGather {
                mode,
                argument,
                result,
            } => {
                let word = self.gather(*mode, *argument)?;
                self.declare(*result, &word)?;
            }
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                result,
            } => {
                let word = self.collective(*collective_op, *op, *argument)?;
                self.declare(*result, &word)?;
            }
            other => return unsupported(format!("the statement {other:?}")),
        }
        Ok(())
    }

    /// Names a value that is used several times, loaded from memory, or named in the WGSL. Others
    /// are written where they are used.
    fn emit(&mut self, handle: Handle<Expression>) -> Result<()> {
        let expression = &self.function.expressions[handle];
        let is_pointer = self.inner(handle).pointer_space().is_some();
        let is_named = self.function.named_expressions.contains_key(&handle);
        let is_shared = self.info[handle].ref_count >= expression.bake_ref_count();
        if is_pointer || !(is_named || is_shared) {
            return Ok(());
        }
        let value = match expression {
            Expression::Load { pointer } => self.load(*pointer)?,
            _ => self.expression(handle)?,
        };
        self.declare(handle, &value)
    }

    /// Names the result of a call, if there is one.
    fn result(&mut self, result: Option<Handle<Expression>>, call: &str) -> Result<()> {
        match result {
            Some(result) => self.declare(result, call),
            None => {
                self.line(&format!("{call};"));
                Ok(())
            }
        }
    }

    fn branch(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Result<()> {
        let condition = self.expression(condition)?;
        if accept.is_empty() && !reject.is_empty() {
            self.line(&format!("if (!{condition}) {{"));
            self.nested(reject)?;
        } else {
            self.line(&format!("if ({condition}) {{"));
            self.nested(accept)?;
            if !reject.is_empty() {
                self.line("} else {");
                self.nested(reject)?;
            }
        }
        self.line("}");
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Result<()> {
        let selector = self.expression(selector)?;
        self.line(&format!("switch ({selector}) {{"));
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => self.line(&format!("case {value}:")),
                SwitchValue::U32(value) => self.line(&format!("case {value}u:")),
                SwitchValue::Default => self.line("default:"),
            }
            if case.fall_through && case.body.is_empty() {
                continue;
            }
            self.line("{");
            self.nested(&case.body)?;
            self.line("}");
            if !case.fall_through {
                self.line("break;");
            }
        }
        self.line("}");
        Ok(())
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<()> {
        if let Expression::LocalVariable(variable) = self.function.expressions[pointer] {
            self.stored = Some((variable, value));
        }
        let (place, value) = (self.expression(pointer)?, self.expression(value)?);
        self.line(&if self.is_atomic(pointer) {
            format!("atomic_store(&{place}, {value});")
        } else {
            format!("{place} = {value};")
        });
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let (place, value) = (self.expression(pointer)?, self.expression(value)?);
        let name = match function {
            AtomicFunction::Add => "atomicAdd",
            AtomicFunction::Subtract => "atomicSub",
            AtomicFunction::And => "atomicAnd",
            AtomicFunction::ExclusiveOr => "atomicXor",
            AtomicFunction::InclusiveOr => "atomicOr",
            AtomicFunction::Min => "atomicMin",
            AtomicFunction::Max => "atomicMax",
            AtomicFunction::Exchange { compare: None } => "atomicExch",
            AtomicFunction::Exchange {
                compare: Some(expected),
            } => {
                let Some(result) = result else {
                    return unsupported("a comparison without a result".to_string());
                };
                let (ty, expected) = (self.ty(result)?, self.expression(expected)?);
                let call = format!("compare_exchange<{ty}>(&{place}, {expected}, {value})");
                return self.declare(result, &call);
            }
        };
        self.result(result, &format!("{name}(&{place}, {value})"))
    }
}
