//! Which documents are kept: a policy, as a small TOML file or one of three presets.
//!
//! Example:
//!
//! ```toml
//! preset = "labels"               # robots, labels or strict; what is not given is as there
//! agents = ["CCBot", "GPTBot"]    # robots.txt must let all of them in
//! labels = ["train_ai", "tdm"]    # none of them may be disallow
//! at = ["page", "newest"]         # at each of these times
//! order = ["train_ai_disallow"]   # the reasons that are given first
//! max_age = "365d"                # an older robots.txt says too little
//! twins = true                    # at other times than "page": a newer no of the other scheme, or with www. or without, counts
//!
//! [unknown]                       # keep or drop
//! site = "drop"                   # nothing is known of the site, or only of later; keep holds whatever the next three say
//! access = "drop"                 # robots.txt is not known
//! labels = "keep"                 # a label is unknown
//! unread = "keep"                 # something could not be read in full, or was not seen
//! ```
//!
//! What is disallowed at one of the times is always dropped. Where there are several times, the names of the reasons say at
//! which one: `train_ai_disallow@newest`. The presets are those of `queries/views.sql`, which a test holds.

use super::at::At;
use super::rules::{Agent, Applies, PolicyRule, is_unknown_site};
use super::sites::Twins;
use super::verdict::Verdict;
use crate::systems::Label;
use crate::verdict::Resolver;
use crate::web::shown::visible;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// What is done with documents of which something is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unknown {
    Keep,
    Drop,
}

/// A policy as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    preset: Option<String>,
    agents: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    order: Option<Vec<String>>,
    at: Option<WrittenTimes>,
    max_age: Option<String>,
    twins: Option<bool>,
    #[serde(default)]
    unknown: WrittenUnknown,
}

/// One time or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected page, newest, a time such as \"2026-08-10T06:00:00Z\", or a list of these"
)]
enum WrittenTimes {
    One(String),
    Several(Vec<String>),
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenUnknown {
    site: Option<Unknown>,
    access: Option<Unknown>,
    labels: Option<Unknown>,
    unread: Option<Unknown>,
}

/// Which documents are kept.
#[derive(Clone, Debug)]
pub struct Policy {
    written: String,
    digest: String,
    times: Vec<At>,
    /// Whether the user named the times, in the policy or outside of it.
    are_times_named: bool,
    twins: Twins,
    rules: Vec<PolicyRule>,
    /// What is done where nothing is known of a site; if such documents are kept, no rule about the unknown drops them.
    site: Unknown,
}

/// The presets: labels, and what is done with unknown labels and with what was not read.
const PRESETS: [(&str, &[Label], Unknown); 3] = [
    ("robots", &[], Unknown::Keep),
    ("labels", &[Label::TrainAi, Label::TrainGenai], Unknown::Keep),
    ("strict", &[Label::TrainAi, Label::TrainGenai], Unknown::Drop),
];

impl Policy {
    /// Reads a policy: the name of a preset, or the text of a TOML file; `asked` are the times that documents are to be
    /// judged for, where the user says. If nobody does, the time is that of the document.
    pub fn read(text: &str, resolver: &Resolver, asked: Option<&[At]>) -> Result<Self, String> {
        let is_preset = PRESETS.iter().any(|(name, _, _)| *name == text);
        let written = if is_preset {
            Written { preset: Some(text.to_owned()), ..Written::default() }
        } else {
            let fault = |error: toml::de::Error| {
                if is_word(text) {
                    return format!("found {}, expected a file or one of {}", visible(text), presets());
                }
                error.to_string().trim_end().replace('\n', "; ")
            };
            toml::from_str(text).map_err(fault)?
        };
        let mut policy = written.policy(resolver, asked).map_err(|error| visible(&error).into_owned())?;
        text.clone_into(&mut policy.written);
        policy.digest = HEXLOWER.encode(&Sha256::digest(text));
        Ok(policy)
    }

    /// Returns the names of the presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _, _)| *name)
    }

