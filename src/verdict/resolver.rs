//! One viewpoint and one table of agents, compiled, and what a robots.txt says to them.
//!
//! Example: for `CCBot` and the tokens of the bundled table, the rules of a file are compiled once and then answer for any
//! number of pages. Left out: the decision about a page (`decide`).

use super::access::{AccessAnswer, Disallowed};
use super::account::{RobotsDoubts, UrlRules, near_misses, rewritten};
use super::{agents::AgentsTable, timeline::RobotsState};
use crate::robots::{
    AgentRules, Agents, BothMatches, Extent, LostRules, Matched, ParseLimit, Reason, RobotsTxt,
    TokenSet,
};
use crate::systems::{Compiled, Label, LabelSet, SYSTEMS, Site, SiteFiles, System, Viewpoint};
use crate::web::product_token::{AgentName, ProductToken};
use crate::web::u32_of;
use crate::web::{path_pattern::UrlPath, preference::Preference};

/// The reason if unread bytes may close the path.
const BODY_CUT: &str = "body_cut";
/// The reason if a line that was meant as a rule and cannot be read may close the path.
pub(super) const LINE_LOST: &str = "line_lost";

/// Answers for one viewpoint and one table of agents.
pub struct Resolver {
    pub viewpoint: Viewpoint,
    pub tokens: Vec<ProductToken>,
    /// The tokens, prepared for searches in files.
    pub(super) agents: Agents,
    /// The viewpoint's place among the tokens.
    place: u32,
    /// What systems say without a file of theirs.
    without_files: Vec<Box<dyn Compiled>>,
    /// The tokens, for both ways to compare names.
    pub(super) both_matches: BothMatches,
    /// The places of the tokens that count for labels.
    speaking: Vec<(u32, Vec<Label>)>,
}

/// What one robots.txt says, compiled for a resolver.
pub struct CompiledRobots {
    /// Whether bytes of the file were left unread.
    pub is_cut: bool,
    /// The lines that were meant as rules for the viewpoint's crawler and cannot be read (ACCT-4).
    binding_lines: Vec<u32>,
    /// Whether a missing part may close any path (LABEL-6).
    is_end_missing: bool,
    /// What these lines may close to all tokens (KNOW-10, ACCT-14).
    lost: LostRules,
    doubts: Option<RobotsDoubts>,
    /// The doubts of the file in which these lines are written as rules.
    rewritten_doubts: Option<RobotsDoubts>,
    url_rules: UrlRules,
    rules: AgentRules,
    /// What each system reads in the file.
    pub(super) systems: Vec<Box<dyn Compiled>>,
    /// What the groups that name the crawler in a list say; only their noes count (ACCT-5).
    pub(super) noes: Vec<Box<dyn Compiled>>,
    /// The approximate size of all this in bytes.
    pub(super) byte_count: usize,
}

/// The compiled size of a rule, the size of everything else as a multiple of the file, and a constant.
const RULE_BYTES: usize = 128;
const FILE_FACTOR: usize = 6;
const OTHER_BYTES: usize = 4 << 10;

/// Returns whether a robots.txt, received to this extent, was read up to its end, or up to the length that RFC 9309 2.5 asks a
/// parser to read: then it shows every agent to which it closes something.
pub fn is_end_read(body_bytes: usize, extent: Extent) -> bool {
    extent == Extent::Whole || body_bytes >= ParseLimit::default().bytes()
}

impl Resolver {
    /// Returns a resolver; the viewpoint's token is added to the table's tokens if it is missing.
    pub fn new(viewpoint: Viewpoint, table: &AgentsTable) -> Self {
        let mut tokens = table.tokens().to_vec();
        let is_viewpoint = |token: &ProductToken| {
            token
                .as_str()
                .eq_ignore_ascii_case(viewpoint.token.as_str())
        };
        let place = tokens.iter().position(is_viewpoint).unwrap_or_else(|| {
            tokens.push(viewpoint.token.clone());
            tokens.len() - 1
        });
        let agents = Agents::new(&tokens, viewpoint.token_match);
        let compile = |system: &&System| system.compile(&SiteFiles::default(), &viewpoint);
        let without_files = SYSTEMS.iter().map(compile).collect();
        let speaking = table
            .speaking()
            .map(|(place, labels)| (u32_of(place), labels.to_vec()))
            .collect();
        let both_matches = BothMatches::new(&tokens);
        Self {
            agents,
            tokens,
            place: u32_of(place),
            without_files,
            both_matches,
            speaking,
            viewpoint,
        }
    }

    /// Returns a token by its place, as the table writes it.
    pub fn token(&self, place: u32) -> &str {
        self.tokens
            .get(place as usize)
            .map_or("", ProductToken::as_str)
    }

