//! Many crawlers at once: which of them may not fetch a path.
//!
//! Document: RFC 9309 2.2.1. Example: a file names three of 150 product tokens, two of them with the same groups; three lookups
//! then answer for all 150. Left out: the table of crawlers, which is data.
//!
//! Groups that name the same tokens of the list form one part and are compiled together. Tokens with the same parts form one
//! class. So each rule is compiled once, however the groups overlap; a class has the best answer of its parts.

use std::collections::BTreeMap;

use super::RobotsTxt;
use super::access::{Access, Reason, Verdict};
use super::rules::{Rule, Rules, access_by};
use super::selection::{Matched, Selection};
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::{
    AgentName, ProductToken, TokenMatch, listed_names, order_without_case,
};

/// A list of product tokens, prepared for searches in files.
#[derive(Clone, Debug)]
pub struct Agents {
    how: TokenMatch,
    token_count: usize,
    /// The compared form of each token, sorted, and the place of the token in the list.
    names: Vec<(Box<[u8]>, u32)>,
}

impl Agents {
    /// Prepares a list; answers identify tokens by their places in it.
    pub fn new(tokens: &[ProductToken], how: TokenMatch) -> Self {
        let name = |(place, token): (u32, &ProductToken)| (Box::from(token.compared(how)), place);
        let mut names: Vec<(Box<[u8]>, u32)> = (0..).zip(tokens).map(name).collect();
        names.sort_unstable();
        Self {
            how,
            token_count: tokens.len(),
            names,
        }
    }

    /// Prepares one token, or a crawler that no user-agent line can name.
    pub(super) fn of_one(token: Option<&ProductToken>, how: TokenMatch) -> Self {
        Self {
            token_count: 1,
            ..Self::new(token.map(std::slice::from_ref).unwrap_or_default(), how)
        }
    }

    /// Returns all places of the list.
    pub(super) fn all(&self) -> TokenSet {
        TokenSet::first(self.token_count)
    }

    /// Returns how names are compared.
    pub fn how(&self) -> TokenMatch {
        self.how
    }

    /// Returns the places of the tokens that a user-agent line names.
    pub fn named<'a>(&'a self, name: &AgentName<'a>) -> impl Iterator<Item = u32> + use<'a> {
        let alike = match *name {
            AgentName::Token(name) => {
                let before =
                    |(known, _): &(Box<[u8]>, u32)| order_without_case(name, known).is_gt();
                let first = self.names.partition_point(before);
                let is_named =
                    move |(known, _): &&(Box<[u8]>, u32)| order_without_case(name, known).is_eq();
                Some(self.names.iter().skip(first).take_while(is_named))
            }
            AgentName::Everyone | AgentName::Nobody => None,
        };
        alike.into_iter().flatten().map(|(_, place)| *place)
    }
}

/// The rules of one file for a list of product tokens.
#[derive(Debug)]
pub struct AgentRules {
    parts: Vec<Rules>,
    classes: Vec<AgentClass>,
    /// The rules of groups that name tokens in lists; only their noes count (ACCT-5).
    noes: Option<Box<Self>>,
}

/// Tokens that obey the same groups.
#[derive(Debug)]
struct AgentClass {
    tokens: TokenSet,
    matched: Matched,
    parts: Vec<usize>,
}

/// The place of a token in the list; `None`: everyone.
type TokenPlace = Option<u32>;

impl RobotsTxt {
    /// Compiles the rules for each token of a list. Tokens with the same groups share lookups, and unnamed tokens those of `*`.
    pub fn rules_for(&self, agents: &Agents) -> AgentRules {
        let whole = self
            .agent_lines()
            .map(|(group, line)| (group, AgentName::new(line.value, agents.how)));
        let mut rules = self.rules_of_names(agents, whole);
        if !self.read.lists.is_empty() {
            let listed = self
                .list_lines()
                .flat_map(|(group, line)| listed_names(line.value).map(move |name| (group, name)));
            rules.noes = Some(Box::new(self.rules_of_names(agents, listed)));
        }
        rules
    }

