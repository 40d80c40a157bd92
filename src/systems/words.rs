//! What the documents of several systems have in common: words without case, keys with values, quoted strings.
//!
//! Example: `Search = "a\"b"` has the key `Search` and a quoted string with the content `a"b`. Left out: what the words mean.

use crate::web::lines::split_once;
use crate::web::preference::Preference;
use std::borrow::Cow;

/// Why a user's file of words, one thing on a line, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct UserFileError {
    pub line: u32,
    pub fault: String,
}

pub(super) const YES_NO: [(&str, Preference); 2] =
    [("yes", Preference::Allow), ("no", Preference::Disallow)];

/// Returns what a word means by a table, compared without case.
pub(super) fn meaning<T: Copy>(table: &[(&str, T)], word: &[u8]) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known.as_bytes()))
        .map(|(_, meaning)| *meaning)
}

/// Returns the members between commas, each split at its first `=` and trimmed. Ours: an empty member says nothing.
pub(super) fn members(
    text: &[u8],
    trim: fn(&[u8]) -> &[u8],
) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
    let members = text
        .split(|byte| *byte == b',')
        .map(trim)
        .filter(|member| !member.is_empty());
    members.map(move |member| match split_once(member, b'=') {
        Some((key, value)) => (trim(key), Some(trim(value))),
        None => (member, None),
    })
}

/// Returns the length of a quoted string behind its first quote; `None` if it is never closed.
pub(super) fn quoted_len(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}

/// Returns the content of a quoted string without its escapes.
pub(super) fn unescaped(content: &[u8]) -> Cow<'_, [u8]> {
    if !content.contains(&b'\\') {
        return Cow::Borrowed(content);
    }
    let mut bytes = content.iter();
    let next = || match bytes.next() {
        Some(b'\\') => bytes.next().copied(),
        byte => byte.copied(),
    };
    Cow::Owned(std::iter::from_fn(next).collect())
}

/// Joins what is said: a no wins over a yes. Returns the preference and those that say it.
pub(super) fn decisive<T>(
    said: impl IntoIterator<Item = T>,
    says: impl Fn(&T) -> Preference,
) -> (Preference, Vec<T>) {
    let mut said: Vec<T> = said.into_iter().collect();
    let preference = said
        .iter()
        .fold(Preference::Unknown, |all, one| all.and(says(one)));
    said.retain(|one| says(one) == preference);
    (preference, said)
}

/// A preference for each of some labels, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelPreferences<const N: usize>([Preference; N]);

impl<const N: usize> LabelPreferences<N> {
    pub const UNKNOWN: Self = Self([Preference::Unknown; N]);

    pub fn of(&self, label: impl Into<usize>) -> Preference {
        self.0.get(label.into()).copied().unwrap_or_default()
    }

    /// Sets the preference for a label; the earlier one no longer counts.
    pub fn set(&mut self, label: impl Into<usize>, preference: Preference) {
        if let Some(held) = self.0.get_mut(label.into()) {
            *held = preference;
        }
    }

    /// Adds a preference for a label: a no wins over a yes.
    pub fn add(&mut self, label: impl Into<usize>, preference: Preference) {
        let label = label.into();
        self.set(label, self.of(label).and(preference));
    }

    /// Returns only its noes; `None` if there are none.
    pub fn noes(self) -> Option<Self> {
        let no = |one: Preference| {
            if one == Preference::Disallow {
                one
            } else {
                Preference::Unknown
            }
        };
        Some(Self(self.0.map(no))).filter(|noes| *noes != Self::UNKNOWN)
    }

    /// draft-ietf-aipref-vocab-03, Combining Preferences: "the following process applies to each usage category".
    pub fn and(mut self, other: &Self) -> Self {
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(mine, theirs)| *mine = mine.and(*theirs));
        self
    }
}
