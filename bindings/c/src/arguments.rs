//! Arguments of exported functions: handles, buffers, texts and options.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::str::FromStr;

use swath::pairs;
use swath::query::StringList;

use crate::status::{Failure, Result, SWATH_MEMORY_ERROR, failure, invalid};

/// Symbols are bytes.
pub const SWATH_BYTES: u32 = 1;
/// Symbols are numbers of type `uint32_t`, such as code points.
pub const SWATH_NUMBERS: u32 = 4;

/// A sequence: bytes, or numbers of 32 bits. A byte equals the number of its value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Symbols {
    /// The first symbol. May be null if there are none.
    pub data: *const std::ffi::c_void,
    /// Number of symbols.
    pub len: usize,
    /// `SWATH_BYTES` or `SWATH_NUMBERS`.
    pub width: u32,
}

/// A list of sequences in one buffer: string `i` is `symbols[offsets[i]]` to
/// `symbols[offsets[i + 1]]`, excluded. Without offsets all symbols are one string.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Strings {
    /// The symbols of all strings.
    pub symbols: Symbols,
    /// `len + 1` positions in `symbols`, ascending; or null for one string of all symbols.
    pub offsets: *const u64,
    /// Number of strings; 1 if `offsets` is null.
    pub len: usize,
}

/// Borrows what a pointer points to.
///
/// # Safety
/// The pointer is null, or points to a value that lives and does not change during the call.
pub unsafe fn borrowed<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    check(pointer, name)?;
    // SAFETY: not null, aligned, and valid by the contract.
    Ok(unsafe { &*pointer })
}

fn check<T>(pointer: *const T, name: &str) -> Result<()> {
    if pointer.is_null() {
        return Err(invalid(format!("the argument '{name}' is null")));
    }
    if !pointer.is_aligned() {
        let align = align_of::<T>();
        let message = format!("the argument '{name}' is not aligned to {align} bytes");
        return Err(invalid(message));
    }
    Ok(())
}

/// Variable of the caller that a result is written to.
pub struct Output<T>(*mut T);

impl<T> Output<T> {
    /// # Safety
    /// The pointer is null, or points to memory for a value.
    pub unsafe fn of(pointer: *mut T, name: &str) -> Result<Self> {
        check(pointer, name)?;
        Ok(Self(pointer))
    }

    pub fn put(&self, value: T) {
        // SAFETY: by the contract of `of`; what was there is not read.
        unsafe { self.0.write(value) }
    }
}

impl<T> Output<*mut T> {
    /// Hands a value over to the caller.
    pub fn give(&self, value: T) {
        self.put(Box::into_raw(Box::new(value)));
    }
}

/// # Safety
/// The pointer points to `len` values that live and do not change during the call, or `len` is 0.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize, name: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    check(pointer, name)?;
    if len > isize::MAX as usize / size_of::<T>() {
        let message = format!("the argument '{name}' has {len} elements, more than memory holds");
        return Err(invalid(message));
    }
    // SAFETY: not null, aligned, within the address space, and valid by the contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// # Safety
/// The pointer is null, or points to a text that ends with a zero.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: by the contract.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    let text = text.map_err(|_| invalid(format!("the argument '{name}' is not valid UTF-8")))?;
    Ok(Some(text))
}

/// A value by its name; the default one for null.
///
/// # Safety
/// As for [`text`].
pub unsafe fn named<T>(pointer: *const c_char, name: &str) -> Result<T>
where
    T: FromStr<Err = swath::Error> + Default,
{
    // SAFETY: as for this function.
    match unsafe { text(pointer, name) }? {
        None => Ok(T::default()),
        Some(text) => Ok(text.parse::<T>()?),
    }
}

/// A struct that callers fill in: its first field is its size, and zeros are the defaults.
///
/// # Safety
/// `repr(C)`, the first field is a `usize`, and all zeros are a value.
pub unsafe trait Extensible: Copy {
    const NAME: &'static str;
}

/// Implements [`Extensible`] for a struct of these rules with its name in C.
macro_rules! extensible {
    ($type:ty, $name:literal) => {
        // SAFETY: the first field is the size; null and zeros are values.
        unsafe impl $crate::arguments::Extensible for $type {
            const NAME: &'static str = $name;
        }
    };
}

pub(crate) use extensible;

/// Options of a caller, whose struct may be that of an older or newer header.
///
/// # Safety
/// The pointer is null, or points to a struct whose first field is its size in bytes.
pub unsafe fn options<T: Extensible>(pointer: *const T, name: &str) -> Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    if !pointer.is_null() {
        check(pointer, name)?;
        // SAFETY: the first field is the size.
        let (given, size) = (unsafe { pointer.cast::<usize>().read() }, size_of::<T>());
        if given < size_of::<usize>() {
            return Err(wrong_size::<T>(given, name));
        }
        // SAFETY: the struct has `given` bytes.
        unsafe {
            let bytes = pointer.cast::<u8>();
            bytes.copy_to_nonoverlapping(value.as_mut_ptr().cast(), given.min(size));
            let unknown = slice(bytes.wrapping_add(size), given.saturating_sub(size), name)?;
            if unknown.iter().any(|&byte| byte != 0) {
                let message = format!(
                    "the argument '{name}' sets an option that this library (version {}) lacks; \
                     set it to 0, or install a newer library",
                    env!("CARGO_PKG_VERSION")
                );
                return Err(invalid(message));
            }
        }
    }
    // SAFETY: all zeros are a value, and what was copied comes from one.
    Ok(unsafe { value.assume_init() })
}