    fn rules_of_names<'a>(
        &'a self,
        agents: &Agents,
        names: impl Iterator<Item = (u32, AgentName<'a>)>,
    ) -> AgentRules {
        let mut groups_by_names: BTreeMap<Vec<TokenPlace>, Vec<u32>> = BTreeMap::new();
        for (group, names) in names_by_group(agents, names) {
            groups_by_names.entry(names).or_default().push(group);
        }
        let mut parts_by_name: BTreeMap<TokenPlace, Vec<usize>> = BTreeMap::new();
        for (part, names) in groups_by_names.keys().enumerate() {
            for name in names {
                parts_by_name.entry(*name).or_default().push(part);
            }
        }
        let compiled = groups_by_names
            .into_values()
            .map(|groups| self.rules(&Selection::explicit(groups)));
        let classes = classes(agents.token_count, parts_by_name);
        AgentRules {
            parts: compiled.collect(),
            classes,
            noes: None,
        }
    }
}

/// Returns the groups that name a token of the list, or everyone, in the order of the file.
fn names_by_group<'a>(
    agents: &Agents,
    names: impl Iterator<Item = (u32, AgentName<'a>)>,
) -> BTreeMap<u32, Vec<TokenPlace>> {
    let mut names_by_group: BTreeMap<u32, Vec<TokenPlace>> = BTreeMap::new();
    for (group, name) in names {
        let everyone = (name == AgentName::Everyone).then_some(None);
        let mut names = agents.named(&name).map(Some).chain(everyone).peekable();
        if names.peek().is_some() {
            names_by_group.entry(group).or_default().extend(names);
        }
    }
    for names in names_by_group.values_mut() {
        names.sort_unstable();
        names.dedup();
    }
    names_by_group
}

/// Puts tokens with the same parts into one class; tokens without parts obey the parts of `*`.
fn classes(token_count: usize, parts_by_name: BTreeMap<TokenPlace, Vec<usize>>) -> Vec<AgentClass> {
    let mut unnamed = TokenSet::first(token_count);
    let mut for_everyone = Vec::new();
    let mut tokens_by_parts: BTreeMap<Vec<usize>, TokenSet> = BTreeMap::new();
    for (name, parts) in parts_by_name {
        match name {
            None => for_everyone = parts,
            Some(token) => {
                unnamed.remove(token);
                tokens_by_parts.entry(parts).or_default().insert(token);
            }
        }
    }
    let matched = if for_everyone.is_empty() {
        Matched::None
    } else {
        Matched::Wildcard
    };
    let rest = AgentClass {
        tokens: unnamed,
        matched,
        parts: for_everyone,
    };
    let explicit = |(parts, tokens)| AgentClass {
        tokens,
        matched: Matched::Explicit,
        parts,
    };
    let named = tokens_by_parts.into_iter().map(explicit);
    Some(rest)
        .filter(|rest| !rest.tokens.is_empty())
        .into_iter()
        .chain(named)
        .collect()
}

impl AgentRules {
    /// Returns the tokens that may not fetch the path, by their places in the list.
    pub fn disallowed(&self, path: &UrlPath) -> TokenSet {
        self.disallowed_by(&self.deciding(path), path)
    }

    /// Returns the answer for one token by its place in the list, and the tokens that may not fetch the path: as
    /// [`Self::access`] and [`Self::disallowed`], but each rule is compared with the path once.
    pub fn access_and_disallowed(&self, token: u32, path: &UrlPath) -> (Access<'_>, TokenSet) {
        let deciding = self.deciding(path);
        let access = self.access_by(token, path, |part| *deciding.get(part)?);
        (access, self.disallowed_by(&deciding, path))
    }

    /// Returns the rule of each part that decides about a path.
    fn deciding(&self, path: &UrlPath) -> Vec<Option<&Rule>> {
        let parts = self.parts.iter();
        parts.map(|rules| rules.deciding(path)).collect()
    }

    fn disallowed_by(&self, deciding: &[Option<&Rule>], path: &UrlPath) -> TokenSet {
        let mut disallowed = TokenSet::default();
        if path.is_robots_txt() {
            return disallowed;
        }
        for class in &self.classes {
            let rules = class.parts.iter().filter_map(|part| *deciding.get(*part)?);
            if rules
                .max_by_key(|rule| rule.rank())
                .is_some_and(|rule| rule.verdict == Verdict::Disallow)
            {
                disallowed.insert_all(&class.tokens);
            }
        }
        if let Some(noes) = &self.noes {
            for token in noes
                .disallowed(path)
                .iter()
                .filter(|token| self.is_bound_by(noes, *token))
            {
                disallowed.insert(token);
            }
        }
        disallowed
    }

