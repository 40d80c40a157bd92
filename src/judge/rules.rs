//! The rules of a policy: when a document is dropped, by what is known about it.
//!
//! Example: `train_ai_disallow@newest` drops a document whose label is disallow by the newest files. Left out: policy syntax.

use super::at::{At, RuleTime, RuleTimes};
use super::finding::Finding;
use super::verdict::{LATER, Source, Verdict};
use crate::systems::Label;
use crate::verdict::{Disallowed, RobotsState};
use crate::web::preference::Preference;
use serde::Deserialize;

/// What is done with documents about which something is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    Keep,
    Drop,
}

/// A reason to drop a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyRule {
    /// The reason's name.
    pub name: String,
    /// When it is asked. If another time is asked because nothing is known at this one, only its noes count then.
    pub(super) when: RuleTime,
    /// Whether documents are kept if nothing is known of their site.
    pub(super) keeps_unknown_sites: bool,
    /// The exception that the rule belongs to.
    pub(super) exception: Option<u8>,
    pub(super) applies: Applies,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Nothing is known of its site.
    Site,
    /// Only a later robots.txt of its site is known.
    SiteLater,
    /// The agent may not fetch it.
    Disallow(PolicyAgent),
    /// It is not known whether one of the agents may fetch it.
    Unknown(Vec<PolicyAgent>),
    LabelDisallow(Label),
    /// Something was received and could not be read in full.
    Unread,
    /// Something may be a no and is not understood.
    Doubt,
    /// Something was not received.
    NotSeen,
    /// Its robots.txt is older than this many days.
    Old(u32),
    LabelUnknown(Label),
}

/// An agent: the product token of the tables, or another token by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyAgent {
    Viewpoint,
    Other(u32),
}

impl PolicyRule {
    /// Returns whether a document is dropped, by the verdict of one of its URLs.
    pub(super) fn drops(&self, verdict: &Verdict) -> bool {
        let now = verdict.at(self.when.time);
        if self
            .when
            .after
            .iter()
            .any(|time| is_robots_known(verdict.at(*time)))
        {
            return false;
        }
        let is_kept =
            self.applies.is_about_unknown() && self.keeps_unknown_sites && is_unknown_site(now);
        let is_for_later = self.when.has_else && !self.applies.is_no() && !is_robots_known(now);
        !is_kept && !is_for_later && self.applies.to(now)
    }

    /// Returns what an audit finds by it, by the verdict of one of a document's URLs: even what it keeps may be unknown.
    pub(super) fn finding(&self, verdict: &Verdict) -> Finding {
        if self.drops(verdict) {
            return if self.applies.is_no() {
                Finding::Violation
            } else {
                Finding::Unknown
            };
        }
        let now = verdict.at(self.when.time);
        let is_earlier_known = self
            .when
            .after
            .iter()
            .any(|time| is_robots_known(verdict.at(*time)));
        let is_for_later = self.when.has_else && !is_robots_known(now);
        let is_open = !is_earlier_known && !is_for_later && self.applies.is_open(now);
        if is_open {
            Finding::Unknown
        } else {
            Finding::Conforms
        }
    }
}

impl PolicyAgent {
    fn access(self, verdict: &Verdict) -> Preference {
        match (self, &verdict.disallowed) {
            (Self::Viewpoint, _) => verdict.access,
            (Self::Other(_), Disallowed::All) => Preference::Disallow,
            (Self::Other(place), Disallowed::Some(tokens) | Disallowed::AtLeast(tokens))
                if tokens.contains(place) =>
            {
                Preference::Disallow
            }
            (Self::Other(_), Disallowed::Some(_)) => Preference::Allow,
            (Self::Other(_), Disallowed::AtLeast(_)) => Preference::Unknown,
        }
    }
}

/// Returns whether the robots.txt at the time of a verdict is known, even if there was none.
fn is_robots_known(verdict: &Verdict) -> bool {
    let unknown = [RobotsState::NotArchived, RobotsState::Undated];
    unknown
        .iter()
        .all(|state| *verdict.robots_state != *state.as_str())
}

/// Returns whether nothing is known of a document's site. Ours: not so if the document could not be judged.
pub fn is_unknown_site(verdict: &Verdict) -> bool {
    verdict.source == Source::None && !verdict.is_unjudged()
}

impl Applies {
    pub(super) fn is_about_labels(&self) -> bool {
        matches!(
            self,
            Self::LabelDisallow(_)
                | Self::Unread
                | Self::Doubt
                | Self::NotSeen
                | Self::LabelUnknown(_)
        )
    }

    fn is_about_unknown(&self) -> bool {
        matches!(
            self,
            Self::Unknown(_)
                | Self::Old(_)
                | Self::Unread
                | Self::Doubt
                | Self::NotSeen
                | Self::LabelUnknown(_)
        )
    }

    pub(super) fn is_no(&self) -> bool {
        matches!(self, Self::Disallow(_) | Self::LabelDisallow(_))
    }

    /// Returns whether something that it asks is unknown. A label that nobody states is known if all of its topic was read and understood.
    fn is_open(&self, verdict: &Verdict) -> bool {
        match self {
            Self::Disallow(agent) => agent.access(verdict) == Preference::Unknown,
            Self::LabelDisallow(label) => {
                verdict.label(*label) == Preference::Unknown && verdict.in_doubt.contains(*label)
            }
            Self::Site
            | Self::SiteLater
            | Self::Unknown(_)
            | Self::Unread
            | Self::Doubt
            | Self::NotSeen
            | Self::Old(_)
            | Self::LabelUnknown(_) => self.to(verdict),
        }
    }

