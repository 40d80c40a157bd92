//! May this crawler fetch this page, by robots.txt alone, and who else may not.
//!
//! Document: RFC 9309 2.2.1 to 2.2.3 for a file that was read, 2.3.1.3 and 2.3.1.4 for one that was
//! unavailable or unreachable. Unknown is never allowed: where no robots.txt decides, the answer is
//! unknown for everybody.

use super::agents::AgentsTable;
use super::labels::{Answers, Label, Labels, Reading};
use super::timeline::RobotsState;
use crate::robots::{
    AgentRules, Agents, BothMatches, Extent, Matched, ParseLimit, RobotsTxt, Selection, TokenSet, Verdict,
};
use crate::systems::{Ground, Page, Policy, SYSTEMS, Site, Viewpoint};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;

/// Answers for one viewpoint and one table of agents.
pub struct Resolver {
    viewpoint: Viewpoint,
    tokens: Vec<ProductToken>,
    agents: Agents,
    /// The viewpoint's place among the tokens.
    place: u32,
    /// What systems say where there is no robots.txt.
    silent: Vec<Box<dyn Policy>>,
    /// The tokens, for both ways to compare names.
    both_matches: BothMatches,
    /// The places of the tokens that speak for labels.
    speaking: Vec<(u32, Vec<Label>)>,
}

/// What one robots.txt says, compiled for a resolver.
pub struct SitePolicy {
    robots: RobotsTxt,
    rules: AgentRules,
    policies: Vec<Box<dyn Policy>>,
}

/// The answer of robots.txt for one page.
#[derive(Clone, Debug)]
pub struct Crawl<'p> {
    /// May the viewpoint's crawler fetch it?
    pub access: Preference,
    /// Why: the rule's kind, or the state of robots.txt.
    pub reason: &'static str,
    /// The line that decided, from 1.
    pub line: Option<u32>,
    /// That line without comment and outer white space.
    pub rule: Option<&'p [u8]>,
    /// How groups were found; `None` where no file was read.
    pub matched: Option<Matched>,
    /// Which tokens may not fetch it.
    pub disallowed: Disallowed,
}

/// Which tokens of the table may not fetch a page.
#[derive(Clone, Debug)]
pub enum Disallowed {
    /// It is not known.
    Unknown,
    /// None of them may.
    All,
    /// These may not.
    Some(TokenSet),
}

impl Resolver {
    /// Returns a resolver; the viewpoint's token joins the table where it is not in it.
    #[must_use]
    pub fn new(viewpoint: Viewpoint, table: &AgentsTable) -> Self {
        let mut tokens = table.tokens().to_vec();
        let is_viewpoint =
            |token: &ProductToken| token.as_str().eq_ignore_ascii_case(viewpoint.token.as_str());
        let place = tokens.iter().position(is_viewpoint).unwrap_or_else(|| {
            tokens.push(viewpoint.token.clone());
            tokens.len() - 1
        });
        let agents = Agents::new(&tokens, viewpoint.token_match);
        let silent = SYSTEMS.iter().map(|system| system.compile(None, &viewpoint)).collect();
        let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        let speaking = table.speaking().map(|(place, labels)| (number(place), labels.to_vec())).collect();
        let both_matches = BothMatches::new(&tokens);
        Self { agents, tokens, place: number(place), silent, both_matches, speaking, viewpoint }
    }

    /// Returns the viewpoint.
    #[must_use]
    pub fn viewpoint(&self) -> &Viewpoint {
        &self.viewpoint
    }

    /// Returns the tokens by their places.
    #[must_use]
    pub fn tokens(&self) -> &[ProductToken] {
        &self.tokens
    }

    /// Returns the tokens, for both ways to compare names.
    #[must_use]
    pub fn both_matches(&self) -> &BothMatches {
        &self.both_matches
    }

    /// Returns a token by its place, as the table writes it.
    #[must_use]
    pub fn token(&self, place: u32) -> &str {
        self.tokens.get(place as usize).map_or("", ProductToken::as_str)
    }

    /// Reads a robots.txt and compiles what it says.
    #[must_use]
    pub fn compile(&self, body: &[u8], extent: Extent) -> SitePolicy {
        let robots = RobotsTxt::parse(body, extent, ParseLimit::default());
        let rules = robots.rules_for(&self.agents);
        let selection = robots.selection(&self.viewpoint.token, self.viewpoint.token_match);
        let site = Site { robots: &robots, selection: &selection };
        let policies = SYSTEMS.iter().map(|system| system.compile(Some(&site), &self.viewpoint)).collect();
        SitePolicy { robots, rules, policies }
    }

