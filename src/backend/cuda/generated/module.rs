//! Declarations of a module: structures, variables, functions and the entry point.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use naga::proc::Layouter;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, EntryPoint, Function, GlobalVariable, Handle,
    Module, Span, StorageAccess, StructMember, Type, TypeInner,
};

use super::names::Names;
use super::{GenerateError, Options, PRELUDE, Result, unsupported};
use crate::kernels::{Access, Launch};

/// Maximum bindings of a kernel, as in `struct Arguments`.
const BINDINGS: u32 = 8;

pub(super) struct ModuleWriter<'a> {
    pub module: &'a Module,
    pub info: &'a ModuleInfo,
    pub options: &'a Options,
    /// Ranges of the WGSL that are translated, if not all of it is.
    parts: Option<&'a [Range<usize>]>,
    pub structures: HashMap<Handle<Type>, String>,
    pub globals: HashMap<Handle<GlobalVariable>, String>,
    pub functions: HashMap<Handle<Function>, String>,
    /// All names of the module.
    pub names: Names,
    out: String,
}

impl<'a> ModuleWriter<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo, options: &'a Options) -> Self {
        Self {
            module,
            info,
            options,
            parts: None,
            structures: HashMap::new(),
            globals: HashMap::new(),
            functions: HashMap::new(),
            names: Names::of_kernel(),
            out: String::new(),
        }
    }

    /// The kernel, with the prelude.
    pub(super) fn kernel(mut self) -> Result<String> {
        let [entry] = &self.module.entry_points[..] else {
            return unsupported("a module without exactly one entry point".to_string());
        };
        self.check_workgroup_memory()?;
        self.out.push_str(PRELUDE);
        self.declarations()?;
        self.entry_point(entry)?;
        Ok(self.out)
    }

    /// The functions, variables, constants and aliases that these ranges of `wgsl` declare, and all
    /// structures of the module.
    pub(super) fn parts(mut self, wgsl: &str, ranges: &'a [Range<usize>]) -> Result<String> {
        self.parts = Some(ranges);
        self.names = Names::of_parts();
        self.declarations()?;
        for text in ranges.iter().filter_map(|range| wgsl.get(range.clone())) {
            for alias in aliases(text) {
                let translated = alias_of(&alias);
                let line = translated.map_or_else(|| unsupported(format!("'{alias}'")), Ok)?;
                self.out.push_str(&line);
            }
        }
        for (handle, constant) in self.module.constants.iter() {
            let span = self.module.constants.get_span(handle);
            if let Some(name) = constant.name.as_ref().filter(|_| self.is_wanted(span)) {
                let (ty, value) = (self.ty(constant.ty)?, self.constant(constant.init)?);
                let _ = writeln!(self.out, "__device__ constexpr {ty} {name} = {value};");
            }
        }
        Ok(self.out)
    }

    /// True if what is declared there is translated.
    fn is_wanted(&self, span: Span) -> bool {
        self.parts.is_none_or(|ranges| {
            let declared = span.to_range().unwrap_or_default();
            ranges
                .iter()
                .any(|range| range.start <= declared.start && declared.end <= range.end)
        })
    }

    /// Writes all but the entry point.
    fn declarations(&mut self) -> Result<()> {
        let module = self.module;
        if !module.overrides.is_empty() {
            return unsupported("an override".to_string());
        }
        for (handle, ty) in module.types.iter() {
            if let TypeInner::Struct { members, .. } = &ty.inner {
                self.structure(handle, ty.name.as_deref(), members)?;
            }
        }
        self.check_layouts()?;
        self.variables()?;
        for (handle, function) in module.functions.iter() {
            if self.is_wanted(module.functions.get_span(handle)) {
                let name = self.names.take(function.name.as_deref());
                self.functions.insert(handle, name.clone());
                self.function(&name, function, &self.info[handle])?;
            }
        }
        Ok(())
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

    /// Writes variables outside of functions, and `Context`.
    fn variables(&mut self) -> Result<()> {
        let module = self.module;
        let (mut params, mut private) = (None, String::new());
        for (handle, variable) in module.global_variables.iter() {
            let is_params = variable.space == AddressSpace::Immediate;
            if !is_params && !self.is_wanted(module.global_variables.get_span(handle)) {
                continue;
            }
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
            "struct Context {{\n    const Arguments& at;\n    const {params}& params;\n{private}}};\n\
             DEVICE Context context_of(const Arguments& at, u32 pass) {{ return {{at, reinterpret_cast<const {params}&>(at.params[pass])}}; }}\n"
        );
        Ok(())
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
        let is_known = |handle, variable: &GlobalVariable| {
            variable.space == AddressSpace::Immediate || self.globals.contains_key(&handle)
        };
        let mut variables = self.module.global_variables.iter();
        if variables.any(|(handle, of)| !info[handle].is_empty() && !is_known(handle, of)) {
            return unsupported("a variable outside of a part".to_string());
        }
        let mut names = self.names.clone();
        let result = match &function.result {
            Some(result) => self.ty(result.ty)?,
            None => "void".to_string(),
        };
        let mut parameters = Vec::new();
        let needs_context = self.needs_context(info);
        if needs_context {
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
        let call = arguments.join(", ");
        let body = self.body(function, info, arguments, names)?;
        let list = parameters.join(", ");
        let _ = write!(self.out, "DEVICE {result} {name}({list}) {{\n{body}}}\n\n");
        if self.parts.is_some() && !needs_context {
            // Hand-written texts need not know which functions use the context.
            parameters.insert(0, "const Context&".to_string());
            let list = parameters.join(", ");
            let _ = write!(
                self.out,
                "DEVICE {result} {name}({list}) {{ return {name}({call}); }}\n\n"
            );
        }
        Ok(())
    }

    fn entry_point(&mut self, entry: &EntryPoint) -> Result<()> {
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
        let body = self.body(&entry.function, info, arguments, names)?;
        let _ = write!(
            self.out,
            "{head}({lanes}) {{\n    Context in = context_of(at, pass);\n{builtins}{body}}}\n"
        );
        Ok(())
    }
}

/// The aliases of a text, of which naga keeps nothing if the type is an alias itself: without
/// comments, line breaks and the semicolon.
fn aliases(text: &str) -> Vec<String> {
    let mut code = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(start);
        code.push_str(before);
        code.push(' ');
        let end = if comment.starts_with("//") {
            "\n"
        } else {
            "*/"
        };
        rest = comment[2..]
            .split_once(end)
            .map_or("", |(_, behind)| behind);
    }
    code.push_str(rest);
    let declarations = code.split([';', '}']);
    let words = declarations.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    words.filter(|it| it.starts_with("alias ")).collect()
}

/// Translates `alias NAME = TYPE`.
fn alias_of(alias: &str) -> Option<String> {
    let (name, ty) = alias.strip_prefix("alias ")?.split_once('=')?;
    let (name, ty) = (name.trim(), ty.replace(' ', ""));
    let of = |template: &str| {
        let (head, arguments) = ty.split_once('<')?;
        (head == template).then(|| arguments.strip_suffix('>'))?
    };
    let vector = || {
        let count = ["vec2", "vec3", "vec4"]
            .into_iter()
            .find(|head| of(head).is_some())?;
        Some(format!("Vector<{}, {}>", of(count)?, &count[3..]))
    };
    let array = || Some(format!("List<{}>", of("array")?));
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let plain = || ty.chars().all(is_name).then(|| ty.clone());
    let ty = vector().or_else(array).or_else(plain)?;
    Some(format!("using {name} = {ty};\n"))
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