    /// Returns the policy as it was written: the name of a preset, or the text of a file.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns the SHA-256 of [`Self::written`], in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns what identifies the policy: the names of its rules.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.rules.iter().map(PolicyRule::name).collect();
        let sites = match self.site {
            Unknown::Keep => ", unknown sites kept",
            Unknown::Drop => "",
        };
        let twins = match self.twins {
            Twins::Count => "",
            Twins::Ignore => ", without twins",
        };
        let age = self.rules.iter().find_map(|rule| rule.applies.days().map(|days| format!(", {days} days")));
        names.join(" ") + sites + twins + &age.unwrap_or_default()
    }

    /// Returns the times that documents are judged for, to be given to the judge.
    pub fn times(&self) -> &[At] {
        &self.times
    }

    /// Returns whether the noes of twins of an origin count.
    pub fn twins(&self) -> Twins {
        self.twins
    }

    /// Returns whether the user named the times.
    pub fn are_times_named(&self) -> bool {
        self.are_times_named
    }

    /// Returns the rules, in the order in which their reasons are given.
    pub fn rules(&self) -> &[PolicyRule] {
        &self.rules
    }

    /// Returns the places of the rules by which a document is dropped; none where it is kept.
    pub fn reasons<'p>(&'p self, verdict: &'p Verdict) -> impl Iterator<Item = usize> + 'p {
        let applies = move |(place, rule): (usize, &PolicyRule)| {
            let is_dropped = |verdict: &Verdict| {
                let verdict = verdict.at(rule.time);
                let is_kept_site = self.site == Unknown::Keep && is_unknown_site(verdict);
                let is_asked = !rule.applies.is_about_unknown() || !is_kept_site;
                is_asked && rule.applies.to(verdict)
            };
            verdict.each().any(is_dropped).then_some(place)
        };
        self.rules.iter().enumerate().filter_map(applies)
    }
}

impl Written {
    /// Returns the times that documents are judged for.
    fn times(&self, asked: Option<&[At]>) -> Result<Vec<At>, String> {
        let own: &[String] = match &self.at {
            Some(WrittenTimes::One(name)) => std::slice::from_ref(name),
            Some(WrittenTimes::Several(names)) => names,
            None => return Ok(asked.map_or_else(|| vec![At::Page], <[At]>::to_vec)),
        };
        let own: Result<Vec<At>, String> = own.iter().map(|name| name.parse()).collect();
        let own = own.and_then(At::distinct).map_err(|error| format!("at: {error}"))?;
        match asked {
            Some(asked) if asked != own => {
                Err(format!("at: found {}, --at has {}", names(&own), names(asked)))
            }
            _ => Ok(own),
        }
    }

    fn policy(self, resolver: &Resolver, asked: Option<&[At]>) -> Result<Policy, String> {
        let (times, are_times_named) = (self.times(asked)?, self.at.is_some() || asked.is_some());
        let name = self.preset.as_deref().unwrap_or("labels");
        let preset = PRESETS.iter().find(|(preset, _, _)| *preset == name);
        let (_, labels, unknown) =
            preset.ok_or_else(|| format!("preset: found {name}, expected one of {}", presets()))?;
        let max_age = self.max_age.as_deref().map(days).transpose()?;
        let twins = if self.twins == Some(false) { Twins::Ignore } else { Twins::Count };
        let agents = match &self.agents {
            Some(names) => names.iter().map(|name| agent(name, resolver)).collect::<Result<_, _>>()?,
            None => vec![(resolver.viewpoint().token.as_str().to_owned(), Agent::Viewpoint)],
        };
        let labels = match &self.labels {
            Some(names) => names.iter().map(|name| label(name)).collect::<Result<_, _>>()?,
            None => labels.to_vec(),
        };
        let WrittenUnknown { site, access, labels: unknown_labels, unread } = self.unknown;
        let is_dropped = |unknown: Option<Unknown>, default| unknown.unwrap_or(default) == Unknown::Drop;
        let rule = |name: &str, applies| PolicyRule { name: name.to_owned(), time: 0, applies };
        let mut rules = Vec::new();
        if is_dropped(site, Unknown::Drop) {
            rules.push(rule("site_unknown", Applies::Site));
            rules.push(rule("site_later", Applies::SiteLater));
        }
        rules.extend(
            agents.iter().map(|(name, agent)| rule(&disallow(name, *agent), Applies::Disallow(*agent))),
        );
        rules.extend(max_age.map(|days| rule("robots_old", Applies::Old(days))));
        if is_dropped(access, Unknown::Drop) && !agents.is_empty() {
            let agents = agents.iter().map(|(_, agent)| *agent).collect();
            rules.push(rule("access_unknown", Applies::Unknown(agents)));
        }
        let named = |label: &Label, word| format!("{}_{word}", label.as_str());
        rules.extend(
            labels.iter().map(|label| rule(&named(label, "disallow"), Applies::LabelDisallow(*label))),
        );
        if is_dropped(unread, *unknown) {
            rules.push(rule("unread", Applies::Unread));
        }
        if is_dropped(unknown_labels, *unknown) {
            rules.extend(
                labels.iter().map(|label| rule(&named(label, "unknown"), Applies::LabelUnknown(*label))),
            );
        }
        let mut rules = at_each_time(&rules, &times);
        in_order(&mut rules, self.order.as_deref().unwrap_or_default())?;
        Ok(Policy {
            written: String::new(),
            digest: String::new(),
            times,
            are_times_named,
            twins,
            rules,
            site: site.unwrap_or(Unknown::Drop),
        })
    }
}

