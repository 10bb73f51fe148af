//! Types of the translation and their layout.

use naga::{AddressSpace, ArraySize, Handle, Scalar, ScalarKind, Type, TypeInner, VectorSize};

use super::module::ModuleWriter;
use super::{Result, unsupported};

/// Size and alignment of a type in C++.
#[derive(Clone, Copy)]
struct Layout {
    size: u32,
    align: u32,
}

pub(super) fn scalar(scalar: Scalar) -> Result<&'static str> {
    Ok(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::Uint, 4) => "u32",
        (ScalarKind::Sint, 4) => "i32",
        (ScalarKind::Uint, 8) => "u64",
        (ScalarKind::Sint, 8) => "i64",
        (ScalarKind::Float, 4) => "f32",
        (ScalarKind::Float, 8) => "f64",
        (kind, width) => return unsupported(format!("{kind:?} of {width} bytes")),
    })
}

fn vector(size: VectorSize, of: Scalar) -> Result<String> {
    Ok(format!("Vector<{}, {}>", scalar(of)?, size as u32))
}

impl ModuleWriter<'_> {
    /// Name of a type; of a pointer, that of what it points to.
    pub(super) fn ty(&self, handle: Handle<Type>) -> Result<String> {
        if let Some(name) = self.structures.get(&handle) {
            return Ok(name.clone());
        }
        self.inner(&self.module.types[handle].inner)
    }

    /// Name of a type other than a structure.
    pub(super) fn inner(&self, inner: &TypeInner) -> Result<String> {
        match *inner {
            TypeInner::Scalar(of) | TypeInner::Atomic(of) => Ok(scalar(of)?.to_string()),
            TypeInner::Vector { size, scalar } => vector(size, scalar),
            TypeInner::Array {
                base,
                size: ArraySize::Constant(count),
                ..
            } => Ok(format!("List<{}, {count}>", self.ty(base)?)),
            TypeInner::Pointer { base, .. } => self.ty(base),
            TypeInner::ValuePointer {
                size: Some(size),
                scalar,
                ..
            } => vector(size, scalar),
            TypeInner::ValuePointer {
                size: None,
                scalar: of,
                ..
            } => Ok(scalar(of)?.to_string()),
            ref other => unsupported(format!("the type {other:?}")),
        }
    }

    pub(super) fn member(&self, structure: Handle<Type>, index: u32) -> Result<String> {
        let TypeInner::Struct { members, .. } = &self.module.types[structure].inner else {
            return unsupported("a member of something else than a structure".to_string());
        };
        let name = members[index as usize].name.clone();
        let name = name.unwrap_or_else(|| format!("member{index}"));
        Ok(self.names.identifier(&name))
    }

    /// Refuses types of buffers and parameters whose layout in C++ differs from that in WGSL.
    pub(super) fn check_layouts(&self) -> Result<()> {
        for (_, variable) in self.module.global_variables.iter() {
            let mut ty = variable.ty;
            if let TypeInner::Array {
                base,
                size: ArraySize::Dynamic,
                stride,
            } = self.module.types[ty].inner
            {
                self.check_stride(base, stride)?;
                ty = base;
            }
            match variable.space {
                AddressSpace::Storage { .. } => _ = self.layout(ty)?,
                // Words of the host.
                AddressSpace::Immediate if self.layout(ty)?.align > 4 => {
                    return unsupported("parameters that are not 32-bit words".to_string());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_stride(&self, element: Handle<Type>, stride: u32) -> Result<Layout> {
        let layout = self.layout(element)?;
        if layout.size != stride {
            return unsupported(format!("the layout of {}", self.ty(element)?));
        }
        Ok(layout)
    }

    /// Layout of a type in C++, if it is that of the WGSL.
    fn layout(&self, handle: Handle<Type>) -> Result<Layout> {
        let of = |size, align| Ok(Layout { size, align });
        match &self.module.types[handle].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                of(scalar.width.into(), scalar.width.into())
            }
            TypeInner::Vector { size, scalar } => {
                let size = (*size as u32).next_power_of_two() * u32::from(scalar.width);
                of(size, size)
            }
            TypeInner::Array {
                base,
                size: ArraySize::Constant(count),
                stride,
            } => {
                let element = self.check_stride(*base, *stride)?;
                of(element.size * count.get(), element.align)
            }
            TypeInner::Struct { members, span } => {
                let (mut end, mut align) = (0u32, 1);
                let mut is_equal = true;
                for member in members {
                    let layout = self.layout(member.ty)?;
                    is_equal &= end.next_multiple_of(layout.align) == member.offset;
                    end = member.offset + layout.size;
                    align = align.max(layout.align);
                }
                let size = end.next_multiple_of(align);
                if !is_equal || size != *span {
                    return unsupported(format!("the layout of {}", self.ty(handle)?));
                }
                of(size, align)
            }
            other => unsupported(format!("a buffer of {other:?}")),
        }
    }
}
