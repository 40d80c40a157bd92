//! The account of a robots.txt, for one crawler.
//!
//! Example: under `Content-Signal: /blog/ ai-train=disallowed` only the pages of `/blog/` have a doubt.
//! Left out: rules and near misses, which are about access (`near_miss`).

use super::lines::{TakenLines, is_markup, of_record, prose};
use super::odd_paths::meant_paths;
use super::refusal::{TopicPlace, UnitWords, has_no_of_its_own, pieces, refuses_alone};
use super::words::Words;
use super::{DoubtPlace, Doubts, Fate, doubt, is_read_as_everyones, known};
use crate::robots::{LineKind, Matched, RobotsRecord, RobotsTxt};
use crate::systems::path_rules::split_path;
use crate::systems::{Label, LabelSet, LineScope, SYSTEMS, Site, Source, Statement, Viewpoint};
use crate::web::path_readings::other_paths;
use crate::web::{capture_kind::CaptureKind, path_pattern::UrlPath, preference::Preference};
use std::collections::BTreeMap;

/// The units of a robots.txt that bind one crawler, may be a no, and were not understood.
#[derive(Debug, Default)]
pub struct RobotsDoubts {
    /// Doubts of lines that are rules: only the longest path decides (ATTACH-8).
    of_rules: Doubts,
    /// Doubts of other systems with lines that say nothing about closed paths (LABEL-2).
    of_open_paths: Doubts,
    others: Doubts,
    of_urls: UrlRules,
}

/// Lines with a URL in place of a path, each of which may be a no of its host (ACCT-9).
#[derive(Debug, Default)]
pub struct UrlRules(Vec<(Vec<u8>, Doubts)>);

impl UrlRules {
    /// Returns those of all groups, whomever these name.
    pub fn of_anybody(robots: &RobotsTxt) -> Self {
        let mut found = Self::default();
        let rules = robots.records();
        for rule in rules.filter(|record| record.kind == LineKind::Disallow) {
            if let Some(rule) = of_url(&rule) {
                found.add(rule);
            }
        }
        found
    }

    fn add(&mut self, rule: UrlRule) {
        let mut doubts = Doubts::default();
        doubts.add(Some(&rule.path), rule.labels, (0, rule.line));
        self.0.push((rule.host, doubts.compiled()));
    }

    /// Returns whether one of them closes a page of a host.
    pub fn close(&self, host: Option<&str>, path: Option<&UrlPath>) -> bool {
        self.of_host(host)
            .any(|doubts| !doubts.hold(path).is_empty())
    }

    fn of_host<'d>(&'d self, host: Option<&'d str>) -> impl Iterator<Item = &'d Doubts> + use<'d> {
        let host = host
            .filter(|_| !self.0.is_empty())
            .map(|host| bare_host(host.as_bytes()));
        self.0
            .iter()
            .filter(move |(known, _)| host.as_ref() == Some(known))
            .map(|(_, doubts)| doubts)
    }
}

/// A line with a URL.
struct UrlRule {
    /// In lower case, without its port and `www.`.
    host: Vec<u8>,
    path: Vec<u8>,
    labels: LabelSet,
    line: u32,
}

/// How a line binds a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineBinding {
    /// Its group is one of the crawler's groups.
    Group,
    /// It is outside all groups.
    Outside,
    /// Its group names no crawler. Ours: its author's intention is not known, so that a no may be for everyone.
    Nobody,
}

type BoundLines = BTreeMap<u32, (LineBinding, LineKind)>;

