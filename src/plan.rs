//! What a call wants, and what it therefore does with each unit of its work: decided once, printed by `--dry-run` and `status`, and carried out by the call.
//!
//! A unit is an archive of a scan, a batch of tables, or a file of documents. Example: `crawl=CC-MAIN-2026-34 17.1-warc-0000: to
//! make from 50 archives (its own evidence has changed)`. Left out: what makes a whole call fail, which is an error.

use crate::web::shown::visible;
use serde::Serialize;
use serde::ser::Serializer;
use std::fmt;

/// What a call wants to do with what an earlier one has made with other options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Continue the same run; refuse another run's output.
    Continue,
    /// Make everything again (`--overwrite`).
    Replace,
}

/// What a call wants to do with outputs whose inputs are not there now, or are not named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// They stay, and a call that would make the others again without them is refused.
    #[default]
    Refuse,
    /// They are removed, or made again without these inputs (`--drop-missing`).
    Drop,
}

/// How a call compares files with their manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// By their lengths.
    Lengths,
    /// By all their bytes, which are read (`--verify`).
    Bytes,
}

impl Existing {
    /// Returns what a call wants by `--overwrite`.
    pub fn of(overwrite: bool) -> Self {
        if overwrite {
            Self::Replace
        } else {
            Self::Continue
        }
    }
}

impl Missing {
    /// Returns what a call wants by `--drop-missing`.
    pub fn of(drop_missing: bool) -> Self {
        if drop_missing {
            Self::Drop
        } else {
            Self::Refuse
        }
    }
}

impl Comparison {
    /// Returns what a call wants by `--verify`.
    pub fn of(verify: bool) -> Self {
        if verify { Self::Bytes } else { Self::Lengths }
    }
}

/// What a call does with a unit; `R` says why one is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<R = String> {
    /// What there is of it stays.
    Keep(Kept),
    /// It is made, or made again, and replaces what there is of it.
    Make(Why),
    /// What there is of it is removed: why, behind a comma.
    Remove(&'static str),
    /// It is a failed input: a scan keeps what there is of it, and `judge` removes its output.
    Refuse(R),
}

/// How what stays was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is what this call would make.
    Done,
    /// The same, and its input was compared with the one that it was made of.
    Compared,
    /// The same, unless its input is another one now; to find that out takes requests, which a dry run does not send.
    ToCompare,
    /// The evidence that it was made of is not there, so that it cannot be made.
    WithoutEvidence,
}

/// Why a unit is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is nothing of it, or everything is replaced.
    New,
    /// What there is of it is not what this call would make: why.
    Stale(&'static str),
    /// What there is of it is not as it was written: what is wrong.
    Damaged(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "new",
            Self::Stale(why) => why,
            Self::Damaged(detail) => detail,
        })
    }
}

impl<R> Step<R> {
    /// Returns the step with another reason to refuse.
    pub fn map_refusal<T>(self, map: impl FnOnce(R) -> T) -> Step<T> {
        match self {
            Self::Keep(kept) => Step::Keep(kept),
            Self::Make(why) => Step::Make(why),
            Self::Remove(why) => Step::Remove(why),
            Self::Refuse(refusal) => Step::Refuse(map(refusal)),
        }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        matches!(
            self,
            Self::Keep(Kept::Done | Kept::Compared | Kept::ToCompare)
        )
    }

    /// Returns the state of what there is of the unit, as reports name it.
    pub fn state(&self) -> &'static str {
        match self {
            Self::Keep(Kept::Done | Kept::Compared | Kept::ToCompare) => "done",
            Self::Keep(Kept::WithoutEvidence) | Self::Remove(_) => "without_evidence",
            Self::Make(Why::New) => "new",
            Self::Make(Why::Stale(_)) => "stale",
            Self::Make(Why::Damaged(_)) => "damaged",
            Self::Refuse(_) => "refused",
        }
    }

    /// Returns what has changed, or what is wrong, if the unit is made because of that.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Make(Why::Stale(why)) => Some(why),
            Self::Make(Why::Damaged(detail)) => Some(detail),
            Self::Make(Why::New) | Self::Keep(_) | Self::Remove(_) | Self::Refuse(_) => None,
        }
    }
}

impl Step {
    /// Returns the step in words; `make` says what making is, such as `read`, or `make from 50 archives`.
    pub fn words(&self, make: &str) -> String {
        match self {
            Self::Keep(Kept::Done | Kept::Compared) => "done".to_owned(),
            Self::Keep(Kept::ToCompare) => "done, to compare with the archive".to_owned(),
            Self::Keep(Kept::WithoutEvidence) => "to keep, without evidence".to_owned(),
            Self::Make(why) => format!("to {make} ({})", visible(&why.to_string())),
            Self::Remove(why) => format!("to remove, {why}"),
            Self::Refuse(why) => format!("refused: {}", visible(why)),
        }
    }
}

/// Reports have the state, and its detail if there is one.
impl<R> Serialize for Step<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Reported<'s> {
            state: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            detail: Option<&'s str>,
        }
        Reported {
            state: self.state(),
            detail: self.detail(),
        }
        .serialize(serializer)
    }
}
