//! ai.txt as a policy: fields for the site, and blocks for agents (RULES LIVE-10, LIVE-11).
//!
//! Document: draft-car-ai-txt-wellknown-00. Example:
//!
//! ```text
//! Training: conditional        allow, deny, conditional; the agent's own block goes before
//! Training-Deny: /art/**       counts only if training is conditional
//! Agent: ExampleBot            a block: the indented lines that follow
//!   Training: deny
//! ```
//!
//! Ours: a file is a policy by its fields, not by its path; `no`, `none`, `disallow`, `disallowed`, `false` and `0` mean
//! deny; any other value is not a value.
//! Left out: a default for a file without `Training` (AMB-AITXT-1), and terms of a licence, which are kept as written.

use super::glob::Glob;
use crate::systems::Viewpoint;
use crate::web::lines::numbered_lines;
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::AgentName;

/// How many steps all patterns of a file may have together. Ours: each byte of a page's path costs at most this.
const MAX_STEPS: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Training,
    Indexing,
    Scraping,
    Caching,
    TrainingAllow,
    TrainingDeny,
    /// A condition of a yes: a licence, a fee.
    Terms,
    Agent,
}

impl Name {
    fn of(name: &[u8]) -> Option<Self> {
        let names = [
            ("training", Self::Training),
            ("indexing", Self::Indexing),
            ("scraping", Self::Scraping),
            ("caching", Self::Caching),
            ("training-allow", Self::TrainingAllow),
            ("training-deny", Self::TrainingDeny),
            ("training-license", Self::Terms),
            ("training-fee", Self::Terms),
            ("attribution", Self::Terms),
            ("agent", Self::Agent),
        ];
        names.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes())).map(|(_, name)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PolicyAnswer {
    Allow,
    Deny,
    Conditional,
}

impl PolicyAnswer {
    fn of(value: &[u8]) -> Option<Self> {
        let values = [
            ("allow", Self::Allow),
            ("deny", Self::Deny),
            ("conditional", Self::Conditional),
            // Ours (LIVE-10).
            ("no", Self::Deny),
            ("none", Self::Deny),
            ("disallow", Self::Deny),
            ("disallowed", Self::Deny),
            ("false", Self::Deny),
            ("0", Self::Deny),
        ];
        values.into_iter().find(|(known, _)| value.eq_ignore_ascii_case(known.as_bytes())).map(|(_, it)| it)
    }

    pub(super) fn preference(self) -> Preference {
        match self {
            Self::Allow => Preference::Allow,
            Self::Deny => Preference::Disallow,
            Self::Conditional => Preference::Unknown,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyLine<'a> {
    pub(super) number: u32,
    pub(super) raw: &'a [u8],
    pub(super) key: &'a [u8],
    pub(super) name: Name,
    pub(super) value: &'a [u8],
    /// The value, if it is one of three.
    pub(super) answer: Option<PolicyAnswer>,
    /// The agent of its block.
    pub(super) agent: Option<&'a [u8]>,
}

impl PolicyLine<'_> {
    fn is_of(&self, viewpoint: &Viewpoint) -> bool {
        let how = viewpoint.token_match;
        self.agent.is_some_and(|agent| AgentName::new(agent, how).is_token(viewpoint.token.compared(how)))
    }

    fn is_everyones(&self, viewpoint: &Viewpoint) -> bool {
        let how = viewpoint.token_match;
        self.agent.is_some_and(|agent| AgentName::new(agent, how) == AgentName::Everyone)
    }
}

/// Returns the lines with known fields; none if the file is not a policy.
pub(super) fn lines(file: &[u8]) -> Vec<PolicyLine<'_>> {
    let (mut lines, mut block, mut is_policy) = (Vec::new(), None, false);
    for (number, line) in numbered_lines(file) {
        let raw = line.trim_ascii();
        if raw.is_empty() || raw.starts_with(b"#") {
            continue;
        }
        let is_indented = line.starts_with(b"\t") || line.starts_with(b"  ");
        let Some(line) = field(number, raw) else {
            block = block.filter(|_| is_indented);
            continue;
        };
        if is_indented {
            lines.extend(block.map(|agent| PolicyLine { agent: Some(agent), ..line }));
            continue;
        }
        block = (line.name == Name::Agent).then_some(line.value);
        is_policy |= match line.name {
            Name::TrainingAllow | Name::TrainingDeny => is_path(line.value),
            Name::Terms | Name::Agent => false,
            Name::Training | Name::Indexing | Name::Scraping | Name::Caching => line.answer.is_some(),
        };
        lines.push(line);
    }
    if is_policy { lines } else { Vec::new() }
}

fn is_path(value: &[u8]) -> bool {
    matches!(value.first(), Some(b'/' | b'*'))
}

fn field(number: u32, raw: &[u8]) -> Option<PolicyLine<'_>> {
    let at = memchr::memchr(b':', raw)?;
    let (key, value) = (raw.get(..at)?.trim_ascii(), without_comment(raw.get(at + 1..)?).trim_ascii());
    let name = Name::of(key)?;
    Some(PolicyLine { number, raw, key, name, value, answer: PolicyAnswer::of(value), agent: None })
}

