//! To which tokens of the agents table a robots.txt is closed.
//!
//! Document: RFC 9309 2.2.1. Example: under `User-agent: GPTBot`, `Disallow: /` everything is closed to `GPTBot`, which a group
//! names, and nothing to the others. Left out: agents that are not in the table (`agents`), and files that were not read.

use super::Class;
use super::agents::{AgentFacts, agents};
use crate::robots::{RobotsTxt, TokenSet};
use crate::verdict::Resolver;
use crate::web::product_token::{AgentName, TokenMatch};

/// Tokens of the agents table, by what a file closes to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClosedTokens {
    pub full: TokenSet,
    pub some: TokenSet,
    /// Tokens that a group names.
    pub named: TokenSet,
}

impl ClosedTokens {
    /// Returns what a file closes to the tokens of a resolver's table; `whole` has the facts for each of its names, compared whole.
    pub fn find(robots: &RobotsTxt, whole: &[AgentFacts<'_>], resolver: &Resolver) -> Self {
        let mut found = Self::default();
        match resolver.agents.how() {
            TokenMatch::Exact => found.add_agents(whole, resolver, true),
            how @ TokenMatch::Prefix => {
                found.add_agents(
                    &agents(robots, &robots.named_groups(how), &[]),
                    resolver,
                    true,
                );
            }
        }
        let listed = robots.listed_groups();
        if !listed.is_empty() {
            found.add_agents(&agents(robots, &listed, &[]), resolver, false);
        }
        found
    }

    /// Adds what groups close to the tokens that they name, alone or in a list (ACCT-5), and to all that no group names alone.
    fn add_agents(&mut self, agents: &[AgentFacts<'_>], resolver: &Resolver, are_alone: bool) {
        for facts in agents {
            for token in resolver.agents.named(&AgentName::Token(facts.agent)) {
                if are_alone {
                    self.named.insert(token);
                }
                self.add(facts.class, |tokens| tokens.insert(token));
            }
        }
        let mut others = TokenSet::first(resolver.tokens.len());
        self.named.iter().for_each(|token| others.remove(token));
        for everyone in agents.iter().filter(|facts| facts.agent == b"*") {
            self.add(everyone.class, |tokens| tokens.insert_all(&others));
        }
    }

    /// Adds what another file of the same second closes (FRAME-9).
    pub fn add_all(&mut self, other: &Self) {
        self.full.insert_all(&other.full);
        self.some.insert_all(&other.some);
        self.named.insert_all(&other.named);
    }

    /// Returns what an unreachable robots.txt closes (RFC 9309 2.3.1.4).
    pub fn unreachable(resolver: &Resolver) -> Self {
        let all = TokenSet::first(resolver.tokens.len());
        Self {
            full: all.clone(),
            some: all,
            named: TokenSet::default(),
        }
    }

    fn add(&mut self, class: Class, insert: impl Fn(&mut TokenSet)) {
        if class == Class::Full {
            insert(&mut self.full);
        }
        if class != Class::None {
            insert(&mut self.some);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::Viewpoint;
    use crate::verdict::AgentsTable;

    fn of(file: &str, how: TokenMatch) -> [String; 3] {
        let table = AgentsTable::read("token\nGPTBot\nCCBot\nMJ12bot\n").expect("a table");
        let mut viewpoint = Viewpoint::new("CCBot").expect("a token");
        viewpoint.token_match = how;
        let resolver = Resolver::new(viewpoint, &table);
        let robots = RobotsTxt::parse(file);
        let named = robots.named_groups(TokenMatch::Exact);
        let closed = ClosedTokens::find(&robots, &agents(&robots, &named, &[]), &resolver);
        [closed.full, closed.some, closed.named].map(|tokens| resolver.written(&tokens).join(" "))
    }

    #[test]
    fn rfc9309_2_2_1_a_token_that_no_group_names_has_the_class_of_everyone() {
        for (file, expected) in [
            ("", ["", "", ""]),
            (
                "User-agent: gptbot\nDisallow: /\n",
                ["GPTBot", "GPTBot", "GPTBot"],
            ),
            (
                "User-agent: *\nDisallow: /\n",
                ["GPTBot CCBot MJ12bot", "GPTBot CCBot MJ12bot", ""],
            ),
            (
                "User-agent: *\nDisallow: /\nUser-agent: CCBOT/2.0\nDisallow: /a\n",
                ["GPTBot MJ12bot", "GPTBot CCBot MJ12bot", "CCBot"],
            ),
            (
                "User-agent: *\nDisallow: /a\nUser-agent: GPTBot\nAllow: /\n",
                ["", "CCBot MJ12bot", "GPTBot"],
            ),
        ] {
            assert_eq!(of(file, TokenMatch::Exact), expected, "{file}");
        }
    }

    #[test]
    fn local_names_are_compared_as_the_viewpoint_says() {
        let file = "User-agent: MJ\nDisallow: /\n";
        assert_eq!(of(file, TokenMatch::Exact), ["", "", ""]);
        assert_eq!(
            of(file, TokenMatch::Prefix),
            ["MJ12bot", "MJ12bot", "MJ12bot"]
        );
    }
}