impl RobotsDoubts {
    /// Finds the doubts of a file; `None` if it has none, as nearly all files.
    pub fn find(site: &Site<'_>, viewpoint: &Viewpoint) -> Option<Self> {
        let Bound {
            lines: bound,
            has_candidate,
            lost_noes,
            url_rules,
        } = Bound::of(site, viewpoint);
        let mut found = Self::default();
        for LostNo { path, labels, line } in lost_noes {
            found.others.add(path.as_deref(), labels, (0, line));
        }
        for rule in url_rules {
            found.of_urls.add(rule);
        }
        if !has_candidate {
            return found.compiled();
        }
        let mut taken = TakenLines::default();
        for system in SYSTEMS {
            let scope = system.about().lines.scope;
            system.statements(&Source::Robots(site.robots), viewpoint, &mut |statement| {
                if let Some((line, (binding, kind))) = statement
                    .line
                    .and_then(|line| Some((line, bound.get(&line)?)))
                {
                    taken.add(statement);
                    let labels = doubt_for(statement, *binding, site.selection.matched());
                    found.add(statement, labels, (scope, *kind, *binding), (0, line));
                }
            });
        }
        for record in bound.keys().filter_map(|line| site.robots.record_on(*line)) {
            let line = of_record(&record, false);
            if line.fate(&taken, CaptureKind::Robots) == Fate::Unrecognised {
                found.others.add(
                    line.path(),
                    line.may_be_no(CaptureKind::Robots),
                    (0, line.number),
                );
            }
        }
        found.compiled()
    }

    /// Adds a statement, which may be a doubt about labels, by the scope of its system, the kind of its line, and its binding.
    fn add(
        &mut self,
        statement: &Statement<'_>,
        labels: LabelSet,
        scope: (LineScope, LineKind, LineBinding),
        place: DoubtPlace,
    ) {
        let path = statement.path;
        let is_no_path = !labels.is_empty()
            && path.is_some_and(|path| {
                !UnitWords::new(path, b"")
                    .may_be_no(TopicPlace::Name)
                    .is_empty()
            });
        // A path that is a no by its words was not meant as a path: `/train-ai=n`.
        let path = path.filter(|_| !is_no_path);
        if statement.preference == Some(Preference::Disallow) {
            // ACCT-9: a no counts by each reading of its path.
            let others = path.map(other_paths).unwrap_or_default();
            for path in &others {
                self.of_open_paths.add(Some(path), LabelSet::ALL, place);
            }
        }
        // A second path in front of what is stated is read as part of it.
        if let Some(other) = second_path(statement.raw).filter(|_| path.is_some()) {
            self.of_open_paths.add(Some(other), labels, place);
        }
        match scope {
            (LineScope::OpenPaths, LineKind::ExtensionRule, LineBinding::Group) if !is_no_path => {
                self.of_rules.add_rule(path, labels, place);
            }
            (LineScope::OpenPaths, ..) => self.of_open_paths.add(path, labels, place),
            (LineScope::Group | LineScope::Site, ..) => self.others.add(path, labels, place),
        }
    }

    fn compiled(self) -> Option<Self> {
        let Self {
            of_rules,
            of_open_paths,
            others,
            of_urls,
        } = self;
        let all = [of_rules, of_open_paths, others];
        if of_urls.0.is_empty() && all.iter().all(|doubts| doubts.labels().is_empty()) {
            return None;
        }
        let [of_rules, of_open_paths, others] = all.map(Doubts::compiled);
        Some(Self {
            of_rules,
            of_open_paths,
            others,
            of_urls,
        })
    }

    /// Returns the labels of which a page gets no yes; `crawl` says whether the crawler may fetch it.
    pub fn hold(&self, host: Option<&str>, path: Option<&UrlPath>, crawl: Preference) -> LabelSet {
        let own = self.of_urls.of_host(host).map(|doubts| doubts.hold(path));
        own.chain(self.for_access(crawl).map(|doubts| doubts.hold(path)))
            .fold(LabelSet::EMPTY, LabelSet::with)
    }

    /// Returns the numbers of the lines that are in doubt for a page.
    pub fn lines<'d>(
        &'d self,
        host: Option<&'d str>,
        path: Option<&'d UrlPath>,
        crawl: Preference,
    ) -> impl Iterator<Item = u32> + use<'d> {
        let all = self.of_urls.of_host(host).chain(self.for_access(crawl));
        all.flat_map(move |doubts| doubts.places(path))
            .map(|(_, line)| line)
    }

    /// Returns whether a disallow line with a URL closes a page of its host.
    pub fn closes(&self, host: Option<&str>, path: Option<&UrlPath>) -> bool {
        self.of_urls.close(host, path)
    }

    fn for_access(&self, crawl: Preference) -> impl Iterator<Item = &Doubts> {
        let of_open = [&self.of_open_paths, &self.of_rules].into_iter();
        of_open
            .filter(move |_| crawl != Preference::Disallow)
            .chain([&self.others])
    }
}