    /// Returns the answer of robots.txt for a path: `policy` is that of the body, where the state is
    /// [`RobotsState::Parsed`].
    #[must_use]
    pub fn crawl<'p>(
        &self,
        state: RobotsState,
        policy: Option<&'p SitePolicy>,
        path: Option<&UrlPath>,
    ) -> Crawl<'p> {
        match (state, policy, path) {
            (RobotsState::Parsed, Some(policy), Some(path)) => self.read(policy, path),
            (RobotsState::Unavailable, ..) => Crawl {
                access: Preference::Allow,
                disallowed: Disallowed::Some(TokenSet::default()),
                ..Crawl::unknown(state.as_str())
            },
            (RobotsState::Unreachable, ..) => Crawl {
                access: Preference::Disallow,
                disallowed: Disallowed::All,
                ..Crawl::unknown(state.as_str())
            },
            (
                RobotsState::Parsed
                | RobotsState::RedirectUnresolved
                | RobotsState::OtherStatus
                | RobotsState::BodyMissing
                | RobotsState::Undated
                | RobotsState::NotArchived,
                ..,
            ) => Crawl::unknown(state.as_str()),
        }
    }

    fn read<'p>(&self, policy: &'p SitePolicy, path: &UrlPath) -> Crawl<'p> {
        let access = policy.rules.access(self.place, path);
        Crawl {
            access: preference(access.verdict),
            reason: access.reason.as_str(),
            line: access.line,
            rule: access.rule,
            matched: Some(policy.rules.matched(self.place)),
            disallowed: Disallowed::Some(policy.rules.disallowed(path)),
        }
    }

    /// Returns each system's policy, in the order of `SYSTEMS`: those of a robots.txt, or those that
    /// hold without one.
    #[must_use]
    pub fn policies<'p>(&'p self, policy: Option<&'p SitePolicy>) -> &'p [Box<dyn Policy>] {
        policy.map_or(&self.silent, |policy| &policy.policies)
    }
}

impl Resolver {
    /// Returns the labels of a page, by what each system's policy says, in the order of `SYSTEMS`.
    #[must_use]
    pub fn labels<'a>(
        &'a self,
        page: &Page<'a>,
        site: Option<&'a SitePolicy>,
        policies: impl Iterator<Item = &'a dyn Policy>,
        reading: Reading,
    ) -> Labels<'a> {
        let mut answers = Answers::default();
        for (signal, policy) in SYSTEMS.iter().zip(policies) {
            policy.say(page, &self.viewpoint, &mut |said| {
                answers.add(signal.system(), &said, page.media_type, &self.viewpoint);
            });
        }
        if let (Some(site), Some(path)) = (site, page.path) {
            self.policy_tokens(site, path, &mut answers);
        }
        answers.decide(reading)
    }

    /// RULES Neighbours: a group for a policy token states a preference with its Allow and Disallow lines.
    ///
    /// Ours: a group that names the token, and a rule that matches; by default nothing is granted.
    fn policy_tokens<'a>(&self, site: &'a SitePolicy, path: &UrlPath, answers: &mut Answers<'a>) {
        for (place, labels) in &self.speaking {
            let access = site.rules.access(*place, path);
            let (Matched::Explicit, Some(line)) = (site.rules.matched(*place), access.line) else { continue };
            let preference = preference(access.verdict);
            for label in labels {
                answers.speak(*label, preference, POLICY_TOKEN, &[Ground::line("robots", line)]);
            }
        }
    }
}

/// The name of policy tokens among the systems whose word decided.
const POLICY_TOKEN: &str = "policy_token";

fn preference(verdict: Verdict) -> Preference {
    match verdict {
        Verdict::Allow => Preference::Allow,
        Verdict::Disallow => Preference::Disallow,
    }
}

impl SitePolicy {
    /// Returns the file.
    #[must_use]
    pub fn robots(&self) -> &RobotsTxt {
        &self.robots
    }

    /// Returns the groups that hold for a viewpoint.
    #[must_use]
    pub fn selection(&self, viewpoint: &Viewpoint) -> Selection {
        self.robots.selection(&viewpoint.token, viewpoint.token_match)
    }
}

impl Crawl<'_> {
    fn unknown(reason: &'static str) -> Self {
        Self {
            access: Preference::Unknown,
            reason,
            line: None,
            rule: None,
            matched: None,
            disallowed: Disallowed::Unknown,
        }
    }
}