    /// Returns whether the noes of lists bind a token: `*` in a list is for tokens that no group names.
    fn is_bound_by(&self, noes: &Self, token: u32) -> bool {
        noes.matched(token) == Matched::Explicit || self.matched(token) != Matched::Explicit
    }

    /// Returns the answer for one token by its place in the list; tokens outside the list have no group.
    pub fn access(&self, token: u32, path: &UrlPath) -> Access<'_> {
        self.access_by(token, path, |part| self.parts.get(part)?.deciding(path))
    }

    /// `deciding` returns the rule of a part that decides about the path.
    fn access_by<'r>(
        &'r self,
        token: u32,
        path: &UrlPath,
        deciding: impl Fn(usize) -> Option<&'r Rule>,
    ) -> Access<'r> {
        if path.is_robots_txt() {
            return Access::without_rule(Reason::RobotsTxtItself);
        }
        let parts = self
            .class_of(token)
            .into_iter()
            .flat_map(|class| &class.parts);
        let deciding = parts.filter_map(|part| Some((self.parts.get(*part)?, deciding(*part)?)));
        let own = match deciding.max_by_key(|(_, rule)| rule.rank()) {
            Some((rules, rule)) => access_by(&rules.file, rule),
            None => Access::by_no_rule(self.matched(token)),
        };
        own.or_no(|| {
            let noes = self
                .noes
                .as_ref()
                .filter(|noes| self.is_bound_by(noes, token))?;
            Some(noes.access(token, path))
        })
    }

    /// Returns how the groups for one token were found.
    pub fn matched(&self, token: u32) -> Matched {
        self.class_of(token)
            .map_or(Matched::None, |class| class.matched)
    }

    /// Returns the number of lookups that answer for all tokens.
    pub fn lookup_count(&self) -> usize {
        self.parts.len() + self.noes.as_ref().map_or(0, |noes| noes.lookup_count())
    }

    /// Returns the number of rules in all lookups.
    pub fn rule_count(&self) -> usize {
        let own: usize = self.parts.iter().map(Rules::rule_count).sum();
        own + self.noes.as_ref().map_or(0, |noes| noes.rule_count())
    }

    fn class_of(&self, token: u32) -> Option<&AgentClass> {
        self.classes
            .iter()
            .find(|class| class.tokens.contains(token))
    }
}

/// A set of tokens, by their places in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenSet {
    /// 64 tokens per word, the lowest bit first.
    words: Vec<u64>,
}

impl TokenSet {
    /// Returns the places in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'_> {
        (0..)
            .step_by(64)
            .zip(&self.words)
            .flat_map(|(first, word)| places(first, *word))
    }

    /// Returns whether a token is in the set.
    pub fn contains(&self, token: u32) -> bool {
        self.words
            .get(token as usize / 64)
            .is_some_and(|word| word & bit(token) != 0)
    }

    /// Returns whether no token is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Makes a set of the first tokens of a list.
    pub fn first(token_count: usize) -> Self {
        let mut words = vec![u64::MAX; token_count / 64];
        let rest = token_count % 64;
        words.extend((rest > 0).then_some((1 << rest) - 1));
        Self { words }
    }

    /// Adds a token.
    pub fn insert(&mut self, token: u32) {
        let word = token as usize / 64;
        self.grow(word + 1);
        if let Some(word) = self.words.get_mut(word) {
            *word |= bit(token);
        }
    }

    /// Adds the tokens of another set.
    pub fn insert_all(&mut self, other: &Self) {
        self.grow(other.words.len());
        for (word, added) in self.words.iter_mut().zip(&other.words) {
            *word |= added;
        }
    }

    /// Removes a token.
    pub fn remove(&mut self, token: u32) {
        if let Some(word) = self.words.get_mut(token as usize / 64) {
            *word &= !bit(token);
        }
    }

    fn grow(&mut self, word_count: usize) {
        if self.words.len() < word_count {
            self.words.resize(word_count, 0);
        }
    }
}

fn bit(token: u32) -> u64 {
    1 << (token % 64)
}

fn places(first: u32, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| first + word.trailing_zeros());
        word &= word.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests;
