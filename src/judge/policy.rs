//! Which documents are kept: a policy, as a small TOML file or one of three presets.
//!
//! Example:
//! ```toml
//! preset = "labels"               # robots, labels or strict; what is not given is as there
//! agents = ["CCBot", "GPTBot"]    # robots.txt must let all of them in
//! labels = ["train_ai", "tdm"]    # none of them may be disallow
//! at = ["page", "newest"]         # at each of these times; or { access = "page, else newest", labels = "newest" }
//! order = ["train_ai_disallow"]   # the reasons that are given first
//! max_age = "365d"                # an older robots.txt says too little
//! twins = true                    # at other times than "page": a newer no of the other scheme, or with www. or without, counts
//!
//! [unknown]                       # keep or drop
//! site = "drop"                   # nothing is known of the site, or only of later; keep holds whatever the next three say
//! access = "drop"                 # robots.txt is not known
//! labels = "keep"                 # a label is unknown
//! unread = "keep"                 # something was received and could not be read in full
//! doubt = "keep"                  # something may be a no and is not understood
//! not_seen = "keep"               # something was not received: headers and metas of a document without a record
//! ```
//! What is disallowed at one of the times is always dropped, unless `[[except]]` says otherwise (`exceptions`). If there are
//! several times, the names of the reasons say which one: `train_ai_disallow@newest`. `"page, else newest"` asks the second
//! time if nothing is known of robots.txt at the first. The presets are those of `queries/views.sql`; a test checks that.

use super::at::{At, WrittenTimes, written_times};
use super::exceptions::{Exceptions, ListDigests, ReadList, WrittenException};
use super::finding::Finding;
use super::options::Twins;
use super::rules::{Applies, Asks, PolicyAgent, PolicyRule, Unknown, at_each_time, in_order};
use super::verdict::{Source, Verdict};
use crate::systems::Label;
use crate::verdict::{AskedAgent, Resolver, asked_agent};
use crate::web::product_token::ProductToken;
use crate::web::shown::visible;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;

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
    #[serde(default)]
    except: Vec<WrittenException>,
    /// The digests of the files of the exceptions.
    #[serde(default)]
    lists: ListDigests,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenUnknown {
    site: Option<Unknown>,
    access: Option<Unknown>,
    labels: Option<Unknown>,
    unread: Option<Unknown>,
    doubt: Option<Unknown>,
    not_seen: Option<Unknown>,
}

/// Which documents are kept.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The policy as written: the name of a preset, or the text of a file, with the digests of the files that it names.
    pub written: String,
    /// The SHA-256 of [`Self::written`], in hexadecimal digits.
    pub digest: String,
    /// The times that documents are judged for, to be given to the judge.
    pub times: Vec<At>,
    /// Whether the user named the times, in the policy or elsewhere.
    pub are_times_named: bool,
    /// Whether the noes of twins of an origin count.
    pub twins: Twins,
    /// The rules, in the order in which their reasons are given.
    pub rules: Vec<PolicyRule>,
    /// The exceptions.
    pub exceptions: Arc<Exceptions>,
    /// What must be the same for two policies to count as one, besides the names of their rules.
    beside: String,
}

/// The presets: labels, and what is done with unknown labels and with what was not read.
const PRESETS: [(&str, &[Label], Unknown); 3] = [
    ("robots", &[], Unknown::Keep),
    (
        "labels",
        &[Label::TrainAi, Label::TrainGenai],
        Unknown::Keep,
    ),
    (
        "strict",
        &[Label::TrainAi, Label::TrainGenai],
        Unknown::Drop,
    ),
];

impl Policy {
    /// Reads a policy: the name of a preset, or the text of a TOML file. `asked` are the times that documents are to be judged
    /// for, if the user says; otherwise, the time is that of the document. `read` reads the files that the policy names.
    pub fn read(
        text: &str,
        resolver: &Resolver,
        asked: Option<&[At]>,
        read: ReadList<'_>,
    ) -> Result<Self, String> {
        let written = match toml::from_str(text) {
            _ if Self::presets().any(|name| name == text) => Written {
                preset: Some(text.to_owned()),
                ..Written::default()
            },
            Ok(written) => written,
            Err(_) if is_word(text) => {
                return Err(format!(
                    "found {}, expected a file or one of {}",
                    visible(text),
                    presets()
                ));
            }
            Err(error) => return Err(error.to_string().trim_end().replace('\n', "; ")),
        };
        written
            .policy(text, resolver, asked, read)
            .map_err(|error| visible(&error).into_owned())
    }

