//! A column of a table: its name, its type and its meaning, described once.
//!
//! DuckDB, Spark, Polars, Trino and DataFusion all read these types.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, in lower snake case. A name never changes its meaning.
    pub name: &'static str,
    pub kind: ColumnKind,
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
pub enum ColumnKind {
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
    List(&'static ColumnKind),
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
    const fn new(name: &'static str, kind: ColumnKind, meaning: &'static str) -> Self {
        Self {
            name,
            kind,
            nulls: Nulls::Never,
            meaning,
        }
    }

    constructors! {
        text => ColumnKind::Text,
        binary => ColumnKind::Binary,
        boolean => ColumnKind::Boolean,
        int16 => ColumnKind::Int16,
        int32 => ColumnKind::Int32,
        int64 => ColumnKind::Int64,
        timestamp => ColumnKind::Timestamp,
        texts => ColumnKind::List(&ColumnKind::Text),
    }

    pub const fn numbers(
        name: &'static str,
        element: &'static ColumnKind,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, ColumnKind::List(element), meaning)
    }

    pub const fn structs(
        name: &'static str,
        fields: &'static [Column],
        meaning: &'static str,
    ) -> Self {
        Self::new(name, ColumnKind::Structs(fields), meaning)
    }

    pub const fn or_null(mut self) -> Self {
        self.nulls = Nulls::Allowed;
        self
    }
}