    fn to(&self, verdict: &Verdict) -> bool {
        match self {
            Self::Site => is_unknown_site(verdict) && &*verdict.reason != LATER,
            Self::SiteLater => is_unknown_site(verdict) && &*verdict.reason == LATER,
            Self::Disallow(agent) => agent.access(verdict) == Preference::Disallow,
            Self::Unknown(agents) => agents
                .iter()
                .any(|agent| agent.access(verdict) == Preference::Unknown),
            Self::LabelDisallow(label) => verdict.label(*label) == Preference::Disallow,
            Self::Old(days) => verdict.robots_age_days.is_some_and(|age| age > *days),
            Self::Unread => !verdict.unread.is_empty(),
            Self::Doubt => !verdict.doubt.is_empty(),
            Self::NotSeen => !verdict.not_seen.is_empty(),
            Self::LabelUnknown(label) => verdict.label(*label) == Preference::Unknown,
        }
    }
}

/// What a policy asks of documents, at any time.
pub struct Asks<'a> {
    /// The agents, with their names in reasons.
    pub agents: &'a [(String, PolicyAgent)],
    pub max_age: Option<u32>,
    pub labels: Vec<Label>,
    pub site: Unknown,
    pub access: Unknown,
    pub unknown_labels: Unknown,
    pub unread: Unknown,
    pub doubt: Unknown,
    pub not_seen: Unknown,
}

impl Asks<'_> {
    /// Returns the rules, at the first time.
    pub fn rules(&self, exception: Option<(u8, &str)>) -> Vec<PolicyRule> {
        let rule = &|name: &str, applies| PolicyRule {
            name: exception.map_or_else(
                || name.to_owned(),
                |(_, exception)| format!("{exception}:{name}"),
            ),
            when: RuleTime::default(),
            keeps_unknown_sites: self.site == Unknown::Keep,
            exception: exception.map(|(place, _)| place),
            applies,
        };
        let Self {
            agents,
            max_age,
            labels,
            ..
        } = self;
        let mut rules = Vec::new();
        if self.site == Unknown::Drop {
            rules.extend([
                rule("site_unknown", Applies::Site),
                rule("site_later", Applies::SiteLater),
            ]);
        }
        let disallow = |(name, agent): &(String, PolicyAgent)| {
            rule(&format!("{name}_disallow"), Applies::Disallow(*agent))
        };
        rules.extend(agents.iter().map(disallow));
        rules.extend(max_age.map(|days| rule("robots_old", Applies::Old(days))));
        if self.access == Unknown::Drop && !agents.is_empty() {
            let agents = agents.iter().map(|(_, agent)| *agent).collect();
            rules.push(rule("access_unknown", Applies::Unknown(agents)));
        }
        let of_labels = |word, applies: fn(Label) -> Applies| {
            labels
                .iter()
                .map(move |label| rule(&format!("{}_{word}", label.as_str()), applies(*label)))
        };
        rules.extend(of_labels("disallow", Applies::LabelDisallow));
        let gaps = [
            ("unread", self.unread, Applies::Unread),
            ("doubt", self.doubt, Applies::Doubt),
            ("not_seen", self.not_seen, Applies::NotSeen),
        ];
        let dropped = gaps
            .into_iter()
            .filter(|(_, unknown, _)| *unknown == Unknown::Drop);
        rules.extend(dropped.map(|(name, _, applies)| rule(name, applies)));
        if self.unknown_labels == Unknown::Drop {
            rules.extend(of_labels("unknown", Applies::LabelUnknown));
        }
        rules
    }
}

/// Returns rules for each time at which they are asked; if there are several times, names end with the time.
pub fn at_each_time(rules: &[PolicyRule], times: &[At], when: &RuleTimes) -> Vec<PolicyRule> {
    let named = |(time, at): (usize, &At)| {
        let at = if times.len() == 1 {
            String::new()
        } else {
            format!("@{at}")
        };
        rules.iter().filter_map(move |rule| {
            let asked = if rule.applies.is_about_labels() {
                &when.labels
            } else {
                &when.access
            };
            let when = asked.iter().find(|step| step.time == time)?.clone();
            Some(PolicyRule {
                name: format!("{}{at}", rule.name),
                when,
                ..rule.clone()
            })
        })
    };
    times.iter().enumerate().flat_map(named).collect()
}

/// Puts the named rules first; a name without a time means the rules at every time.
pub fn in_order(rules: &mut [PolicyRule], order: &[String]) -> Result<(), String> {
    let is_named = |rule: &PolicyRule, name: &String| {
        rule.name == *name || rule.name.split('@').next() == Some(name)
    };
    let known = |name: &String| rules.iter().any(|rule| is_named(rule, name));
    if let Some(name) = order.iter().find(|name| !known(name)) {
        let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        return Err(format!(
            "order: found {name}, expected some of {}",
            names.join(", ")
        ));
    }
    rules.sort_by_key(|rule| {
        order
            .iter()
            .position(|name| is_named(rule, name))
            .unwrap_or(order.len())
    });
    Ok(())
}
