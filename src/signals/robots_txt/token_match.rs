//! Whether it matters for a file in which of two ways names are compared.
//!
//! Document: RFC 9309 2.2.1; the ways are in `product_token.rs`. Example: `User-agent: MJ13bot` is nobody's of
//! a list with `MJ12bot`, but cut as Google's parser cuts names, both are `MJ`.
//! Left out: which of the two is right.

use super::agents::Agents;
use super::{Fault, RobotsTxt};
use crate::web::product_token::{AgentName, ProductToken, TokenMatch};
use std::collections::BTreeMap;

/// A list of product tokens, prepared to be compared in both ways.
#[derive(Clone, Debug)]
pub struct BothMatches {
    token_count: usize,
    ways: [Agents; 2],
    /// The tokens that are cut when they are compared by prefix.
    cut: Agents,
}

impl BothMatches {
    /// Prepares a list.
    #[must_use]
    pub fn new(tokens: &[ProductToken]) -> Self {
        let ways = [TokenMatch::Exact, TokenMatch::Prefix].map(|how| Agents::new(tokens, how));
        let cut: Vec<_> = tokens.iter().filter(|token| token.is_cut_by_prefix()).cloned().collect();
        Self { token_count: tokens.len(), ways, cut: Agents::new(&cut, TokenMatch::Prefix) }
    }
}

/// The groups of one name, compared in each of the two ways.
type Groups = [Vec<u32>; 2];

impl RobotsTxt {
    /// Tells whether the two ways to compare names select other groups for one of the tokens.
    #[must_use]
    pub fn depends_on_token_match(&self, tokens: &BothMatches) -> bool {
        if !self.may_depend(tokens) {
            return false;
        }
        let (mut everyone, mut own) = (Groups::default(), BTreeMap::<u32, Groups>::new());
        for (group, line) in self.agent_lines() {
            for (way, agents) in tokens.ways.iter().enumerate() {
                let name = line.agent(agents.how());
                if name == AgentName::Everyone {
                    add(&mut everyone, way, group);
                }
                for token in agents.named(&name) {
                    add(own.entry(token).or_default(), way, group);
                }
            }
        }
        let [whole, cut] = &everyone;
        let is_doubtful = |[own_whole, own_cut]: &Groups| or(own_whole, whole) != or(own_cut, cut);
        own.values().any(is_doubtful) || own.len() < tokens.token_count && whole != cut
    }

    /// Tells whether that is possible. Names that are product tokens stay whole both ways: only tokens that
    /// are cut may be found by them in one way alone.
    fn may_depend(&self, tokens: &BothMatches) -> bool {
        if self.has(Fault::AgentNoToken) {
            return true;
        }
        let finds_cut =
            |name: &[u8]| !name.is_empty() && tokens.cut.named(&AgentName::Token(name)).next().is_some();
        self.agent_lines().any(|(_, line)| finds_cut(line.value))
    }
}

/// Only where no group names a crawler, those for everyone apply.
fn or<'g>(own: &'g [u32], everyone: &'g [u32]) -> &'g [u32] {
    if own.is_empty() { everyone } else { own }
}

fn add(groups: &mut Groups, way: usize, group: u32) {
    if let Some(groups) = groups.get_mut(way)
        && groups.last() != Some(&group)
    {
        groups.push(group);
    }
}
