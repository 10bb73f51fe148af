//! `Display` and `FromStr` for enumerations with `ALL` and `name()`.

/// Implements both for `$type`; `$what` names it in error messages, and `$is` compares a text with
/// a name.
macro_rules! named {
    ($type:ty, $what:literal) => {
        $crate::names::named!($type, $what, eq);
    };
    ($type:ty, $what:literal, $is:ident) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(text: &str) -> $crate::Result<Self> {
                Self::ALL
                    .into_iter()
                    .find(|value| value.name().$is(text))
                    .ok_or_else(|| {
                        let known: Vec<_> = Self::ALL.iter().map(|value| value.name()).collect();
                        $crate::Error::UnknownName {
                            what: $what,
                            given: text.to_string(),
                            known: known.join(", "),
                        }
                    })
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named;
