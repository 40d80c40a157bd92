//! What each body of a site file says as a whole, found while its rows are made, and needed once for each origin.
//!
//! Example: a managed robots.txt that a thousand origins share is read once. What bodies close to the tokens of
//! the agents table is alike for most of them, and kept once.

use crate::robots::{ParseLimit, RobotsTxt};
use crate::systems::{FileBody, SYSTEMS, Source};
use crate::verdict::Resolver;
use crate::verdict::account::{AccountedStatement, each_statement, near_misses};
use crate::verdict::site::{AgentFacts, ClosedTokens, agents};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What one body says as a whole.
#[derive(Clone, Debug, Default)]
pub struct BodyFacts {
    /// The systems whose statements it holds: a bit for each, by its place.
    systems: u64,
    /// Of these, those with a valid statement.
    valid: u64,
    /// Whether it has units about AI that no system knows, which have rows, too (ACCT-6).
    has_unrecognised: bool,
    /// Whether a unit of it may be a no that was not understood, or was meant as a rule and cannot be read (ACCT-2, ACCT-4).
    has_doubt: bool,
    /// What it closes, where it is a robots.txt.
    closed: Option<Arc<ClosedTokens>>,
}

impl BodyFacts {
    /// Returns what a readable body says.
    pub fn of(kind: CaptureKind, body: FileBody<'_>, resolver: &Resolver) -> Self {
        let mut said = Self::default();
        if kind == CaptureKind::Robots {
            let robots = RobotsTxt::parse_text(body.bytes, body.extent, ParseLimit::default());
            said.add_statements(&Source::Robots(&robots), resolver);
            said.add_robots(
                &robots,
                &agents(&robots, &robots.named_groups(TokenMatch::Exact), &[]),
                resolver,
            );
        } else {
            said.add_statements(&Source::SiteFile(kind, body), resolver);
        }
        said
    }

    fn add_statements(&mut self, source: &Source<'_>, resolver: &Resolver) {
        each_statement(source, resolver.viewpoint(), &mut |accounted| {
            self.add_statement(accounted);
        });
    }

    /// Adds what a robots.txt closes, by what it says to each agent that it names.
    pub fn add_robots(&mut self, robots: &RobotsTxt, agents: &[AgentFacts<'_>], resolver: &Resolver) {
        self.has_doubt |= !near_misses(robots).is_empty();
        self.closed = Some(Arc::new(ClosedTokens::of(robots, agents, resolver)));
    }

    /// Adds a statement of a system, or of a unit that no system knows.
    pub fn add_statement(&mut self, accounted: &AccountedStatement<'_>) {
        self.has_doubt |= accounted.is_doubt;
        let Some(place) = accounted.system else {
            self.has_unrecognised = true;
            return;
        };
        self.systems |= 1 << place;
        self.valid |= u64::from(accounted.statement.defect.is_none()) << place;
    }
}

/// What bodies say, by their numbers.
#[derive(Default)]
pub struct FactsByBody {
    said: HashMap<u32, BodyFacts>,
    closed: HashSet<Arc<ClosedTokens>>,
}

impl FactsByBody {
    /// Adds a body.
    pub fn add(&mut self, body: u32, mut said: BodyFacts) {
        if let Some(closed) = said.closed.take() {
            let known = self.closed.get(&closed).cloned();
            said.closed = Some(known.unwrap_or_else(|| {
                self.closed.insert(Arc::clone(&closed));
                closed
            }));
        }
        self.said.insert(body, said);
    }

    /// Returns whether a body has rows of statements.
    pub fn has_statements(&self, body: u32) -> bool {
        self.said.get(&body).is_some_and(|said| said.systems != 0 || said.has_unrecognised)
    }

    /// Returns whether some bodies state nothing, so that no label follows from them.
    pub fn state_nothing(&self, mut bodies: impl Iterator<Item = u32>, resolver: &Resolver) -> bool {
        let is_silent = |said: &BodyFacts| {
            let named = said.closed.as_ref().map(|closed| &closed.named);
            !said.has_doubt
                && said.systems == 0
                && !named.is_some_and(|named| resolver.has_policy_token(named))
        };
        bodies.all(|body| self.said.get(&body).is_some_and(is_silent))
    }

    /// Returns what a robots.txt closes.
    pub fn closed(&self, body: u32) -> Option<&ClosedTokens> {
        self.said.get(&body)?.closed.as_deref()
    }

    /// Returns the systems whose statements some bodies hold, in their order.
    pub fn systems(&self, bodies: &[u32]) -> Vec<&'static str> {
        self.named(bodies, |said| said.systems)
    }

    /// Returns the systems whose valid statements some bodies hold, in their order.
    pub fn systems_valid(&self, bodies: &[u32]) -> Vec<&'static str> {
        self.named(bodies, |said| said.valid)
    }

    fn named(&self, bodies: &[u32], bits_of: impl Fn(&BodyFacts) -> u64) -> Vec<&'static str> {
        let said = bodies.iter().filter_map(|body| self.said.get(body));
        let bits = said.fold(0, |bits, said| bits | bits_of(said));
        let stated = SYSTEMS.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        stated.map(|(_, system)| system.about().name).collect()
    }
}
