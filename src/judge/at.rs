//! The times that documents are judged for.
//!
//! Example: `page,newest` asks what a site said when a document was fetched, and what it says now. The first time is that of the
//! columns `prefs_...`; those of a further time have its name behind theirs (`prefs_access_newest`).

use crate::web::timestamp::Timestamp;
use std::fmt;
use std::str::FromStr;

/// A time that documents are judged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The time of the document; without one, its verdict is unknown.
    Page,
    /// The newest copies of the site's files.
    Newest,
    /// One time.
    Time(Timestamp),
}

/// The end of the year 9999, before which all times are.
const LAST_US: i64 = 253_402_300_799_999_999;

/// Returns the time at which the newest copy of every file counts.
pub fn newest() -> Option<Timestamp> {
    Timestamp::from_unix_micros(LAST_US)
}

impl At {
    /// The most times of one judgement.
    pub const MOST: usize = 16;

    /// Returns the times that names separated by commas are for.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        Self::distinct(text.split(',').map(|name| name.trim().parse()).collect::<Result<Vec<_>, String>>()?)
    }

    /// Returns times, none of which may be named twice.
    pub fn distinct(times: Vec<Self>) -> Result<Vec<Self>, String> {
        let again = (1..times.len()).find(|end| {
            let (before, rest) = times.split_at(*end);
            rest.first().is_some_and(|time| before.iter().any(|other| other.suffix() == time.suffix()))
        });
        match again.and_then(|place| times.get(place)) {
            Some(time) => Err(format!("{time} is named twice")),
            None if times.is_empty() || times.len() > Self::MOST => {
                Err(format!("found {} times, expected 1 to {}", times.len(), Self::MOST))
            }
            None => Ok(times),
        }
    }

    /// Returns when a document with a date is judged.
    pub(super) fn time(self, date: Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::Page => date,
            Self::Newest => newest(),
            Self::Time(time) => Some(time),
        }
    }

    /// Returns what the names of the columns of a further time end with, such as `_newest` or `_20260810T060000Z`.
    pub(super) fn suffix(self) -> String {
        let name = self.to_string();
        format!("_{}", name.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page => f.write_str("page"),
            Self::Newest => f.write_str("newest"),
            Self::Time(time) => time.fmt(f),
        }
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "page" => Ok(Self::Page),
            "newest" => Ok(Self::Newest),
            _ => Timestamp::new(text.as_bytes()).map(Self::Time).ok_or_else(|| {
                let found = crate::web::shown::visible(text);
                format!("found {found}, expected a time such as 2026-08-10T06:00:00Z, page or newest")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::At;

    #[test]
    fn local_times_are_named_once_and_give_names_of_columns() {
        let times = At::list("page, newest,2026-08-10,2026-08-10T06:00:00Z").unwrap();
        let suffixes: Vec<String> = times.iter().map(|time| time.suffix()).collect();
        assert_eq!(suffixes, ["_page", "_newest", "_20260810T000000Z", "_20260810T060000Z"]);
        for text in ["", "page,page", "2026-08-10,2026-08-10T00:00:00Z", "now", "page,,newest"] {
            assert!(At::list(text).is_err(), "{text}");
        }
    }
}