/// Checks that only bits of `known` are set.
pub fn flags(flags: u32, known: u32, name: &str) -> Result<u32> {
    match flags & !known {
        0 => Ok(flags),
        unknown => Err(invalid(format!(
            "the argument '{name}' has unknown flags {unknown:#x}; known are {known:#x}"
        ))),
    }
}

/// Copies values, with an error if there is no memory for them.
pub fn copied<T: Copy>(values: &[T], name: &str) -> Result<Vec<T>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len())
        .map_err(|_| out_of_memory(size_of_val(values), name))?;
    copy.extend_from_slice(values);
    Ok(copy)
}

pub fn out_of_memory(bytes: usize, name: &str) -> Failure {
    failure(
        SWATH_MEMORY_ERROR,
        format!("the system cannot allocate {bytes} bytes for '{name}'; free memory, or give less"),
    )
}

impl Symbols {
    /// A copy of the symbols.
    ///
    /// # Safety
    /// `data` points to `len` symbols of the width.
    pub unsafe fn copied(&self, name: &str) -> Result<swath::query::Symbols<'static>> {
        // SAFETY: as for this function.
        unsafe {
            match self.width {
                SWATH_BYTES => {
                    let bytes = slice(self.data.cast::<u8>(), self.len, name)?;
                    Ok(swath::query::Symbols::Bytes(copied(bytes, name)?.into()))
                }
                SWATH_NUMBERS => {
                    let numbers = slice(self.data.cast::<u32>(), self.len, name)?;
                    Ok(swath::query::Symbols::Numbers(
                        copied(numbers, name)?.into(),
                    ))
                }
                width => Err(invalid(format!(
                    "the symbols of '{name}' have the width {width}; set it to SWATH_BYTES (1) or \
                     SWATH_NUMBERS (4)"
                ))),
            }
        }
    }
}

impl Strings {
    /// A copy of the list.
    ///
    /// # Safety
    /// `symbols` and `offsets` are as their fields say.
    pub unsafe fn copied(&self, name: &str) -> Result<StringList<'static>> {
        let offsets = if self.offsets.is_null() && self.len == 1 {
            vec![0, self.symbols.len as u64]
        } else {
            let count = match self.len {
                0 => 0,
                len => len.saturating_add(1),
            };
            let name = &format!("{name}.offsets");
            // SAFETY: as for this function.
            copied(unsafe { slice(self.offsets, count, name) }?, name)?
        };
        // SAFETY: as for this function.
        Ok(match unsafe { self.symbols.copied(name) }? {
            swath::query::Symbols::Bytes(bytes) => {
                StringList::Bytes(pairs::Strings::new(bytes, offsets)?)
            }
            swath::query::Symbols::Numbers(numbers) => {
                StringList::Numbers(pairs::Strings::new(numbers, offsets)?)
            }
            swath::query::Symbols::Letters(_) => {
                return Err(invalid(format!("'{name}' has letters")));
            }
        })
    }

    /// A copy of each string.
    ///
    /// # Safety
    /// As for [`copied`](Self::copied).
    pub unsafe fn records(&self, name: &str) -> Result<Vec<swath::query::Symbols<'static>>> {
        fn records<S: swath::Symbol>(list: &pairs::Strings<'_, S>) -> Vec<Cow<'static, [S]>> {
            list.iter().map(|record| record.to_vec().into()).collect()
        }
        if self.offsets.is_null() && self.len == 1 {
            // SAFETY: as for this function.
            return Ok(vec![unsafe { self.symbols.copied(name) }?]);
        }
        // SAFETY: as for this function.
        let list = unsafe { self.copied(name) }?;
        Ok(match &list {
            StringList::Bytes(list) => {
                let records = records(list).into_iter();
                records.map(swath::query::Symbols::Bytes).collect()
            }
            StringList::Numbers(list) => {
                let records = records(list).into_iter();
                records.map(swath::query::Symbols::Numbers).collect()
            }
            StringList::Letters(_) => Vec::new(),
        })
    }
}

/// Writes a struct whose first field is its size to the caller's, as far as that goes.
pub struct SizedOutput<T> {
    pointer: *mut T,
    size: usize,
}

impl<T: Extensible> SizedOutput<T> {
    /// # Safety
    /// The pointer is null, or points to a struct whose first field is its size in bytes.
    pub unsafe fn of(pointer: *mut T, name: &str) -> Result<Self> {
        check(pointer, name)?;
        // SAFETY: the first field is the size.
        let size = unsafe { pointer.cast::<usize>().read() };
        if size < size_of::<usize>() {
            return Err(wrong_size::<T>(size, name));
        }
        Ok(Self { pointer, size })
    }

    /// Writes all fields but the size.
    pub fn put(&self, value: &T) {
        let (first, size) = (size_of::<usize>(), self.size.min(size_of::<T>()));
        // SAFETY: both structs have `size` bytes, and the first field is behind none of them.
        unsafe {
            let from = std::ptr::from_ref(value).cast::<u8>().add(first);
            let to = self.pointer.cast::<u8>().add(first);
            to.copy_from_nonoverlapping(from, size - first);
        }
    }
}

fn wrong_size<T: Extensible>(given: usize, name: &str) -> Failure {
    invalid(format!(
        "the size in the argument '{name}' is {given}; set it to sizeof({})",
        T::NAME
    ))
}
