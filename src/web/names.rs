//! The names of an enum's variants, as options, messages and tables have them, in one table for both directions.
//!
//! Example: `names! { TokenMatch { Exact => "exact", Prefix => "prefix" } }`. Left out: values that are several words, and
//! what is compared without case.

/// Gives an enum without fields `ALL`, `as_str` and `named`, by a table of all of its variants.
macro_rules! names {
    ($type:ident { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every variant, in the order of the table.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// Returns what has a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.as_str() == name)
            }
        }
    };
}

pub(crate) use names;