    /// Returns the names of the presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _, _)| *name)
    }

    /// Returns the identity of the policy: the names of its rules, and what they ask.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.rules.iter().map(|rule| rule.name.as_str()).collect();
        names.join(" ") + &self.beside
    }

    /// Returns the maximum age of a robots.txt in days, if the policy has one.
    pub fn max_age(&self) -> Option<u32> {
        self.rules.iter().find_map(|rule| {
            if let Applies::Old(days) = rule.applies {
                Some(days)
            } else {
                None
            }
        })
    }

    /// Returns the places of the rules that drop a document; none if it is kept.
    pub fn reasons<'p>(&'p self, verdict: &'p Verdict) -> impl Iterator<Item = usize> + 'p {
        self.rules
            .iter()
            .enumerate()
            .filter_map(move |(place, rule)| {
                verdict
                    .each()
                    .any(|verdict| self.is_asked(rule, verdict) && rule.drops(verdict))
                    .then_some(place)
            })
    }

    /// Returns what an audit by this policy finds of a document.
    pub fn finding(&self, verdict: &Verdict) -> Finding {
        self.rules
            .iter()
            .filter_map(|rule| {
                let asked = verdict
                    .each()
                    .filter(|verdict| self.is_asked(rule, verdict));
                asked.map(|verdict| rule.finding(verdict)).max()
            })
            .max()
            .unwrap_or_default()
    }

    /// Returns the rule behind what an audit finds: the first with a no, else the first that drops the document.
    pub fn found_by(&self, verdict: &Verdict) -> Option<&str> {
        let rules = || {
            self.reasons(verdict)
                .filter_map(|place| self.rules.get(place))
        };
        let rule = rules()
            .find(|rule| rule.applies.is_no())
            .or_else(|| rules().next());
        rule.map(|rule| rule.name.as_str())
    }

    /// Returns whether a rule is asked about a document. Ours: if its record is of another URL or time, an exception for sites
    /// does not replace the rules of the policy.
    fn is_asked(&self, rule: &PolicyRule, verdict: &Verdict) -> bool {
        let is_in_doubt = |exception| {
            verdict.source == Source::OtherUrl && self.exceptions.is_of_sites(exception)
        };
        rule.exception == verdict.exception
            || (rule.exception.is_none() && verdict.exception.is_some_and(is_in_doubt))
    }

    /// Returns the exception that alone keeps a document.
    pub fn kept_by(&self, verdict: &Verdict) -> Option<usize> {
        let would_drop = |verdict: &Verdict| {
            self.rules
                .iter()
                .any(|rule| rule.exception.is_none() && rule.drops(verdict))
        };
        let mut under = verdict
            .each()
            .filter(|verdict| verdict.exception.is_some() && would_drop(verdict));
        under.next()?.exception.map(usize::from)
    }
}

fn preset(name: &str) -> Result<(&'static [Label], Unknown), String> {
    let found = PRESETS.into_iter().find(|(preset, _, _)| *preset == name);
    let found = found.map(|(_, labels, unknown)| (labels, unknown));
    found.ok_or_else(|| format!("found {name}, expected one of {}", presets()))
}

impl Written {
    fn exceptions(&self, read: ReadList<'_>) -> Result<(Exceptions, ListDigests), String> {
        let mut digests = ListDigests::new();
        let exceptions = Exceptions::read(&self.except, read, &mut digests)?;
        if self.lists.is_empty() || self.lists == digests {
            return Ok((exceptions, digests));
        }
        let found = digests
            .iter()
            .map(|(file, digest)| format!("{file} {digest}"));
        Err(format!(
            "lists: the files have other digests: {}",
            found.collect::<Vec<_>>().join(", ")
        ))
    }

    /// Returns the policy of this text, to which the digests of the files that it names are appended.
    fn policy(
        self,
        text: &str,
        resolver: &Resolver,
        asked: Option<&[At]>,
        read: ReadList<'_>,
    ) -> Result<Policy, String> {
        let (times, when) = written_times(self.at.as_ref(), asked)?;
        let are_times_named = self.at.is_some() || asked.is_some();
        let (labels, unknown) = preset(self.preset.as_deref().unwrap_or("labels"))
            .map_err(|error| format!("preset: {error}"))?;
        let max_age = self.max_age.as_deref().map(days).transpose()?;
        let twins = if self.twins == Some(false) {
            Twins::Ignore
        } else {
            Twins::Count
        };
        let agents: Vec<(String, PolicyAgent)> = match &self.agents {
            Some(names) => names
                .iter()
                .map(|name| agent(name, resolver))
                .collect::<Result<_, _>>()?,
            None => vec![(VIEWPOINT.to_owned(), PolicyAgent::Viewpoint)],
        };
        let labels = match &self.labels {
            Some(names) => names
                .iter()
                .map(|name| label(name))
                .collect::<Result<_, _>>()?,
            None => labels.to_vec(),
        };
        let asks = Asks {
            agents: &agents,
            max_age,
            labels,
            site: self.unknown.site.unwrap_or(Unknown::Drop),
            access: self.unknown.access.unwrap_or(Unknown::Drop),
            unknown_labels: self.unknown.labels.unwrap_or(unknown),
            unread: self.unknown.unread.unwrap_or(unknown),
            doubt: self.unknown.doubt.unwrap_or(unknown),
            not_seen: self.unknown.not_seen.unwrap_or(unknown),
        };
        let (exceptions, digests) = self.exceptions(read)?;
        let mut rules = at_each_time(&asks.rules(None), &times, &when);
        for excepted in excepted_rules(&self.except, &asks)? {
            rules.extend(at_each_time(&excepted, &times, &when));
        }
        in_order(&mut rules, self.order.as_deref().unwrap_or_default())?;
        let mut written = text.to_owned();
        if self.lists.is_empty() && !digests.is_empty() {
            let lines = digests
                .iter()
                .map(|(file, digest)| format!("{file:?} = \"{digest}\"\n"));
            written.push_str("\n[lists]\n");
            written.extend(lines);
        }
        Ok(Policy {
            digest: HEXLOWER.encode(&Sha256::digest(&written)),
            written,
            beside: beside(asks.site, twins, &self, &digests),
            times,
            are_times_named,
            twins,
            rules,
            exceptions: Arc::new(exceptions),
        })
    }
}

