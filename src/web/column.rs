//! A column of a table: its name, its type and its meaning, described once.
//!
//! DuckDB, Spark, Polars, Trino and DataFusion all read these types. Arrow, Parquet, SQL and the documentation derive from
//! them.

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, in lower snake case. A name never changes its meaning.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be NULL, which means: not looked at, or absent.
    pub nulls: Nulls,
    /// The meaning of its values, with units.
    pub meaning: &'static str,
}

/// Whether a column may be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// It may be NULL.
    Allowed,
    Never,
}

/// The types of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text; foreign bytes are shown as `\xHH`.
    Text,
    /// Bytes as received.
    Binary,
    /// True or false.
    Boolean,
    /// 16 bits, signed.
    Int16,
    /// 32 bits, signed.
    Int32,
    /// 64 bits, signed.
    Int64,
    /// Microseconds since 1970, UTC.
    Timestamp,
    /// A list of one type, whose elements are never NULL.
    List(&'static Kind),
    /// A list of structs.
    Structs(&'static [Column]),
}

impl Column {
    const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, nulls: Nulls::Never, meaning }
    }

    /// Returns a column of text.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Text, meaning)
    }

    /// Returns a column of bytes.
    pub const fn binary(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Binary, meaning)
    }

    /// Returns a column of truth values.
    pub const fn boolean(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Boolean, meaning)
    }

    /// Returns a column of 16-bit numbers.
    pub const fn int16(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Int16, meaning)
    }

    /// Returns a column of 32-bit numbers.
    pub const fn int32(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Int32, meaning)
    }

    /// Returns a column of 64-bit numbers.
    pub const fn int64(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Int64, meaning)
    }

    /// Returns a column of instants.
    pub const fn timestamp(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::Timestamp, meaning)
    }

    /// Returns a column of lists of text.
    pub const fn texts(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Kind::List(&Kind::Text), meaning)
    }

    /// Returns a column of lists of numbers.
    pub const fn numbers(name: &'static str, element: &'static Kind, meaning: &'static str) -> Self {
        Self::new(name, Kind::List(element), meaning)
    }

    /// Returns a column of lists of structs.
    pub const fn structs(name: &'static str, fields: &'static [Column], meaning: &'static str) -> Self {
        Self::new(name, Kind::Structs(fields), meaning)
    }

    /// Returns the column, allowed to be NULL.
    pub const fn or_null(mut self) -> Self {
        self.nulls = Nulls::Allowed;
        self
    }
}
