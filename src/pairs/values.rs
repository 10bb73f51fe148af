//! Values of pairs, in the narrowest type that holds them.

/// Values of consecutive pairs, in the smallest unsigned type that holds every possible value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum Values {
    /// No value exceeds 255.
    U8(Vec<u8>),
    /// No value exceeds 65,535.
    U16(Vec<u16>),
    /// Any values.
    U32(Vec<u32>),
}

/// A query, a target and their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PairValue {
    /// Position of the query in its list.
    pub query: usize,
    /// Position of the target in its list.
    pub target: usize,
    /// Distance, or length.
    pub value: u32,
}

/// Evaluates `$result` with the type `$value` of values of this width.
macro_rules! for_width {
    ($width:expr, $value:ident => $result:expr) => {
        match $width {
            $crate::pairs::values::Width::U8 => {
                type $value = u8;
                $result
            }
            $crate::pairs::values::Width::U16 => {
                type $value = u16;
                $result
            }
            $crate::pairs::values::Width::U32 => {
                type $value = u32;
                $result
            }
        }
    };
}
pub(super) use for_width;

macro_rules! for_values {
    ($values:expr, $each:ident => $result:expr) => {
        match $values {
            Self::U8($each) => $result,
            Self::U16($each) => $result,
            Self::U32($each) => $result,
        }
    };
}

impl Values {
    /// No values, of the type for values up to `greatest`.
    pub(super) fn none(greatest: u64) -> Self {
        Width::of(greatest).narrow(Vec::new())
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        for_values!(self, values => values.len())
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Value at `index`, or `None` behind the last one.
    pub fn get(&self, index: usize) -> Option<u32> {
        match self {
            Self::U8(values) => values.get(index).map(|&value| value.into()),
            Self::U16(values) => values.get(index).map(|&value| value.into()),
            Self::U32(values) => values.get(index).copied(),
        }
    }

    /// The values, widened.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// Indices and values of those that do not exceed `max_value`.
    pub(super) fn up_to(&self, max_value: u64) -> Box<dyn Iterator<Item = (usize, u32)> + '_> {
        for_values!(self, values => Box::new(up_to(values, max_value)))
    }

    pub(super) fn append(&mut self, other: &Self) {
        match (self, other) {
            (Self::U8(values), Self::U8(other)) => values.extend_from_slice(other),
            (Self::U16(values), Self::U16(other)) => values.extend_from_slice(other),
            (Self::U32(values), Self::U32(other)) => values.extend_from_slice(other),
            _ => unreachable!("all values of a call have one type"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    U8,
    U16,
    U32,
}

impl Width {
    /// The narrowest type for values up to `greatest`.
    pub(super) fn of(greatest: u64) -> Self {
        match greatest {
            0..=0xFF => Self::U8,
            0x100..=0xFFFF => Self::U16,
            _ => Self::U32,
        }
    }

    pub(super) fn bytes(self) -> u64 {
        for_width!(self, T => size_of::<T>() as u64)
    }

    pub(super) fn narrow(self, values: Vec<u32>) -> Values {
        for_width!(self, T => T::values(values.into_iter().map(T::narrowed).collect()))
    }
}

/// Element type of [`Values`].
pub(super) trait Value: bytemuck::Pod + Default + Ord + Into<u64> + Send + Sync {
    const MAX: Self;

    fn narrowed(value: u32) -> Self;
    fn values(values: Vec<Self>) -> Values;
    /// The values of this type; none if they are of another.
    fn vec(values: Values) -> Vec<Self>;
}

macro_rules! value {
    ($type:ty, $variant:ident) => {
        impl Value for $type {
            const MAX: Self = Self::MAX;

            #[inline(always)]
            fn narrowed(value: u32) -> Self {
                value as Self
            }

            fn values(values: Vec<Self>) -> Values {
                Values::$variant(values)
            }

            fn vec(values: Values) -> Vec<Self> {
                match values {
                    Values::$variant(values) => values,
                    _ => Vec::new(),
                }
            }
        }
    };
}

value!(u8, U8);
value!(u16, U16);
value!(u32, U32);

/// Values that are searched at once.
const SEARCHED: usize = 256;

/// As [`Values::up_to`]. Most stretches of a bounded comparison have no such value: their minimum
/// is found in SIMD registers.
fn up_to<T: Value>(values: &[T], max_value: u64) -> impl Iterator<Item = (usize, u32)> {
    let stretches = values.chunks(SEARCHED).enumerate();
    let has_any = move |(_, values): &(usize, &[T])| {
        let least = values.iter().copied().fold(T::MAX, T::min);
        least.into() <= max_value
    };
    stretches
        .filter(has_any)
        .flat_map(move |(stretch, values)| {
            let place =
                move |(index, &value): (usize, &T)| (stretch * SEARCHED + index, value.into());
            let here = values.iter().enumerate().map(place);
            here.filter(move |&(_, value)| value <= max_value)
                .map(|(index, value)| (index, value as u32))
        })
}
