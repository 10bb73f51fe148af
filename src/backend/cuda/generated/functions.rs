//! Bodies of functions: local variables, and the values that get a name.

use std::collections::HashMap;
use std::fmt::Write;

use naga::proc::TypeResolution;
use naga::valid::FunctionInfo;
use naga::{Block, Expression, Function, Handle, LocalVariable, TypeInner};

use super::Result;
use super::module::ModuleWriter;
use super::names::Names;

pub(super) struct FunctionWriter<'w, 'a> {
    pub writer: &'w ModuleWriter<'a>,
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    pub arguments: Vec<String>,
    pub locals: HashMap<Handle<LocalVariable>, String>,
    /// Names of computed values in scope.
    pub values: HashMap<Handle<Expression>, String>,
    /// Those values, in the order of their declarations.
    declared: Vec<Handle<Expression>>,
    /// The latest store to a local variable: the start of a loop's counter.
    pub stored: Option<(Handle<LocalVariable>, Handle<Expression>)>,
    names: Names,
    out: String,
    depth: usize,
}

impl<'a> ModuleWriter<'a> {
    /// Text between the braces of a function.
    pub(super) fn body(
        &self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<String>,
        names: Names,
    ) -> Result<String> {
        let writer = FunctionWriter {
            writer: self,
            function,
            info,
            arguments,
            locals: HashMap::new(),
            values: HashMap::new(),
            declared: Vec::new(),
            stored: None,
            names,
            out: String::new(),
            depth: 1,
        };
        writer.body()
    }
}

impl<'a> FunctionWriter<'_, 'a> {
    fn body(mut self) -> Result<String> {
        let function = self.function;
        for (handle, variable) in function.local_variables.iter() {
            let name = self.names.take(variable.name.as_deref());
            let ty = self.writer.ty(variable.ty)?;
            let init = match variable.init {
                Some(init) => self.expression(init)?,
                None => format!("{ty}{{}}"),
            };
            self.line(&format!("{ty} {name} = {init};"));
            self.locals.insert(handle, name);
        }
        self.block(&function.body)?;
        Ok(self.out)
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.depth);
    }

    pub(super) fn block(&mut self, block: &'a Block) -> Result<()> {
        block
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    /// Writes a block in braces that the caller writes. Values named inside are unknown after it.
    pub(super) fn nested(&mut self, block: &'a Block) -> Result<()> {
        let outer = self.indented(block)?;
        self.forget(outer);
        Ok(())
    }

    /// Writes a block whose values remain known; returns the number of those before, for
    /// [`Self::forget`].
    pub(super) fn indented(&mut self, block: &'a Block) -> Result<usize> {
        let outer = self.declared.len();
        self.depth += 1;
        self.block(block)?;
        self.depth -= 1;
        Ok(outer)
    }

    /// Ends the scope of all values but the first `outer` ones.
    pub(super) fn forget(&mut self, outer: usize) {
        for handle in self.declared.drain(outer..) {
            self.values.remove(&handle);
        }
    }

    pub(super) fn inner(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.writer.module.types)
    }

    pub(super) fn ty(&self, handle: Handle<Expression>) -> Result<String> {
        match &self.info[handle].ty {
            TypeResolution::Handle(ty) => self.writer.ty(*ty),
            TypeResolution::Value(inner) => self.writer.inner(inner),
        }
    }

    /// Declares a constant with the value of an expression.
    pub(super) fn declare(&mut self, handle: Handle<Expression>, value: &str) -> Result<()> {
        let name = match self.function.named_expressions.get(&handle) {
            Some(name) => self.names.take(Some(name)),
            None => format!("e{}", handle.index()),
        };
        let ty = self.ty(handle)?;
        self.line(&format!("const {ty} {name} = {value};"));
        self.values.insert(handle, name);
        self.declared.push(handle);
        Ok(())
    }
}
