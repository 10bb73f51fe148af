//! Values of pairs in the narrowest type that holds them.

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

impl Values {
    /// No values, of the type for values up to `greatest`.
    pub(super) fn none(greatest: u64) -> Self {
        match Width::of(greatest) {
            Width::U8 => Self::U8(Vec::new()),
            Width::U16 => Self::U16(Vec::new()),
            Width::U32 => Self::U32(Vec::new()),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::U32(values) => values.len(),
        }
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
        match self {
            Self::U8(values) => Box::new(up_to(values, max_value)),
            Self::U16(values) => Box::new(up_to(values, max_value)),
            Self::U32(values) => Box::new(up_to(values, max_value)),
        }
    }

    /// Appends values of the same type.
    pub(super) fn append(&mut self, other: &Self) {
        match (self, other) {
            (Self::U8(values), Self::U8(other)) => values.extend_from_slice(other),
            (Self::U16(values), Self::U16(other)) => values.extend_from_slice(other),
            (Self::U32(values), Self::U32(other)) => values.extend_from_slice(other),
            _ => unreachable!("all values of a call have one type"),
        }
    }
}

/// Type of values.
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
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }

    /// Narrows values, which fit.
    pub(super) fn narrow(self, values: Vec<u32>) -> Values {
        match self {
            Self::U8 => Values::U8(values.into_iter().map(|value| value as u8).collect()),
            Self::U16 => Values::U16(values.into_iter().map(|value| value as u16).collect()),
            Self::U32 => Values::U32(values),
        }
    }
}

/// Element type of [`Values`].
pub(super) trait Value: bytemuck::Pod + Default + Ord + Into<u64> + Send + Sync {
    const MAX: Self;

    /// A value that fits.
    fn narrowed(value: u32) -> Self;
    fn values(values: Vec<Self>) -> Values;
    /// The values of this type; none if they are of another.
    fn vec(values: Values) -> Vec<Self>;
}

impl Value for u8 {
    const MAX: Self = u8::MAX;

    #[inline(always)]
    fn narrowed(value: u32) -> Self {
        value as u8
    }

    fn values(values: Vec<Self>) -> Values {
        Values::U8(values)
    }

    fn vec(values: Values) -> Vec<Self> {
        match values {
            Values::U8(values) => values,
            _ => Vec::new(),
        }
    }
}

impl Value for u16 {
    const MAX: Self = u16::MAX;

    #[inline(always)]
    fn narrowed(value: u32) -> Self {
        value as u16
    }

    fn values(values: Vec<Self>) -> Values {
        Values::U16(values)
    }

    fn vec(values: Values) -> Vec<Self> {
        match values {
            Values::U16(values) => values,
            _ => Vec::new(),
        }
    }
}

impl Value for u32 {
    const MAX: Self = u32::MAX;

    #[inline(always)]
    fn narrowed(value: u32) -> Self {
        value
    }

    fn values(values: Vec<Self>) -> Values {
        Values::U32(values)
    }

    fn vec(values: Values) -> Vec<Self> {
        match values {
            Values::U32(values) => values,
            _ => Vec::new(),
        }
    }
}

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
