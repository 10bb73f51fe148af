//! Declarations of a module: structures, variables, functions and the entry point.

use std::collections::HashMap;
use std::fmt::Write;

use naga::proc::Layouter;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, EntryPoint, Function, GlobalVariable, Handle,
    Module, StorageAccess, StructMember, Type, TypeInner,
};

use super::functions::FunctionWriter;
use super::names::Names;
use super::{GenerateError, Options, PRELUDE, Result, unsupported};
use crate::kernels::{Access, Launch};

/// Maximum bindings of a kernel, as in `struct Arguments`.
const BINDINGS: u32 = 8;

/// Writer of one module.
pub(super) struct ModuleWriter<'a> {
    pub module: &'a Module,
    pub info: &'a ModuleInfo,
    pub options: &'a Options,
    /// Names of structures.
    pub structures: HashMap<Handle<Type>, String>,
    pub globals: HashMap<Handle<GlobalVariable>, String>,
    pub functions: HashMap<Handle<Function>, String>,
    /// All names of the module.
    names: Names,
    out: String,
}

impl<'a> ModuleWriter<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo, options: &'a Options) -> Self {
        Self {
            module,
            info,
            options,
            structures: HashMap::new(),
            globals: HashMap::new(),
            functions: HashMap::new(),
            names: Names::default(),
            out: String::new(),
        }
    }

    pub(super) fn write(mut self) -> Result<String> {
        let module = self.module;
        let [entry] = &module.entry_points[..] else {
            return unsupported("a module without exactly one entry point".to_string());
        };
        if !module.overrides.is_empty() {
            return unsupported("an override".to_string());
        }
        self.check_workgroup_memory()?;
        self.out.push_str(PRELUDE);
        for (handle, ty) in module.types.iter() {
            if let TypeInner::Struct { members, .. } = &ty.inner {
                self.structure(handle, ty.name.as_deref(), members)?;
            }
        }
        self.check_layouts()?;
        let params = self.variables()?;
        for (handle, function) in module.functions.iter() {
            let name = self.names.take(function.name.as_deref());
            self.functions.insert(handle, name.clone());
            self.function(&name, function, &self.info[handle])?;
        }
        self.entry_point(entry, &params)?;
        Ok(self.out)
    }

    fn check_workgroup_memory(&self) -> Result<()> {
        let mut layouts = Layouter::default();
        if layouts.update(self.module.to_ctx()).is_err() {
            return unsupported("the layout of a type".to_string());
        }
        let variables = self.module.global_variables.iter();
        let bytes = variables
            .filter(|(_, variable)| variable.space == AddressSpace::WorkGroup)
            .map(|(_, variable)| u64::from(layouts[variable.ty].size))
            .sum();
        let limit = self.options.workgroup_bytes;
        if bytes > limit.into() {
            return Err(GenerateError::WorkgroupMemory { bytes, limit });
        }
        Ok(())
    }

    fn structure(
        &mut self,
        handle: Handle<Type>,
        name: Option<&str>,
        members: &[StructMember],
    ) -> Result<()> {
        let name = self.names.take(name);
        self.structures.insert(handle, name.clone());
        let _ = writeln!(self.out, "struct {name} {{");
        for (index, member) in (0..).zip(members) {
            let (ty, name) = (self.ty(member.ty)?, self.member(handle, index)?);
            let _ = writeln!(self.out, "    {ty} {name};");
        }
        self.out.push_str("};\n");
        Ok(())
    }

    /// Writes variables outside of functions, and `Context`. Returns the type of the parameters.
    fn variables(&mut self) -> Result<String> {
        let module = self.module;
        let (mut params, mut private) = (None, String::new());
        for (handle, variable) in module.global_variables.iter() {
            let name = self.names.take(variable.name.as_deref());
            match variable.space {
                AddressSpace::WorkGroup => {
                    let ty = self.ty(variable.ty)?;
                    let _ = writeln!(self.out, "__shared__ {ty} {name};");
                }
                AddressSpace::Private => {
                    let ty = self.ty(variable.ty)?;
                    let init = variable.init.map(|init| self.constant(init)).transpose()?;
                    let init = init.unwrap_or_else(|| format!("{ty}{{}}"));
                    let _ = writeln!(private, "    {ty} {name} = {init};");
                }
                AddressSpace::Immediate => params = Some(self.ty(variable.ty)?),
                AddressSpace::Storage { access } => self.buffer(&name, variable, access)?,
                other => return unsupported(format!("a variable of the address space {other:?}")),
            }
            self.globals.insert(handle, name);
        }
        let params = params.unwrap_or_else(|| "u32".to_string());
        let _ = writeln!(
            self.out,
            "struct Context {{\n    const Arguments& at;\n    const {params}& params;\n{private}}};\n"
        );
        Ok(params)
    }

    /// Writes a function that returns the address of a buffer.
    fn buffer(
        &mut self,
        name: &str,
        variable: &GlobalVariable,
        access: StorageAccess,
    ) -> Result<()> {
        let number = self.bound(variable, access)?;
        let ty = match self.module.types[variable.ty].inner {
            TypeInner::Array {
                base,
                size: ArraySize::Dynamic,
                ..
            } => self.ty(base)?,
            _ => self.ty(variable.ty)?,
        };
        let is_written = access.contains(StorageAccess::STORE);
        let qualifier = if is_written { "" } else { "const " };
        let _ = writeln!(
            self.out,
            "DEVICE {qualifier}{ty}* {name}(const Arguments& at) {{ return static_cast<{qualifier}{ty}*>(at.binding[{number}]); }}"
        );
        Ok(())
    }

    /// Number of the binding of a buffer, if the host binds it with the same access and enough
    /// words for all of it, or for the first element of an array without a length.
    fn bound(&self, variable: &GlobalVariable, access: StorageAccess) -> Result<u32> {
        let refused = |reason| {
            Err(GenerateError::Binding {
                name: variable.name.clone().unwrap_or_default(),
                reason,
            })
        };
        let Some(binding) = variable.binding.filter(|binding| binding.group == 0) else {
            return refused("it is not in group 0");
        };
        let host = self
            .options
            .bindings
            .iter()
            .find(|(number, _)| *number == binding.binding);
        let declared = if access.contains(StorageAccess::STORE) {
            Access::ReadWrite
        } else {
            Access::Read
        };
        match host {
            None => return refused("nothing is bound there"),
            Some((number, _)) if *number >= BINDINGS => return refused("its number is too large"),
            Some((_, host)) if *host != declared => return refused("its access differs"),
            Some(_) => {}
        }
        let size = self.module.types[variable.ty]
            .inner
            .try_size(self.module.to_ctx());
        let words = size.map(|bytes| u64::from(bytes).div_ceil(4));
        let least = self.options.buffer_words;
        if least > 0 && words.is_none_or(|words| words > least) {
            return refused("the buffer may be smaller");
        }
        Ok(binding.binding)
    }

    /// True if a function uses bindings, parameters or private variables, itself or by its calls.
    pub(super) fn needs_context(&self, info: &FunctionInfo) -> bool {
        let is_in_context = |space| {
            matches!(
                space,
                AddressSpace::Storage { .. } | AddressSpace::Immediate | AddressSpace::Private
            )
        };
        let mut variables = self.module.global_variables.iter();
        variables
            .any(|(handle, variable)| is_in_context(variable.space) && !info[handle].is_empty())
    }

    fn function(&mut self, name: &str, function: &Function, info: &FunctionInfo) -> Result<()> {
        let mut names = self.names.clone();
        let result = match &function.result {
            Some(result) => self.ty(result.ty)?,
            None => "void".to_string(),
        };
        let mut parameters = Vec::new();
        if self.needs_context(info) {
            parameters.push("Context& in".to_string());
        }
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            let name = names.take(argument.name.as_deref());
            let inner = &self.module.types[argument.ty].inner;
            let ty = self.ty(argument.ty)?;
            parameters.push(if inner.pointer_space().is_some() {
                format!("{ty}& {name}")
            } else {
                format!("const {ty} {name}")
            });
            arguments.push(name);
        }
        let body = FunctionWriter::new(self, function, info, arguments, names).body()?;
        let parameters = parameters.join(", ");
        let _ = write!(
            self.out,
            "DEVICE {result} {name}({parameters}) {{\n{body}}}\n\n"
        );
        Ok(())
    }

    fn entry_point(&mut self, entry: &EntryPoint, params: &str) -> Result<()> {
        let [lanes, 1, 1] = entry.workgroup_size else {
            return unsupported("a workgroup of more than one dimension".to_string());
        };
        let head = match self.options.launch {
            Launch::Separate => "KERNEL",
            Launch::Cooperative => "KERNEL_IN_STEP",
            Launch::Chained => return unsupported("a launch of chained passes".to_string()),
        };
        let mut names = self.names.clone();
        let (mut arguments, mut builtins) = (Vec::new(), String::new());
        for argument in &entry.function.arguments {
            let Some(Binding::BuiltIn(builtin)) = argument.binding else {
                return unsupported(
                    "an argument of the entry point without a built-in".to_string(),
                );
            };
            let (ty, value) = (self.ty(argument.ty)?, builtin_value(builtin, lanes)?);
            let name = names.take(argument.name.as_deref());
            let _ = writeln!(builtins, "    const {ty} {name} = {value};");
            arguments.push(name);
        }
        let info = self.info.get_entry_point(0);
        let body = FunctionWriter::new(self, &entry.function, info, arguments, names).body()?;
        let _ = write!(
            self.out,
            "{head}({lanes}) {{\n    Context in = {{at, reinterpret_cast<const {params}&>(at.params[pass])}};\n{builtins}{body}}}\n"
        );
        Ok(())
    }
}

fn builtin_value(builtin: BuiltIn, lanes: u32) -> Result<String> {
    Ok(match builtin {
        BuiltIn::WorkGroupId => "Vector<u32, 3>{blockIdx.x, blockIdx.y, blockIdx.z}".to_string(),
        BuiltIn::NumWorkGroups => "Vector<u32, 3>{gridDim.x, gridDim.y, gridDim.z}".to_string(),
        BuiltIn::LocalInvocationIndex => "threadIdx.x".to_string(),
        BuiltIn::LocalInvocationId => "Vector<u32, 3>{threadIdx.x, 0u, 0u}".to_string(),
        BuiltIn::GlobalInvocationId => {
            format!("Vector<u32, 3>{{blockIdx.x * {lanes}u + threadIdx.x, blockIdx.y, blockIdx.z}}")
        }
        BuiltIn::SubgroupInvocationId => "threadIdx.x % 32u".to_string(),
        BuiltIn::SubgroupSize => "32u".to_string(),
        BuiltIn::SubgroupId => "threadIdx.x / 32u".to_string(),
        BuiltIn::NumSubgroups => format!("{}u", lanes.div_ceil(32)),
        other => return unsupported(format!("the built-in {other:?}")),
    })
}