    /// Returns the tokens that may not fetch a page, in the order of the table; `None` if that is not known.
    pub fn disallowed<'r>(&'r self, disallowed: &Disallowed) -> Option<Vec<&'r str>> {
        match disallowed {
            Disallowed::AtLeast(_) => None,
            Disallowed::All | Disallowed::Some(_) => Some(self.surely_disallowed(disallowed)),
        }
    }

    /// Returns the tokens that surely may not fetch a page, in the order of the table.
    pub fn surely_disallowed<'r>(&'r self, disallowed: &Disallowed) -> Vec<&'r str> {
        match disallowed {
            Disallowed::All => self.tokens.iter().map(ProductToken::as_str).collect(),
            Disallowed::Some(tokens) | Disallowed::AtLeast(tokens) => self.written(tokens),
        }
    }

    /// Returns the table's spelling of a name in a user-agent line, if the table has the name. Names are compared whole, up to
    /// the first slash or blank, without the case of ASCII letters.
    pub fn spelled(&self, name: &[u8]) -> Option<&str> {
        let mut alike = self
            .both_matches
            .whole()
            .named(&AgentName::Token(name))
            .map(|place| self.token(place));
        let first = alike.next()?;
        let is_name = |token: &&str| token.as_bytes().eq_ignore_ascii_case(name);
        Some(if is_name(&first) {
            first
        } else {
            alike.find(is_name).unwrap_or(first)
        })
    }

    /// Returns tokens in the order of the table, as it writes them.
    pub fn written(&self, tokens: &TokenSet) -> Vec<&str> {
        tokens.iter().map(|place| self.token(place)).collect()
    }

    /// Reads a robots.txt and compiles it.
    pub fn compile(&self, body: &[u8], extent: Extent) -> CompiledRobots {
        let robots = RobotsTxt::parse_text(body, extent, ParseLimit::default());
        let is_end_missing = !is_end_read(body.len(), extent);
        let rules = robots.rules_for(&self.agents);
        let misses = near_misses(&robots);
        let (token, how) = (&self.viewpoint.token, self.viewpoint.token_match);
        let has_group = rules.matched(self.place) == Matched::Explicit;
        let binding = misses
            .iter()
            .filter(|miss| miss.may_bind(token.compared(how), how, has_group));
        let binding_lines = binding.map(|miss| miss.line).collect();
        let selection = robots.selection(&self.viewpoint.token, self.viewpoint.token_match);
        let site = Site {
            robots: &robots,
            selection: &selection,
        };
        let systems = self.compile_systems(&site);
        let noes = match selection.of_noes() {
            Some(noes) => self.compile_systems(&Site {
                robots: &robots,
                selection: &noes,
            }),
            None => Vec::new(),
        };
        let rewritten = rewritten(&robots, &misses);
        let lost = LostRules::new(&misses, rewritten.as_ref(), &self.agents, &rules);
        let rewritten_doubts = rewritten.and_then(|robots| self.doubts_of(&robots));
        let rule_count = rules.rule_count() + lost.rewritten().map_or(0, AgentRules::rule_count);
        let byte_count = rule_count * RULE_BYTES + robots.bytes().len() * FILE_FACTOR + OTHER_BYTES;
        let doubts = RobotsDoubts::find(&site, &self.viewpoint);
        let url_rules = UrlRules::of_anybody(&robots);
        let is_cut = robots.is_cut();
        CompiledRobots {
            is_cut,
            binding_lines,
            is_end_missing,
            lost,
            doubts,
            rewritten_doubts,
            url_rules,
            rules,
            systems,
            noes,
            byte_count,
        }
    }

    fn doubts_of(&self, robots: &RobotsTxt) -> Option<RobotsDoubts> {
        let selection = &robots.selection(&self.viewpoint.token, self.viewpoint.token_match);
        RobotsDoubts::find(&Site { robots, selection }, &self.viewpoint)
    }

    fn compile_systems(&self, site: &Site<'_>) -> Vec<Box<dyn Compiled>> {
        let files = SiteFiles {
            robots: Some(site),
            copies: &[],
        };
        SYSTEMS
            .iter()
            .map(|system| system.compile(&files, &self.viewpoint))
            .collect()
    }

    /// Returns the answer of robots.txt for a path; `robots` is the compiled body if the state is [`RobotsState::Parsed`].
    pub fn access<'p>(
        &self,
        state: RobotsState,
        robots: Option<&'p CompiledRobots>,
        path: Option<&UrlPath>,
    ) -> AccessAnswer<'p> {
        let (RobotsState::Parsed, Some(robots), Some(path)) = (state, robots, path) else {
            return AccessAnswer::without_file(state);
        };
        let (access, disallowed) = robots.rules.access_and_disallowed(self.place, path);
        if let Some(reason) = robots.unsure(self.place, path)
            && access.is_allowed()
            && access.reason != Reason::RobotsTxtItself
        {
            let disallowed = Disallowed::AtLeast(disallowed);
            let matched = Some(robots.rules.matched(self.place));
            return AccessAnswer {
                matched,
                disallowed,
                ..AccessAnswer::unknown(reason)
            };
        }
        AccessAnswer {
            preference: access.verdict,
            reason: access.reason.as_str(),
            line: access.line,
            rule: access.rule,
            matched: Some(robots.rules.matched(self.place)),
            disallowed: if robots.may_close_more(&disallowed, path) {
                Disallowed::AtLeast(disallowed)
            } else {
                Disallowed::Some(disallowed)
            },
        }
    }

    /// Returns each compiled system, in the order of `SYSTEMS`, with or without a robots.txt.
    pub fn systems<'p>(&'p self, robots: Option<&'p CompiledRobots>) -> &'p [Box<dyn Compiled>] {
        robots.map_or(&self.without_files, |robots| &robots.systems)
    }

    /// Returns whether any of these tokens is a policy token: its groups count for labels.
    pub fn has_policy_token(&self, tokens: &TokenSet) -> bool {
        self.speaking
            .iter()
            .any(|(place, _)| tokens.contains(*place))
    }

    /// Returns what the groups of policy tokens state for a path: the labels, the preference and the line.
    ///
    /// RULES Neighbours: a group for a policy token states a preference with its Allow and Disallow lines. Ours: this needs a
    /// group that names the token and a rule that matches; nothing is granted by default.
    pub fn policy_tokens<'p>(
        &'p self,
        robots: &'p CompiledRobots,
        path: &'p UrlPath,
    ) -> impl Iterator<Item = (&'p [Label], Preference, u32)> {
        self.spoken(&robots.rules, path)
    }

    fn spoken<'p>(
        &'p self,
        rules: &'p AgentRules,
        path: &'p UrlPath,
    ) -> impl Iterator<Item = (&'p [Label], Preference, u32)> {
        let is_named = |place: u32| rules.matched(place) == Matched::Explicit;
        self.speaking
            .iter()
            .filter(move |(place, _)| is_named(*place))
            .filter_map(|(place, labels)| {
                let access = rules.access(*place, path);
                Some((labels.as_slice(), access.verdict, access.line?))
            })
    }

    /// ACCT-14: returns the labels of which a page gets no yes because of lines that cannot be read and that may be rules; `crawl`
    /// says whether the crawler may fetch it.
    pub(super) fn held_by_lost_lines(
        &self,
        robots: &CompiledRobots,
        (host, path): (Option<&str>, Option<&UrlPath>),
        crawl: Preference,
    ) -> LabelSet {
        let Some(rewritten) = robots.lost.rewritten() else {
            return LabelSet::EMPTY;
        };
        let doubts = robots.rewritten_doubts.as_ref();
        let labels = doubts.map_or(LabelSet::EMPTY, |doubts| doubts.hold(host, path, crawl));
        let Some(path) = path else {
            return LabelSet::ALL.only_if(!robots.binding_lines.is_empty());
        };
        let is_closed = robots.lost.may_close(self.place, path)
            && robots.rules.access(self.place, path).is_allowed();
        let spoken = self.spoken(rewritten, path);
        let noes = spoken.filter(|(_, preference, _)| *preference == Preference::Disallow);
        let noes: LabelSet = noes
            .flat_map(|(labels, ..)| labels.iter().copied())
            .collect();
        labels.with(noes).with(LabelSet::ALL.only_if(is_closed))
    }
}

