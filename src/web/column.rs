//! A column of a table: its name, its type and its meaning, described once.
//!
//! DuckDB, Spark, Polars, Trino and DataFusion all read these types.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, in lower snake case. A name never changes its meaning.
    pub name: &'static str,
    pub kind: Kind,
    /// Whether it may be NULL, which means: not looked at, or absent.
    pub nulls: Nulls,
    /// The meaning of its values, with units.
    pub meaning: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    Allowed,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text; foreign bytes are shown as `\xHH`.
    Text,
    /// Bytes as received.
    Binary,
    Boolean,
    Int16,
    Int32,
    Int64,
    /// Microseconds since 1970, UTC.
    Timestamp,
    /// A list of one type, whose elements are never NULL.
    List(&'static Kind),
    /// A list of structs.
    Structs(&'static [Column]),
}

/// Constructors of columns that are never NULL.
macro_rules! constructors {
    ($($name:ident => $kind:expr),+ $(,)?) => {
        $(pub const fn $name(name: &'static str, meaning: &'static str) -> Self {
            Self::new(name, $kind, meaning)
        })+
    };
}

impl Column {
    const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self {
            name,
            kind,
            nulls: Nulls::Never,
            meaning,
        }
    }

    constructors! {
        text => Kind::Text,
        binary => Kind::Binary,
        boolean => Kind::Boolean,
        int16 => Kind::Int16,
        int32 => Kind::Int32,
        int64 => Kind::Int64,
        timestamp => Kind::Timestamp,
        texts => Kind::List(&Kind::Text),
    }

    pub const fn numbers(
        name: &'static str,
        element: &'static Kind,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, Kind::List(element), meaning)
    }

    pub const fn structs(
        name: &'static str,
        fields: &'static [Column],
        meaning: &'static str,
    ) -> Self {
        Self::new(name, Kind::Structs(fields), meaning)
    }

    pub const fn or_null(mut self) -> Self {
        self.nulls = Nulls::Allowed;
        self
    }
}
