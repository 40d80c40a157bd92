//! The names of an enum's variants in options, messages and tables, beside them, in one table for both directions.

/// Gives an enum without fields `ALL`, `as_str` and `named`, from a table of all its variants:
/// `names! { pub enum TokenMatch { Exact => "exact", Prefix => "prefix" } }`; `pub enum` is left out if it is written elsewhere.
/// A variant of a configuration has it last: `MadeUp => "made_up_txt" if made_up`.
macro_rules! names {
    ($(#[$about:meta])* pub enum $type:ident { $($(#[$of:meta])* $variant:ident => $name:literal $(if $when:meta)?),+ $(,)? }) => {
        $(#[$about])*
        pub enum $type { $($(#[$of])* $(#[cfg($when)])? $variant),+ }

        names! { $type { $($variant => $name $(if $when)?),+ } }
    };
    ($type:ident { $($variant:ident => $name:literal $(if $when:meta)?),+ $(,)? }) => {
        impl $type {
            /// Every variant, in the order of the table.
            pub const ALL: [Self; [$($(#[cfg($when)])? $name),+].len()] = [$($(#[cfg($when)])? Self::$variant),+];

            /// Returns the name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($(#[cfg($when)])? Self::$variant => $name),+
                }
            }

            /// Returns the variant with a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.as_str() == name)
            }
        }
    };
}

pub(crate) use names;
