//! `ALL`, `name()`, `Display` and `FromStr` of enumerations.

/// Implements all of them for an enumeration from its variants and their names; `$what` names it in
/// error messages, and `$is` compares a name with a text.
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),* $(,)?) => {
        $crate::names::named!($type, $what, eq, $($variant = $name),*);
    };
    ($type:ident, $what:literal, $is:ident, $($variant:ident = $name:literal),* $(,)?) => {
        impl $type {
            /// All values, in documentation order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            #[doc = concat!("Name on the command line and in reports:" $(, " `", $name, "`")*, ".")]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

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