/// What may be a no among the lines that bind a crawler.
#[derive(Default)]
struct Bound {
    lines: BoundLines,
    /// Whether one of the lines may be a no.
    has_candidate: bool,
    /// Other lines that may be a no: disallow lines that match nothing, because of their paths or since they are before all
    /// groups, prose (`No AI training`), and groups for a token such as `ai-training`.
    lost_noes: Vec<LostNo>,
    /// Those with a URL.
    url_rules: Vec<UrlRule>,
}

struct LostNo {
    /// `None`: any path.
    path: Option<Vec<u8>>,
    labels: LabelSet,
    line: u32,
}

impl LostNo {
    fn new(path: Option<Vec<u8>>, line: u32) -> Self {
        Self {
            path,
            labels: LabelSet::ALL,
            line,
        }
    }
}

impl Bound {
    fn of(site: &Site<'_>, viewpoint: &Viewpoint) -> Self {
        let mut last = (None, Some(LineBinding::Outside));
        let mut binding = |group: Option<usize>| {
            if group != last.0 {
                last = (
                    group,
                    group.map_or(Some(LineBinding::Outside), |group| binding_of(site, group)),
                );
            }
            last.1
        };
        let prose = prose(site.robots).map(|(line, _)| LostNo::new(None, line));
        let mut bound = Self {
            lost_noes: prose.chain(for_training(site, viewpoint)).collect(),
            ..Self::default()
        };
        for record in site.robots.records() {
            match record.kind {
                LineKind::Disallow
                    if record.group.is_none()
                        || matches_nothing(record.value)
                        || is_without_name(site, &record) =>
                {
                    if binding(record.group).is_some() {
                        bound.add_no(&record, LabelSet::ALL);
                    }
                    continue;
                }
                LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => continue,
                LineKind::Other if is_known(&record) => {
                    // ACCT-8: Google read such lines until 2019.
                    if record.is_named("noindex") && binding(record.group).is_some() {
                        bound.add_no(&record, [Label::Search].into_iter().collect());
                    }
                    continue;
                }
                LineKind::Other if is_markup(site.robots, &record) => continue,
                LineKind::ExtensionRule | LineKind::Other => {}
            }
            let Some(binding) = binding(record.group) else {
                continue;
            };
            // A yes hidden in a group for no crawler is not a doubt; a no needs words for it.
            bound.has_candidate |= !UnitWords::new(record.name, record.value)
                .may_be_no(TopicPlace::Anywhere)
                .is_empty()
                || pieces(record.value).any(|piece| {
                    !UnitWords::new(piece, piece).lacks_a_yes().is_empty()
                        || refuses_alone(piece, b"")
                        || piece.contains(&b'*')
                });
            bound.lines.insert(record.line, (binding, record.kind));
        }
        bound
    }

    /// Adds what a line closes by its value, a path or a URL that no rule has.
    fn add_no(&mut self, record: &RobotsRecord<'_>, labels: LabelSet) {
        if record.value.is_empty() {
            return;
        }
        if let Some(rule) = of_url(record) {
            self.url_rules.push(UrlRule { labels, ..rule });
            return;
        }
        let noes = lost_noes(record.value, record.line).into_iter();
        self.lost_noes
            .extend(noes.map(|no| LostNo { labels, ..no }));
    }
}

/// Returns the second path of a line: `Content-Usage: /a /b train-ai=n`.
fn second_path(line: &[u8]) -> Option<&[u8]> {
    let value = memchr::memchr(b':', line).and_then(|at| line.get(at + 1..))?;
    split_path(split_path(value).1).0
}

/// RFC 9309 2.2.2: a path begins with a slash or a star.
fn matches_nothing(value: &[u8]) -> bool {
    !matches!(value.first(), None | Some(b'/' | b'*'))
}

pub(super) fn is_known(record: &RobotsRecord<'_>) -> bool {
    known::is_known_line(CaptureKind::Robots, record.name) && !has_no_of_its_own(record.value)
}

