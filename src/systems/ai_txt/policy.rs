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
use crate::systems::words::meaning;
use crate::web::lines::numbered_lines;
use crate::web::lines::split_once;
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

const NAMES: [(&str, Name); 10] = [
    ("training", Name::Training),
    ("indexing", Name::Indexing),
    ("scraping", Name::Scraping),
    ("caching", Name::Caching),
    ("training-allow", Name::TrainingAllow),
    ("training-deny", Name::TrainingDeny),
    ("training-license", Name::Terms),
    ("training-fee", Name::Terms),
    ("attribution", Name::Terms),
    ("agent", Name::Agent),
];

/// The answers; a conditional one says neither yes nor no itself.
const ANSWERS: [(&str, Preference); 9] = [
    ("allow", Preference::Allow),
    ("deny", Preference::Disallow),
    ("conditional", Preference::Unknown),
    // Ours (LIVE-10).
    ("no", Preference::Disallow),
    ("none", Preference::Disallow),
    ("disallow", Preference::Disallow),
    ("disallowed", Preference::Disallow),
    ("false", Preference::Disallow),
    ("0", Preference::Disallow),
];

#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyLine<'a> {
    pub(super) number: u32,
    pub(super) raw: &'a [u8],
    pub(super) key: &'a [u8],
    pub(super) name: Name,
    pub(super) value: &'a [u8],
    /// The value, if it is an answer.
    pub(super) answer: Option<Preference>,
    /// The agent of its block.
    pub(super) agent: Option<&'a [u8]>,
}

impl PolicyLine<'_> {
    fn is_of(&self, viewpoint: &Viewpoint) -> bool {
        let how = viewpoint.token_match;
        self.agent.is_some_and(|agent| AgentName::new(agent, how).is_token(viewpoint.token.compared(how)))
    }

    fn is_everyones(&self, viewpoint: &Viewpoint) -> bool {
        self.agent.is_some_and(|agent| AgentName::new(agent, viewpoint.token_match) == AgentName::Everyone)
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
            Name::TrainingAllow | Name::TrainingDeny => matches!(line.value.first(), Some(b'/' | b'*')),
            Name::Terms | Name::Agent => false,
            Name::Training | Name::Indexing | Name::Scraping | Name::Caching => line.answer.is_some(),
        };
        lines.push(line);
    }
    if is_policy { lines } else { Vec::new() }
}

fn field(number: u32, raw: &[u8]) -> Option<PolicyLine<'_>> {
    let (key, value) = split_once(raw, b':')?;
    let (key, value) = (key.trim_ascii(), without_comment(value).trim_ascii());
    let name = meaning(&NAMES, key)?;
    Some(PolicyLine { number, raw, key, name, value, answer: meaning(&ANSWERS, value), agent: None })
}

/// Ours (LIVE-10): `#` behind white space ends a value.
fn without_comment(value: &[u8]) -> &[u8] {
    let begins = |pair: &[u8]| matches!(pair, [blank, b'#'] if blank.is_ascii_whitespace());
    let end = value.windows(2).position(begins).unwrap_or(value.len());
    value.get(..end).unwrap_or(value)
}

/// What is said, with the line that says it.
type PolicySaid = (Preference, u32);

#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    training: Option<PolicySaid>,
    pub(super) indexing: Option<PolicySaid>,
    denied: Vec<(Glob, u32)>,
    allowed: Vec<(Glob, u32)>,
    /// Whether there are more patterns than were kept.
    pub(super) is_cut: bool,
}

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
                _ => continue,
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
    pub(super) fn training(&self, path: Option<&UrlPath>) -> Option<PolicySaid> {
        let (answer, line) = self.training?;
        if answer != Preference::Unknown {
            return Some((answer, line));
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
}

/// LIVE-10: the field of the crawler's own block, else of the block for `*`, else the site's; of a repeated field the last.
fn decided(lines: &[PolicyLine<'_>], name: Name, viewpoint: &Viewpoint) -> Option<PolicySaid> {
    let last = |is_meant: &dyn Fn(&PolicyLine<'_>) -> bool| {
        let mut fields = lines.iter().rev().filter(|line| line.name == name && is_meant(line));
        fields.find_map(|line| Some((line.answer?, line.number)))
    };
    last(&|line| line.is_of(viewpoint))
        .or_else(|| last(&|line| line.is_everyones(viewpoint)))
        .or_else(|| last(&|line| line.agent.is_none()))
}
