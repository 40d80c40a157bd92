//! What the lines of a file that cannot be read may close, and to whom (RULES ACCT-4, ACCT-14, KNOW-10).
//!
//! Example: `User-agen: a` above `Disallow: /b` may close `/b` to `a`, and `GPTBot Disallow: /` anything to anybody. Left out: which
//! lines these are (`near_miss`), and how they are written as rules (`rewritten`).

use super::RobotsTxt;
use super::agents::{AgentRules, Agents, TokenSet};
use super::lost_for::NearMiss;
use super::selection::Matched;
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::AgentName;

/// What the lines that cannot be read may close to each token of a list.
#[derive(Debug)]
pub struct LostRules {
    /// The tokens to which they may close any path.
    lost_for: TokenSet,
    /// The rules of the file with these lines written as rules, where that is known: they close what it closes, and nothing else.
    rewritten: Option<AgentRules>,
}

impl LostRules {
    /// Compiles near misses for a list of tokens; `rules` are those of the file itself, `rewritten` is the file with these lines written
    /// as rules.
    pub fn new(
        misses: &[NearMiss<'_>],
        rewritten: Option<&RobotsTxt>,
        agents: &Agents,
        rules: &AgentRules,
    ) -> Self {
        Self {
            lost_for: lost_for(misses, agents, rules),
            rewritten: rewritten.map(|robots| robots.rules_for(agents)),
        }
    }

    /// Returns the rules of the file with these lines written as rules.
    pub fn rewritten(&self) -> Option<&AgentRules> {
        self.rewritten.as_ref()
    }

    /// Returns whether they may close a path to a token.
    pub fn may_close(&self, token: u32, path: &UrlPath) -> bool {
        match &self.rewritten {
            Some(rules) => rules.access(token, path).is_disallowed(),
            None => self.lost_for.contains(token),
        }
    }

    /// Returns whether they may close a path to other tokens than these.
    pub fn may_close_to_others(&self, tokens: &TokenSet, path: &UrlPath) -> bool {
        match &self.rewritten {
            Some(rules) => rules
                .disallowed(path)
                .iter()
                .any(|token| !tokens.contains(token)),
            None => !self.lost_for.is_empty(),
        }
    }
}

/// Returns the tokens for which lines may be meant: those that they name, and those that obey the groups for `*` where they name everyone.
fn lost_for(misses: &[NearMiss<'_>], agents: &Agents, rules: &AgentRules) -> TokenSet {
    let mut tokens = TokenSet::default();
    for miss in misses {
        let Some(names) = miss.names(agents.how()) else {
            return agents.all();
        };
        for name in names {
            if name == AgentName::Everyone {
                let is_unnamed = |place: &u32| rules.matched(*place) != Matched::Explicit;
                let unnamed = agents.all();
                let unnamed = unnamed.iter().filter(is_unnamed);
                unnamed.for_each(|place| tokens.insert(place));
            }
            agents.named(&name).for_each(|place| tokens.insert(place));
        }
    }
    tokens
}