impl CompiledRobots {
    /// Returns the lines that were meant as rules for the viewpoint's crawler, cannot be read, and may close anything.
    pub(super) fn lost_lines(&self) -> &[u32] {
        if self.lost.rewritten().is_some() {
            &[]
        } else {
            &self.binding_lines
        }
    }

    /// Returns those lines, whatever they may close.
    pub(super) fn binding_lines(&self) -> &[u32] {
        &self.binding_lines
    }

    /// Returns why a path is unknown that the rules open to a token.
    fn unsure(&self, token: u32, path: &UrlPath) -> Option<&'static str> {
        if self.is_end_missing {
            Some(BODY_CUT)
        } else {
            self.lost.may_close(token, path).then_some(LINE_LOST)
        }
    }

    /// Returns whether a path may be closed to more tokens than to these.
    fn may_close_more(&self, tokens: &TokenSet, path: &UrlPath) -> bool {
        self.is_end_missing || self.lost.may_close_to_others(tokens, path)
    }

    /// ACCT-9, ACCT-14: returns whether a disallow line with a URL may close a page of its host.
    pub(super) fn closes_by_url(&self, host: Option<&str>, path: Option<&UrlPath>) -> bool {
        [&self.doubts, &self.rewritten_doubts]
            .into_iter()
            .flatten()
            .any(|doubts| doubts.closes(host, path))
    }

    /// ACCT-9: returns whether a disallow line with a URL, of whatever group, may close a page of its host.
    pub(super) fn closes_to_anybody_by_url(
        &self,
        host: Option<&str>,
        path: Option<&UrlPath>,
    ) -> bool {
        self.url_rules.close(host, path)
    }

    /// Returns the doubts of its lines that may be a no and were not understood (ACCT-2), if there are any.
    pub(super) fn doubts(&self) -> Option<&RobotsDoubts> {
        self.doubts.as_ref()
    }
}