fn presets() -> String {
    Policy::presets().collect::<Vec<_>>().join(", ")
}

/// Returns whether a text is one word, as the name of a preset is, and no policy.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns how many days an age such as `365d` is.
fn days(text: &str) -> Result<u32, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
    days.ok_or_else(|| format!("max_age: found {text}, expected a number of days such as 365d"))
}

fn names(times: &[At]) -> String {
    times.iter().map(At::to_string).collect::<Vec<_>>().join(",")
}

/// Returns rules for each time, whose name is behind theirs if there are several.
fn at_each_time(rules: &[PolicyRule], times: &[At]) -> Vec<PolicyRule> {
    if times.len() == 1 {
        return rules.to_vec();
    }
    let named = |(time, at): (usize, &At)| {
        let at = at.to_string();
        rules.iter().map(move |rule| PolicyRule { name: format!("{}@{at}", rule.name), time, ..rule.clone() })
    };
    times.iter().enumerate().flat_map(named).collect()
}

/// Puts the rules of some names first; a name without a time is that of the rules at every time.
fn in_order(rules: &mut [PolicyRule], order: &[String]) -> Result<(), String> {
    let is_named =
        |rule: &PolicyRule, name: &String| rule.name == *name || rule.name.split('@').next() == Some(name);
    let known = |name: &String| rules.iter().any(|rule| is_named(rule, name));
    if let Some(name) = order.iter().find(|name| !known(name)) {
        let names: Vec<&str> = rules.iter().map(PolicyRule::name).collect();
        return Err(format!("order: found {name}, expected some of {}", names.join(", ")));
    }
    rules.sort_by_key(|rule| order.iter().position(|name| is_named(rule, name)).unwrap_or(order.len()));
    Ok(())
}

/// Returns the name of the reason that an agent may not fetch a document.
fn disallow(name: &str, agent: Agent) -> String {
    match agent {
        Agent::Viewpoint => "access_disallow".to_owned(),
        Agent::Other(_) => format!("{name}_disallow"),
    }
}

fn agent(name: &str, resolver: &Resolver) -> Result<(String, Agent), String> {
    if resolver.viewpoint().token.as_str().eq_ignore_ascii_case(name) {
        return Ok((name.to_owned(), Agent::Viewpoint));
    }
    let place = resolver.tokens().iter().position(|token| token.as_str().eq_ignore_ascii_case(name));
    let place = place.and_then(|place| u32::try_from(place).ok());
    let place = place
        .ok_or_else(|| format!("agents: {name} is not in the agents table that the tables were made with"))?;
    Ok((resolver.token(place).to_owned(), Agent::Other(place)))
}

fn label(name: &str) -> Result<Label, String> {
    let names = || Label::ALL.map(Label::as_str).join(", ");
    Label::named(name).ok_or_else(|| format!("labels: found {name}, expected some of {}", names()))
}
