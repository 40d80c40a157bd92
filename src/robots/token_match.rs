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

/// The names in user-agent lines, compared in one way, with the places of their groups.
type LineNames<'a> = Vec<(u32, AgentName<'a>)>;

impl BothMatches {
    /// Prepares a list of tokens.
    pub fn new(tokens: &[ProductToken]) -> Self {
        let [whole, cut] =
            [TokenMatch::Exact, TokenMatch::Prefix].map(|how| Agents::new(tokens, how));
        Self {
            tokens: tokens.to_vec(),
            whole,
            cut,
        }
    }

    /// Returns the list for comparison of whole names.
    pub fn whole(&self) -> &Agents {
        &self.whole
    }

    /// Returns the tokens that may have other groups if names are compared in the other way.
    fn doubtful(&self, whole: &LineNames<'_>, cut: &LineNames<'_>) -> Vec<&ProductToken> {
        let mut places = BTreeSet::new();
        for ((_, whole), (_, cut)) in whole.iter().zip(cut) {
            if whole == cut {
                places.extend(self.cut_tokens(cut));
            } else if [whole, cut].contains(&&AgentName::Everyone) {
                return self.tokens.iter().collect();
            } else {
                places.extend(self.whole.named(whole).chain(self.cut.named(cut)));
            }
        }
        places
            .iter()
            .filter_map(|place| self.tokens.get(*place as usize))
            .collect()
    }

    /// Returns the places of the tokens that comparison by prefix cuts to this name.
    fn cut_tokens<'a>(&'a self, name: &AgentName<'a>) -> impl Iterator<Item = u32> {
        let is_cut = |place: &u32| {
            self.tokens
                .get(*place as usize)
                .is_some_and(ProductToken::is_cut_by_prefix)
        };
        self.cut.named(name).filter(is_cut)
    }
}

impl RobotsTxt {
    /// Returns whether the two ways to compare names select different groups for one of the tokens.
    pub fn depends_on_token_match(&self, tokens: &BothMatches) -> bool {
        if !self.may_depend(tokens) {
            return false;
        }
        let names = |how: TokenMatch| -> LineNames<'_> {
            self.agent_lines()
                .map(|(group, line)| (group, AgentName::new(line.value, how)))
                .collect()
        };
        let (whole, cut) = (names(TokenMatch::Exact), names(TokenMatch::Prefix));
        let groups_of = |token: &ProductToken, names: &LineNames<'_>, how: TokenMatch| {
            let own = groups(names, |name| name.is_token(token.compared(how)));
            // The groups for everyone apply only if no group names the crawler.
            if own.is_empty() {
                groups(names, |name| *name == AgentName::Everyone)
            } else {
                own
            }
        };
        tokens.doubtful(&whole, &cut).into_iter().any(|token| {
            groups_of(token, &whole, TokenMatch::Exact)
                != groups_of(token, &cut, TokenMatch::Prefix)
        })
    }

    /// Returns whether that is possible. Names that are product tokens are whole in both ways: only a cut token may match such
    /// a name in one way alone.
    fn may_depend(&self, tokens: &BothMatches) -> bool {
        let finds_cut = |name: &[u8]| {
            !name.is_empty() && tokens.cut_tokens(&AgentName::Token(name)).next().is_some()
        };
        self.has(Fault::AgentNoToken) || self.agent_lines().any(|(_, line)| finds_cut(line.value))
    }
}

fn groups(names: &LineNames<'_>, is_meant: impl Fn(&AgentName<'_>) -> bool) -> Vec<u32> {
    let meant = names.iter().filter(|(_, name)| is_meant(name));
    let mut groups: Vec<u32> = meant.map(|(group, _)| *group).collect();
    groups.dedup();
    groups
}
