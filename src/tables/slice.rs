//! The columns of slices, each declared once: its type and its name, from which follow what is read and how.
//!
//! Example: `slice! { pub struct Urls { pub url: StringArray = "url" } }` has `Urls::new(&slice)?.url(0)`. A column that is
//! missing, or of another type than this version writes, is an error. A field of a list of structs is named with a dot.

use super::stored::{no_column, range, typed};
use crate::web::timestamp::Timestamp;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, ListArray, RecordBatch, StructArray, TimestampMicrosecondArray,
};
use std::io;
use std::marker::PhantomData;
use std::ops::Range;

/// A column of a slice: what is kept of it, and what it has for a row.
pub trait SliceColumn: 'static {
    type Kept;
    type Value<'k>;

    /// Looks at a column, which has this name.
    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<Self::Kept>;

    /// Looks at the columns of a slice with these names: one, or for [`ByLabel`] five.
    fn of_slice(slice: &RecordBatch, names: &[&str]) -> io::Result<Self::Kept> {
        let name = names.first().copied().unwrap_or_default();
        let outer = name.split_once('.').map_or(name, |(column, _)| column);
        Self::of(slice.column_by_name(outer), name)
    }

    /// Returns whether a row is NULL; only the columns in [`OrNull`] are asked.
    fn is_null(_: &Self::Kept, _: usize) -> bool {
        false
    }

    fn value(kept: &Self::Kept, row: usize) -> Self::Value<'_>;
}

impl<A: Array + Clone + 'static> SliceColumn for A
where
    for<'k> &'k A: ArrayAccessor,
{
    type Kept = A;
    type Value<'k> = <&'k A as ArrayAccessor>::Item;

    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<A> {
        typed::<A>(column, name).cloned()
    }

    fn is_null(kept: &A, row: usize) -> bool {
        kept.is_null(row)
    }

    fn value(kept: &A, row: usize) -> Self::Value<'_> {
        ArrayAccessor::value(&kept, row)
    }
}

/// A column with NULL.
pub struct OrNull<C>(PhantomData<C>);

impl<C: SliceColumn> SliceColumn for OrNull<C> {
    type Kept = C::Kept;
    type Value<'k> = Option<C::Value<'k>>;

    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<C::Kept> {
        C::of(column, name)
    }

    fn value(kept: &C::Kept, row: usize) -> Self::Value<'_> {
        (!C::is_null(kept, row)).then(|| C::value(kept, row))
    }
}

/// A column that a slice may lack, because it was not asked for.
pub struct IfRead<C>(PhantomData<C>);

impl<C: SliceColumn> SliceColumn for IfRead<C> {
    type Kept = Option<C::Kept>;
    type Value<'k> = Option<C::Value<'k>>;

    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<Self::Kept> {
        column.map(|column| C::of(Some(column), name)).transpose()
    }

    fn value(kept: &Self::Kept, row: usize) -> Self::Value<'_> {
        kept.as_ref().map(|kept| C::value(kept, row))
    }
}

/// A column of instants; NULL where there is none, or none that is read.
pub struct Instants;

impl SliceColumn for Instants {
    type Kept = TimestampMicrosecondArray;
    type Value<'k> = Option<Timestamp>;

    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<Self::Kept> {
        TimestampMicrosecondArray::of(column, name)
    }

    fn value(kept: &Self::Kept, row: usize) -> Option<Timestamp> {
        kept.is_valid(row)
            .then(|| kept.value(row))
            .and_then(Timestamp::from_unix_micros)
    }
}

/// A column of lists, or a field of a column of lists of structs.
pub struct ListOf<C>(PhantomData<C>);

impl<C: SliceColumn> SliceColumn for ListOf<C> {
    type Kept = (ListArray, C::Kept);
    type Value<'k> = Elements<'k, C>;

    fn of(column: Option<&ArrayRef>, name: &str) -> io::Result<Self::Kept> {
        let lists: &ListArray = typed(column, name)?;
        let elements = match name.split_once('.') {
            Some((_, field)) => {
                typed::<StructArray>(Some(lists.values()), name)?.column_by_name(field)
            }
            None => Some(lists.values()),
        };
        Ok((lists.clone(), C::of(elements, name)?))
    }

    fn is_null((lists, _): &Self::Kept, row: usize) -> bool {
        lists.is_null(row)
    }

    fn value((lists, elements): &Self::Kept, row: usize) -> Self::Value<'_> {
        Elements {
            elements,
            at: range(lists, row),
        }
    }
}

/// A column for each label, in the order of [`Label::ALL`].
pub struct ByLabel<C>(PhantomData<C>);

impl<C: SliceColumn> SliceColumn for ByLabel<C> {
    type Kept = [C::Kept; 5];
    type Value<'k> = [C::Value<'k>; 5];

    fn of(_: Option<&ArrayRef>, name: &str) -> io::Result<Self::Kept> {
        Err(no_column(name))
    }

    fn of_slice(slice: &RecordBatch, names: &[&str]) -> io::Result<Self::Kept> {
        let kept = names
            .iter()
            .map(|name| C::of_slice(slice, &[name]))
            .collect::<io::Result<Vec<_>>>()?;
        kept.try_into().map_err(|_| no_column(&names.join(", ")))
    }

    fn value(kept: &Self::Kept, row: usize) -> Self::Value<'_> {
        kept.each_ref().map(|kept| C::value(kept, row))
    }
}

/// The elements of a row's list; none for NULL.
pub struct Elements<'k, C: SliceColumn> {
    elements: &'k C::Kept,
    at: Range<usize>,
}

impl<'k, C: SliceColumn> Iterator for Elements<'k, C> {
    type Item = C::Value<'k>;

    fn next(&mut self) -> Option<Self::Item> {
        self.at.next().map(|at| C::value(self.elements, at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.at.size_hint()
    }
}

impl<C: SliceColumn> ExactSizeIterator for Elements<'_, C> {}

/// Declares a slice: its columns, each with a function that returns a row's value; and what is checked of them, if anything is.
macro_rules! slice {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[$meaning:meta])* $seen:vis $column:ident: $kind:ty = $($called:literal)|+,)+
        }
        $(check $check:ident)?
    ) => {
        $(#[$about])*
        $vis struct $name {
            $($column: <$kind as $crate::tables::slice::SliceColumn>::Kept,)+
            rows: usize,
        }

        #[allow(dead_code)] // not every slice is counted, or asked for by these names
        impl $name {
            pub const COLUMNS: &[&str] = &[$($($called),+),+];

            /// Finds the columns of a slice.
            pub fn new(slice: &arrow_array::RecordBatch) -> std::io::Result<Self> {
                use $crate::tables::slice::SliceColumn;
                let found = Self {
                    $($column: <$kind as SliceColumn>::of_slice(slice, &[$($called),+])?,)+
                    rows: slice.num_rows(),
                };
                $(found.$check()?;)?
                Ok(found)
            }

            pub fn count(&self) -> usize {
                self.rows
            }

            $(
                $(#[$meaning])*
                $seen fn $column(&self, row: usize) -> <$kind as $crate::tables::slice::SliceColumn>::Value<'_> {
                    <$kind as $crate::tables::slice::SliceColumn>::value(&self.$column, row)
                }
            )+
        }
    };
}

pub(super) use slice;
