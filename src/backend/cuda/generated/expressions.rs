//! Expressions of functions: values, places in memory and loads.

use naga::proc::TypeResolution;
use naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, RelationalFunction, StorageAccess,
    Type, TypeInner,
};

use super::constants::{COMPONENTS, Part};
use super::functions::FunctionWriter;
use super::{Result, unsupported};

impl FunctionWriter<'_, '_> {
    /// Text of an expression: of a pointer, the place that it points to.
    pub(super) fn expression(&self, handle: Handle<Expression>) -> Result<String> {
        if let Some(name) = self.values.get(&handle) {
            return Ok(name.clone());
        }
        Ok(match &self.function.expressions[handle] {
            Expression::Compose { ty, components } => {
                let part = |&part| {
                    Ok(Part {
                        text: self.expression(part)?,
                        inner: self.inner(part),
                    })
                };
                let parts = components.iter().map(part).collect::<Result<Vec<_>>>()?;
                self.writer.compose(*ty, &parts)?
            }
            Expression::Splat { value, .. } => {
                format!("splat<{}>({})", self.ty(handle)?, self.expression(*value)?)
            }
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let vector = self.expression(*vector)?;
                let components: Vec<_> = pattern[..*size as usize]
                    .iter()
                    .map(|component| format!("{vector}.{}", COMPONENTS[*component as usize]))
                    .collect();
                format!("{}{{{}}}", self.ty(handle)?, components.join(", "))
            }
            Expression::FunctionArgument(index) => self.arguments[*index as usize].clone(),
            Expression::LocalVariable(variable) => self.locals[variable].clone(),
            Expression::GlobalVariable(variable) => self.global(*variable),
            Expression::Access { base, index } => {
                let index = self.expression(*index)?;
                self.element(*base, &index, true)?
            }
            Expression::AccessIndex { base, index } => self.member(*base, *index)?,
            Expression::Load { pointer } => return self.unnamed(*pointer, "a load"),
            Expression::Unary { op, expr } => self.unary(*op, *expr)?,
            Expression::Binary { op, left, right } => self.binary(*op, *left, *right)?,
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let is_vector = matches!(self.inner(*condition), TypeInner::Vector { .. });
                let [condition, accept, reject] = [
                    self.expression(*condition)?,
                    self.expression(*accept)?,
                    self.expression(*reject)?,
                ];
                if is_vector {
                    format!("select({reject}, {accept}, {condition})")
                } else {
                    format!("({condition} ? {accept} : {reject})")
                }
            }
            Expression::Relational { fun, argument } => {
                let argument = self.expression(*argument)?;
                match fun {
                    RelationalFunction::All => format!("all({argument})"),
                    RelationalFunction::Any => format!("any({argument})"),
                    other => return unsupported(format!("the function {other:?}")),
                }
            }
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3: None,
            } => self.math(*fun, &[Some(*arg), *arg1, *arg2])?,
            Expression::As { expr, convert, .. } => {
                self.conversion(handle, *expr, convert.is_some())?
            }
            Expression::ArrayLength(array) => self.length(*array)?,
            other => match self.writer.leaf(other) {
                Some(text) => text?,
                None => return self.unnamed(handle, "the expression"),
            },
        })
    }

    /// An expression whose value depends on when it is computed has a name if it is in scope.
    fn unnamed<T>(&self, handle: Handle<Expression>, what: &str) -> Result<T> {
        let expression = &self.function.expressions[handle];
        unsupported(format!("{what} {expression:?} outside of its scope"))
    }

    /// Text of a load at the moment of its evaluation.
    pub(super) fn load(&self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.expression(pointer)?;
        Ok(if self.is_atomic(pointer) {
            format!("atomic_load(&{place})")
        } else if self.is_read_only(pointer) {
            format!("load_read_only(&{place})")
        } else {
            place
        })
    }

    /// Type that a value or place has, if it is declared.
    fn declared(&self, handle: Handle<Expression>) -> Option<Handle<Type>> {
        let types = &self.writer.module.types;
        match self.info[handle].ty {
            TypeResolution::Handle(ty) => match types[ty].inner {
                TypeInner::Pointer { base, .. } => Some(base),
                _ => Some(ty),
            },
            TypeResolution::Value(TypeInner::Pointer { base, .. }) => Some(base),
            TypeResolution::Value(_) => None,
        }
    }

    /// Type of a value, or of the place of a pointer.
    fn place_type(&self, handle: Handle<Expression>) -> &TypeInner {
        self.declared(handle).map_or_else(
            || self.inner(handle),
            |ty| &self.writer.module.types[ty].inner,
        )
    }

    /// A member, component or element of constant index.
    fn member(&self, base: Handle<Expression>, index: u32) -> Result<String> {
        match (self.place_type(base), self.declared(base)) {
            (TypeInner::Struct { .. }, Some(ty)) => {
                let member = self.writer.member(ty, index)?;
                Ok(format!("{}.{member}", self.expression(base)?))
            }
            (TypeInner::Vector { .. } | TypeInner::ValuePointer { .. }, _) => Ok(format!(
                "{}.{}",
                self.expression(base)?,
                COMPONENTS[index as usize]
            )),
            // naga has compared the index with the length of the others.
            (
                TypeInner::Array {
                    size: ArraySize::Dynamic,
                    ..
                },
                _,
            ) => self.element(base, &format!("{index}u"), true),
            _ => self.element(base, &format!("{index}u"), false),
        }
    }

    /// An element of an array or vector.
    fn element(&self, base: Handle<Expression>, index: &str, may_exceed: bool) -> Result<String> {
        let array = self.expression(base)?;
        if !self.writer.options.checks || !may_exceed {
            return Ok(format!("{array}[{index}]"));
        }
        let count = match *self.place_type(base) {
            TypeInner::Array {
                size: ArraySize::Constant(count),
                ..
            } => format!("{count}u"),
            TypeInner::Array {
                size: ArraySize::Dynamic,
                ..
            } => self.length(base)?,
            TypeInner::Vector { size, .. }
            | TypeInner::ValuePointer {
                size: Some(size), ..
            } => format!("{}u", size as u32),
            ref other => return unsupported(format!("an index of {other:?}")),
        };
        Ok(format!("{array}[within({index}, {count})]"))
    }

    /// Number of elements of the array of a binding.
    fn length(&self, array: Handle<Expression>) -> Result<String> {
        let module = self.writer.module;
        if let Expression::GlobalVariable(variable) = self.function.expressions[array] {
            let variable = &module.global_variables[variable];
            let ty = &module.types[variable.ty].inner;
            if let (TypeInner::Array { base, .. }, Some(binding)) = (ty, &variable.binding) {
                let element = self.writer.ty(*base)?;
                let number = binding.binding;
                return Ok(format!("array_length<{element}>(in.at, {number}u)"));
            }
        }
        unsupported("the length of an array that is no binding of its own".to_string())
    }

    fn global(&self, handle: Handle<GlobalVariable>) -> String {
        let variable = &self.writer.module.global_variables[handle];
        let name = &self.writer.globals[&handle];
        match (variable.space, &self.writer.module.types[variable.ty].inner) {
            (AddressSpace::Immediate, _) => "in.params".to_string(),
            (AddressSpace::Private, _) => format!("in.{name}"),
            (
                AddressSpace::Storage { .. },
                TypeInner::Array {
                    size: ArraySize::Dynamic,
                    ..
                },
            ) => format!("{name}(in.at)"),
            (AddressSpace::Storage { .. }, _) => format!("(*{name}(in.at))"),
            _ => name.clone(),
        }
    }

    pub(super) fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        matches!(self.place_type(pointer), TypeInner::Atomic(_))
    }

    /// True for a place in a buffer that the kernel does not write.
    fn is_read_only(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.is_read_only(base)
            }
            Expression::GlobalVariable(variable) => matches!(
                self.writer.module.global_variables[variable].space,
                AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE)
            ),
            _ => false,
        }
    }
}