/// Returns what a line with a URL was meant for: `https://a.example/b` is `/b` of that host.
fn of_url(record: &RobotsRecord<'_>) -> Option<UrlRule> {
    let value = record.value;
    let begins = |scheme: &[u8]| {
        value
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let scheme = [&b"https://"[..], b"http://"]
        .into_iter()
        .find(|scheme| begins(scheme))?;
    let rest = value.get(scheme.len()..)?;
    let at = rest
        .iter()
        .position(|byte| b"/?#".contains(byte))
        .unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(at).unwrap_or((rest, b""));
    let path = if path.starts_with(b"/") { path } else { b"/" };
    Some(UrlRule {
        host: bare_host(host),
        path: path.to_vec(),
        labels: LabelSet::ALL,
        line: record.line,
    })
}

/// Returns the paths that a disallow line may mean that matches nothing.
fn lost_noes(value: &[u8], line: u32) -> Vec<LostNo> {
    let paths = meant_paths(value);
    if paths.is_empty() {
        return vec![LostNo::new(None, line)];
    }
    paths
        .into_iter()
        .map(|path| LostNo::new(Some(path), line))
        .collect()
}

/// Returns a host in lower case without its port and `www.`.
fn bare_host(host: &[u8]) -> Vec<u8> {
    let host = host
        .split(|byte| *byte == b':')
        .next()
        .unwrap_or(host)
        .to_ascii_lowercase();
    host.strip_prefix(b"www.")
        .map(<[u8]>::to_vec)
        .unwrap_or(host)
}

/// LABEL-8: returns the paths that are closed to a token of no crawler whose name has the words train or training beside ai:
/// `ai-training`, as in draft-kelley-aipref-training-preference-signal-00, whose spelling is not known.
fn for_training<'a>(
    site: &'a Site<'_>,
    viewpoint: &'a Viewpoint,
) -> impl Iterator<Item = LostNo> + use<'a> {
    let is_train = |name: &[u8]| {
        let words = Words::read(name);
        words.may_be_topic() && words.labels() == LabelSet::ALL && name_has(name, b"train")
    };
    let may_be = memchr::memmem::find(site.robots.bytes(), b"rain").is_some();
    let groups = site.robots.groups().filter(move |_| may_be);
    let groups = groups.filter(move |group| {
        group.agents().any(|agent| {
            let name = String::from_utf8_lossy(agent.value);
            is_train(agent.value) && !known::is_crawler(&name, viewpoint)
        })
    });
    let closed = groups
        .flat_map(|group| group.records())
        .filter(|record| record.kind == LineKind::Disallow);
    let labels: LabelSet = [Label::TrainAi, Label::TrainGenai].into_iter().collect();
    let closed = closed.filter(|record| !record.value.is_empty());
    closed.map(move |record| LostNo {
        labels,
        ..LostNo::new(Some(record.value.to_vec()), record.line)
    })
}

fn name_has(name: &[u8], part: &[u8]) -> bool {
    name.windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part))
}

/// ACCT-4: returns whether no user-agent line of a rule's group has a value, so that it closes nothing to anybody, like a rule before
/// all groups.
fn is_without_name(site: &Site<'_>, record: &RobotsRecord<'_>) -> bool {
    let group = record.group.and_then(|group| site.robots.group(group));
    group.is_some_and(|group| group.agents().all(|agent| agent.value.is_empty()))
}

/// Returns how the lines of a group bind a crawler, if they do.
fn binding_of(site: &Site<'_>, group: usize) -> Option<LineBinding> {
    if site.selection.has(group) {
        return Some(LineBinding::Group);
    }
    site.robots
        .group(group)?
        .names_nobody()
        .then_some(LineBinding::Nobody)
}

/// Returns the labels to which a statement that binds a crawler may be a no that is not understood, or a no that is for others.
fn doubt_for(statement: &Statement<'_>, binding: LineBinding, matched: Matched) -> LabelSet {
    let is_no = statement.preference == Some(Preference::Disallow);
    let is_of_others = match binding {
        LineBinding::Group => false,
        // LIVE-2: for a crawler with its own group, a no before all groups is a doubt.
        LineBinding::Outside => is_read_as_everyones(statement) && matched == Matched::Explicit,
        LineBinding::Nobody => true,
    };
    doubt(statement).with(LabelSet::ALL.only_if(is_of_others && is_no))
}
