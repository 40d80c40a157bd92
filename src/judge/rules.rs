//! The rules of a policy: when a document is dropped, by what is known of it.
//!
//! Example: `train_ai_disallow@newest` drops a document whose label is disallow by the newest files. Left out: how a policy is written.

use super::documents::Unjudged;
use super::verdict::{LATER, Source, Verdict};
use crate::systems::Label;
use crate::web::preference::Preference;

/// A reason to drop a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyRule {
    pub(super) name: String,
    /// The place of the time of the verdict that it is about.
    pub(super) time: usize,
    pub(super) applies: Applies,
}

/// When a document is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Nothing is known of its site.
    Site,
    /// Of its site there is only a later robots.txt.
    SiteLater,
    /// The agent may not fetch it.
    Disallow(Agent),
    /// It is not known whether one of the agents may.
    Unknown(Vec<Agent>),
    /// The label is disallow.
    LabelDisallow(Label),
    /// Something could not be read in full, or was not seen.
    Unread,
    /// Its robots.txt is older than so many days.
    Old(u32),
    /// The label is unknown.
    LabelUnknown(Label),
}

/// An agent: the product token of the tables, or another token by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    Viewpoint,
    Other(u32),
}

impl PolicyRule {
    /// Returns the reason's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Agent {
    /// Returns what is known of an agent's access.
    fn access(self, verdict: &Verdict) -> Preference {
        match (self, &verdict.disallowed) {
            (Self::Viewpoint, _) => verdict.access,
            (Self::Other(_), None) => Preference::Unknown,
            (Self::Other(place), Some(tokens)) if tokens.contains(place) => Preference::Disallow,
            (Self::Other(_), Some(_)) => Preference::Allow,
        }
    }
}

/// Returns whether nothing is known of a document's site. Ours: of one that could not be judged, that is not known.
pub fn is_unknown_site(verdict: &Verdict) -> bool {
    let is_unjudged = || Unjudged::ALL.into_iter().any(|unjudged| &*verdict.reason == unjudged.as_str());
    verdict.source == Source::None && !is_unjudged()
}

impl Applies {
    /// Returns the most days of an age.
    pub fn days(&self) -> Option<u32> {
        if let Self::Old(days) = self { Some(*days) } else { None }
    }

    pub fn is_about_unknown(&self) -> bool {
        match self {
            Self::Unknown(_) | Self::Old(_) | Self::Unread | Self::LabelUnknown(_) => true,
            Self::Site | Self::SiteLater | Self::Disallow(_) | Self::LabelDisallow(_) => false,
        }
    }

    pub fn to(&self, verdict: &Verdict) -> bool {
        let label = |label: Label| verdict.labels.get(label as usize).copied().unwrap_or_default();
        match self {
            Self::Site => is_unknown_site(verdict) && &*verdict.reason != LATER,
            Self::SiteLater => is_unknown_site(verdict) && &*verdict.reason == LATER,
            Self::Disallow(agent) => agent.access(verdict) == Preference::Disallow,
            Self::Unknown(agents) => agents.iter().any(|agent| agent.access(verdict) == Preference::Unknown),
            Self::LabelDisallow(of) => label(*of) == Preference::Disallow,
            Self::Old(days) => verdict.robots_age_days.is_some_and(|age| age > *days),
            Self::Unread => !verdict.unread.is_empty(),
            Self::LabelUnknown(of) => label(*of) == Preference::Unknown,
        }
    }
}