/// Returns the rules of each exception that has any, at the first time.
fn excepted_rules(
    exceptions: &[WrittenException],
    asks: &Asks<'_>,
) -> Result<Vec<Vec<PolicyRule>>, String> {
    let with_rules = (0..)
        .zip(exceptions)
        .filter(|(_, written)| written.rule != KEEP);
    let rules = with_rules.map(|(place, written)| {
        let (labels, unknown) = preset(&written.rule)
            .map_err(|error| format!("except {}: rule: {error} or {KEEP}", written.name))?;
        let asks = Asks {
            labels: labels.to_vec(),
            site: Unknown::Drop,
            access: Unknown::Drop,
            unknown_labels: unknown,
            unread: unknown,
            doubt: unknown,
            not_seen: unknown,
            ..*asks
        };
        Ok(asks.rules(Some((place, &written.name))))
    });
    rules.collect()
}

/// The rule of an exception whose documents are kept.
const KEEP: &str = "keep";

/// Returns what must be the same for two policies to count as one, besides the names of their rules.
fn beside(site: Unknown, twins: Twins, written: &Written, digests: &ListDigests) -> String {
    let sites = if site == Unknown::Keep {
        ", unknown sites kept"
    } else {
        ""
    };
    let twins = if twins == Twins::Ignore {
        ", without twins"
    } else {
        ""
    };
    let age = written
        .max_age
        .as_ref()
        .map(|age| format!(", {age}"))
        .unwrap_or_default();
    let else_of = written
        .at
        .as_ref()
        .filter(|at| at.has_else())
        .map(|at| format!(", {at:?}"));
    let else_of = else_of.unwrap_or_default();
    let digest = || HEXLOWER.encode(&Sha256::digest(format!("{:?} {digests:?}", written.except)));
    let except = if written.except.is_empty() {
        String::new()
    } else {
        digest()
    };
    format!("{sites}{twins}{age}{else_of} {except}")
        .trim_end()
        .to_owned()
}

fn presets() -> String {
    Policy::presets().collect::<Vec<_>>().join(", ")
}

/// Returns whether a text is one word, as the name of a preset is, and not a policy.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns the days of an age such as `365d`.
fn days(text: &str) -> Result<u32, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
    days.ok_or_else(|| format!("max_age: found {text}, expected a number of days such as 365d"))
}

/// What the product token of the tables is called in reasons.
const VIEWPOINT: &str = "access";

fn agent(name: &str, resolver: &Resolver) -> Result<(String, PolicyAgent), String> {
    if resolver.viewpoint.token.as_str().eq_ignore_ascii_case(name) {
        return Ok((VIEWPOINT.to_owned(), PolicyAgent::Viewpoint));
    }
    let place = (0..)
        .zip(resolver.tokens.iter())
        .find(|(_, token)| token.as_str().eq_ignore_ascii_case(name));
    let (place, _) = place.ok_or_else(|| {
        let meant = match asked_agent(name, resolver.tokens.iter().map(ProductToken::as_str)) {
            AskedAgent::Slip(token) => format!("; try {token}"),
            AskedAgent::Known | AskedAgent::Unknown => String::new(),
        };
        format!("agents: {name} is not in the agents table that the tables were made with{meant}")
    })?;
    Ok((resolver.token(place).to_owned(), PolicyAgent::Other(place)))
}

fn label(name: &str) -> Result<Label, String> {
    let names = || Label::ALL.map(Label::as_str).join(", ");
    Label::named(name).ok_or_else(|| format!("labels: found {name}, expected some of {}", names()))
}
