//! The times that documents are judged for.
//!
//! Example: `page,newest` asks what a site said when a document was fetched, and what it says now. The columns `prefs_...` are
//! for the first time; the names of those for a further time end with its name (`prefs_access_newest`).

use crate::web::{interval::Interval, timestamp::Timestamp};
use serde::Deserialize;
use std::collections::HashSet;
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

impl At {
    /// The most times of one judgement; any number of this size.
    pub const MOST: usize = 16;

    /// Reads names of times, separated by commas.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        Self::distinct(
            text.split(',')
                .map(|name| name.trim().parse())
                .collect::<Result<Vec<_>, String>>()?,
        )
    }

    /// Returns times; a time that is named twice is an error.
    pub fn distinct(times: Vec<Self>) -> Result<Vec<Self>, String> {
        let mut known = HashSet::new();
        match times.iter().find(|time| !known.insert(time.suffix())) {
            Some(time) => Err(format!("{time} is named twice")),
            None if times.is_empty() || times.len() > Self::MOST => Err(format!(
                "found {} times, expected 1 to {}",
                times.len(),
                Self::MOST
            )),
            None => Ok(times),
        }
    }

    /// Returns when a document with this date is judged.
    pub(super) fn interval(self, date: Option<Interval>) -> Option<Interval> {
        match self {
            Self::Page => date,
            // The newest copy of every file counts then.
            Self::Newest => Some(Interval::at(Timestamp::LAST)),
            Self::Time(time) => Some(Interval::at(time)),
        }
    }

    /// Returns the end of the names of the columns for a further time, such as `_newest` or `_20260810T060000Z`.
    pub(super) fn suffix(self) -> String {
        let name = self.to_string();
        format!(
            "_{}",
            name.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
        )
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

/// The times of a policy as they are written.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected page, newest, a time such as \"2026-08-10T06:00:00Z\", \"page, else newest\", a list of these, or { access = ..., labels = ... }"
)]
pub enum WrittenTimes {
    One(String),
    Several(Vec<String>),
    Each {
        access: WrittenList,
        labels: WrittenList,
    },
}

/// A text, or several, in a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text, or a list of texts")]
pub enum WrittenList {
    One(String),
    Several(Vec<String>),
}

/// The times at which rules about access and rules about labels are asked.
#[derive(Clone, Debug, Default)]
pub struct RuleTimes {
    pub access: Vec<RuleTime>,
    pub labels: Vec<RuleTime>,
}

/// A time at which rules are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleTime {
    /// Its place among the times.
    pub time: usize,
    /// The places of the times before it: it is asked only if nothing is known of robots.txt at any of them.
    pub after: Vec<usize>,
    /// Whether another time is asked if nothing is known of robots.txt at this one.
    pub has_else: bool,
}

/// Separates a time from the one that is asked if nothing is known at it.
const ELSE: &str = ", else ";

impl WrittenTimes {
    fn lists(&self) -> [&[String]; 2] {
        match self {
            Self::One(name) => [std::slice::from_ref(name); 2],
            Self::Several(names) => [names; 2],
            Self::Each { access, labels } => [access.texts(), labels.texts()],
        }
    }

    /// Returns whether it is more than a list of times.
    pub fn has_else(&self) -> bool {
        matches!(self, Self::Each { .. })
            || self
                .lists()
                .into_iter()
                .flatten()
                .any(|name| name.contains(ELSE))
    }
}

impl WrittenList {
    pub fn texts(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// Returns the times of a policy, or those that the user asks for, and which rules are asked at each.
pub fn written_times(
    written: Option<&WrittenTimes>,
    asked: Option<&[At]>,
) -> Result<(Vec<At>, RuleTimes), String> {
    let Some(written) = written else {
        let times = asked.map_or_else(|| vec![At::Page], <[At]>::to_vec);
        let steps = || {
            (0..times.len())
                .map(|time| RuleTime {
                    time,
                    ..RuleTime::default()
                })
                .collect()
        };
        let when = RuleTimes {
            access: steps(),
            labels: steps(),
        };
        return Ok((times, when));
    };
    let fault = |error: String| format!("at: {error}");
    let mut times: Vec<At> = Vec::new();
    let mut steps = |names: &[String]| -> Result<Vec<RuleTime>, String> {
        let mut steps = Vec::new();
        let mut own = Vec::new();
        for name in names {
            let chain = name
                .split(ELSE)
                .map(str::parse)
                .collect::<Result<Vec<At>, String>>()?;
            let mut after = Vec::new();
            for (number, at) in (1..).zip(&chain) {
                let time = times
                    .iter()
                    .position(|known| known == at)
                    .unwrap_or_else(|| {
                        times.push(*at);
                        times.len() - 1
                    });
                steps.push(RuleTime {
                    time,
                    after: after.clone(),
                    has_else: number < chain.len(),
                });
                after.push(time);
            }
            own.extend(chain);
        }
        At::distinct(own).map(|_| steps)
    };
    let [access, labels] = written.lists();
    let when = RuleTimes {
        access: steps(access).map_err(fault)?,
        labels: steps(labels).map_err(fault)?,
    };
    let times = At::distinct(times).map_err(fault)?;
    let names = |times: &[At]| {
        times
            .iter()
            .map(At::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    match asked {
        Some(asked) if asked != times => Err(format!(
            "at: found {}, --at has {}",
            names(&times),
            names(asked)
        )),
        Some(_) | None => Ok((times, when)),
    }
}

#[cfg(test)]
mod tests {
    use super::At;

    #[test]
    fn local_times_are_named_once_and_give_names_of_columns() {
        let times = At::list("page, newest,2026-08-10,2026-08-10T06:00:00Z").unwrap();
        let suffixes: Vec<String> = times.iter().map(|time| time.suffix()).collect();
        assert_eq!(
            suffixes,
            ["_page", "_newest", "_20260810T000000Z", "_20260810T060000Z"]
        );
        for text in [
            "",
            "page,page",
            "2026-08-10,2026-08-10T00:00:00Z",
            "now",
            "page,,newest",
        ] {
            assert!(At::list(text).is_err(), "{text}");
        }
    }
}
