//! Whether the choice between two ways to compare names matters for a file.
//!
//! Document: RFC 9309 2.2.1; the ways are in `product_token.rs`. Example: `User-agent: MJ13bot` is not in a list with
//! `MJ12bot`, but cut as Google's parser cuts names, both are `MJ`. Left out: which way is right.

use super::agents::Agents;
use super::{Fault, RobotsTxt};
use crate::web::product_token::{AgentName, ProductToken, TokenMatch};
use std::collections::BTreeSet;

/// A list of product tokens, prepared to be compared in both ways.
#[derive(Clone, Debug)]
pub struct BothMatches {
    tokens: Vec<ProductToken>,
    whole: Agents,
    cut: Agents,
}

struct AgentLine<'a> {
    group: u32,
    /// The name, compared whole.
    whole: AgentName<'a>,
    /// The name, cut.
    cut: AgentName<'a>,
}

impl BothMatches {
    /// Prepares a list of tokens.
    pub fn new(tokens: &[ProductToken]) -> Self {
        let [whole, cut] = [TokenMatch::Exact, TokenMatch::Prefix].map(|how| Agents::new(tokens, how));
        Self { tokens: tokens.to_vec(), whole, cut }
    }

    /// Returns the list for comparison of whole names.
    pub fn whole(&self) -> &Agents {
        &self.whole
    }

    /// Returns the tokens that may have other groups if names are compared in the other way.
    fn doubtful(&self, lines: &[AgentLine<'_>]) -> Vec<&ProductToken> {
        let mut places = BTreeSet::new();
        for AgentLine { whole, cut, .. } in lines {
            if whole == cut {
                places.extend(self.cut_tokens(cut));
            } else if [whole, cut].contains(&&AgentName::Everyone) {
                return self.tokens.iter().collect();
            } else {
                places.extend(self.whole.named(whole).chain(self.cut.named(cut)));
            }
        }
        places.iter().filter_map(|place| self.tokens.get(*place as usize)).collect()
    }

    /// Returns the places of the tokens that comparison by prefix cuts to this name.
    fn cut_tokens<'a>(&'a self, name: &AgentName<'a>) -> impl Iterator<Item = u32> {
        let is_cut =
            |place: &u32| self.tokens.get(*place as usize).is_some_and(ProductToken::is_cut_by_prefix);
        self.cut.named(name).filter(is_cut)
    }
}

impl RobotsTxt {
    /// Returns whether the two ways to compare names select different groups for one of the tokens.
    pub fn depends_on_token_match(&self, tokens: &BothMatches) -> bool {
        if !self.may_depend(tokens) {
            return false;
        }
        let lines: Vec<AgentLine<'_>> =
            self.agent_lines().map(|(group, line)| AgentLine::new(group, line.value)).collect();
        let everyone = groups(&lines, |name, _| *name == AgentName::Everyone);
        tokens.doubtful(&lines).into_iter().any(|token| {
            let [whole, cut] = groups(&lines, |name, how| name.is_token(token.compared(how)));
            // The groups for everyone apply only if no group names the crawler.
            let or = |own: Vec<u32>, everyone: &[u32]| if own.is_empty() { everyone.to_vec() } else { own };
            let [for_all, for_all_cut] = &everyone;
            or(whole, for_all) != or(cut, for_all_cut)
        })
    }

    /// Returns whether that is possible. Names that are product tokens are whole in both ways: only a cut token may match such
    /// a name in one way alone.
    fn may_depend(&self, tokens: &BothMatches) -> bool {
        let finds_cut =
            |name: &[u8]| !name.is_empty() && tokens.cut_tokens(&AgentName::Token(name)).next().is_some();
        self.has(Fault::AgentNoToken) || self.agent_lines().any(|(_, line)| finds_cut(line.value))
    }
}

impl<'a> AgentLine<'a> {
    fn new(group: u32, value: &'a [u8]) -> Self {
        let name = |how: TokenMatch| AgentName::new(value, how);
        Self { group, whole: name(TokenMatch::Exact), cut: name(TokenMatch::Prefix) }
    }
}

/// Returns the groups of the lines that are meant: with names compared whole, and cut.
fn groups(lines: &[AgentLine<'_>], is_meant: impl Fn(&AgentName<'_>, TokenMatch) -> bool) -> [Vec<u32>; 2] {
    [TokenMatch::Exact, TokenMatch::Prefix].map(|how| {
        let is_meant = |line: &AgentLine<'_>| match how {
            TokenMatch::Exact => is_meant(&line.whole, how),
            TokenMatch::Prefix => is_meant(&line.cut, how),
        };
        let lines = lines.iter().filter(|line| is_meant(line));
        let mut groups: Vec<u32> = lines.map(|line| line.group).collect();
        groups.dedup();
        groups
    })
}