/// Ours (LIVE-10): `#` behind white space ends a value.
fn without_comment(value: &[u8]) -> &[u8] {
    let mut places = memchr::memchr_iter(b'#', value);
    let end =
        places.find(|at| at.checked_sub(1).and_then(|at| value.get(at)).is_some_and(u8::is_ascii_whitespace));
    value.get(..end.unwrap_or(value.len())).unwrap_or(value)
}

/// With its line.
type Decided = (PolicyAnswer, u32);

#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    training: Option<Decided>,
    indexing: Option<Decided>,
    denied: Vec<(Glob, u32)>,
    allowed: Vec<(Glob, u32)>,
    /// Whether there are more patterns than were kept.
    pub(super) is_cut: bool,
}

/// With the line that decides.
pub(super) type DecidedLine = (Preference, u32);

impl Policy {
    pub(super) fn new(file: &[u8], viewpoint: &Viewpoint) -> Self {
        let lines = lines(file);
        let mut policy = Self {
            training: decided(&lines, Name::Training, viewpoint),
            indexing: decided(&lines, Name::Indexing, viewpoint),
            ..Self::default()
        };
        let mut steps_left = MAX_STEPS;
        // Ours: the draft has patterns outside of blocks; in a block that binds the crawler, only the noes count.
        let binds = |line: &&PolicyLine<'_>| {
            line.agent.is_none() || line.is_of(viewpoint) || line.is_everyones(viewpoint)
        };
        for line in lines.iter().filter(binds) {
            let (glob, kept) = match line.name {
                Name::TrainingDeny => (Glob::of_deny(line.value), &mut policy.denied),
                Name::TrainingAllow if line.agent.is_none() => {
                    (Glob::of_allow(line.value), &mut policy.allowed)
                }
                Name::Training
                | Name::Indexing
                | Name::Scraping
                | Name::Caching
                | Name::TrainingAllow
                | Name::Terms
                | Name::Agent => continue,
            };
            match steps_left.checked_sub(glob.len()) {
                Some(left) => {
                    steps_left = left;
                    kept.push((glob, line.number));
                }
                None => policy.is_cut = true,
            }
        }
        policy
    }

    /// LIVE-11: if training is conditional, a pattern that denies goes first; what no pattern allows is denied (AMB-AITXT-2).
    pub(super) fn training(&self, path: Option<&UrlPath>) -> Option<DecidedLine> {
        let (answer, line) = self.training?;
        if answer != PolicyAnswer::Conditional {
            return Some((answer.preference(), line));
        }
        let path = path?;
        let matching =
            |globs: &[(Glob, u32)]| globs.iter().find(|(glob, _)| glob.matches(path)).map(|(_, line)| *line);
        Some(match (matching(&self.denied), matching(&self.allowed)) {
            (Some(line), _) => (Preference::Disallow, line),
            (None, Some(line)) => (Preference::Allow, line),
            (None, None) => (Preference::Disallow, line),
        })
    }

    /// Indexing is for retrieval.
    pub(super) fn indexing(&self) -> Option<DecidedLine> {
        self.indexing.map(|(answer, line)| (answer.preference(), line))
    }
}

/// LIVE-10: the field of the crawler's own block, else of the block for `*`, else the site's; of a repeated field the last.
fn decided(lines: &[PolicyLine<'_>], name: Name, viewpoint: &Viewpoint) -> Option<Decided> {
    let last = |is_meant: &dyn Fn(&PolicyLine<'_>) -> bool| {
        let mut fields = lines.iter().rev().filter(|line| line.name == name && is_meant(line));
        fields.find_map(|line| Some((line.answer?, line.number)))
    };
    last(&|line| line.is_of(viewpoint))
        .or_else(|| last(&|line| line.is_everyones(viewpoint)))
        .or_else(|| last(&|line| line.agent.is_none()))
}
