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
use super::{CATEGORY, INDEXING};
use crate::systems::Viewpoint;
use crate::systems::words::meaning;
use crate::web::lines::{numbered_lines, split_once};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::{AgentName, listed_names};

/// How many steps all patterns of a file may have together. Ours: each byte of a page's path costs at most this.
const MAX_STEPS: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Takes an answer for a category.
    Answer(&'static str),
    /// Takes a pattern of paths for training, with what that states.
    Path(Preference),
    /// A condition of a yes: a licence, a fee.
    Terms,
    Agent,
}

const NAMES: [(&str, Name); 10] = [
    ("training", Name::Answer(CATEGORY)),
    ("indexing", Name::Answer(INDEXING)),
    ("scraping", Name::Answer("scraping")),
    ("caching", Name::Answer("caching")),
    ("training-allow", Name::Path(Preference::Allow)),
    ("training-deny", Name::Path(Preference::Disallow)),
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
    pub(super) answer: Option<Preference>,
    pub(super) agent: Option<&'a [u8]>,
}

impl PolicyLine<'_> {
    /// Returns how near the line is to the viewpoint's crawler: in a block of its own (2), in one for `*` (1), in none (0);
    /// `None`: in a block of others.
    fn nearness(&self, viewpoint: &Viewpoint) -> Option<u8> {
        let Some(agent) = self.agent else {
            return Some(0);
        };
        let how = viewpoint.token_match;
        let agent = AgentName::new(agent, how);
        let is_own = agent.is_token(viewpoint.token.compared(how));
        if is_own {
            Some(2)
        } else {
            (agent == AgentName::Everyone).then_some(1)
        }
    }

    /// ACCT-5: returns whether the line is in a block whose list of names has the crawler, or `*` where no block names the crawler.
    fn is_listed(&self, viewpoint: &Viewpoint, has_block: bool) -> bool {
        let compared = viewpoint.token.compared(viewpoint.token_match);
        let is_meant = |name: AgentName<'_>| {
            name.is_token(compared) || !has_block && name == AgentName::Everyone
        };
        self.agent
            .is_some_and(|agent| listed_names(agent).any(is_meant))
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
            lines.extend(block.map(|agent| PolicyLine {
                agent: Some(agent),
                ..line
            }));
            continue;
        }
        block = (line.name == Name::Agent).then_some(line.value);
        is_policy |= match line.name {
            Name::Path(_) => matches!(line.value.first(), Some(b'/' | b'*')),
            Name::Terms | Name::Agent => false,
            Name::Answer(_) => line.answer.is_some(),
        };
        lines.push(line);
    }
    if is_policy { lines } else { Vec::new() }
}

fn field(number: u32, raw: &[u8]) -> Option<PolicyLine<'_>> {
    let (key, value) = split_once(raw, b':')?;
    let (key, value) = (key.trim_ascii(), without_comment(value).trim_ascii());
    let name = meaning(&NAMES, key)?;
    Some(PolicyLine {
        number,
        raw,
        key,
        name,
        value,
        answer: meaning(&ANSWERS, value),
        agent: None,
    })
}

/// Ours (LIVE-10): `#` behind white space ends a value.
fn without_comment(value: &[u8]) -> &[u8] {
    let begins = |pair: &[u8]| matches!(pair, [blank, b'#'] if blank.is_ascii_whitespace());
    let end = value.windows(2).position(begins).unwrap_or(value.len());
    value.get(..end).unwrap_or(value)
}

type PolicySaid = (Preference, u32);

#[derive(Clone, Debug, Default)]
pub(super) struct FilePolicy {
    training: Option<PolicySaid>,
    pub(super) indexing: Option<PolicySaid>,
    denied: Vec<(Glob, u32)>,
    allowed: Vec<(Glob, u32)>,
    pub(super) is_cut: bool,
}

impl FilePolicy {
    pub(super) fn new(file: &[u8], viewpoint: &Viewpoint) -> Self {
        let lines = lines(file);
        let mut policy = Self {
            training: decided(&lines, CATEGORY, viewpoint),
            indexing: decided(&lines, INDEXING, viewpoint),
            ..Self::default()
        };
        let mut steps_left = MAX_STEPS;
        // Ours: the draft has patterns outside of blocks; in a block that binds the crawler, only the noes count.
        for line in lines
            .iter()
            .filter(|line| line.nearness(viewpoint).is_some())
        {
            let (glob, kept) = match line.name {
                Name::Path(Preference::Disallow) => (Glob::of_deny(line.value), &mut policy.denied),
                Name::Path(Preference::Allow) if line.agent.is_none() => {
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
        let matching = |globs: &[(Glob, u32)]| {
            globs
                .iter()
                .find(|(glob, _)| glob.matches(path))
                .map(|(_, line)| *line)
        };
        Some(match (matching(&self.denied), matching(&self.allowed)) {
            (Some(line), _) => (Preference::Disallow, line),
            (None, Some(line)) => (Preference::Allow, line),
            (None, None) => (Preference::Disallow, line),
        })
    }
}

/// LIVE-10: the field of the crawler's own block, else of the block for `*`, else the site's; of a repeated field the last. A no of a
/// block for a list of names goes first (ACCT-5).
fn decided(
    lines: &[PolicyLine<'_>],
    category: &'static str,
    viewpoint: &Viewpoint,
) -> Option<PolicySaid> {
    let fields = || {
        lines
            .iter()
            .filter(|line| line.name == Name::Answer(category))
    };
    let has_block = lines.iter().any(|line| line.nearness(viewpoint) == Some(2));
    let refuses = |line: &&PolicyLine<'_>| {
        line.answer == Some(Preference::Disallow) && line.is_listed(viewpoint, has_block)
    };
    if let Some(refusing) = fields().find(refuses) {
        return Some((Preference::Disallow, refusing.number));
    }
    let said =
        fields().filter_map(|line| Some((line.nearness(viewpoint)?, line.number, line.answer?)));
    let nearest = said.max_by_key(|(nearness, number, _)| (*nearness, *number));
    nearest.map(|(_, number, answer)| (answer, number))
}
