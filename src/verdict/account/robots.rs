//! The account of a robots.txt, for one crawler.
//!
//! Example: under `Content-Signal: /blog/ ai-train=disallowed` only the pages of `/blog/` have a doubt.
//! Left out: rules and near misses, which are about access (`near_miss`).

use super::lines::{TakenLines, of_record, prose};
use super::refusal::{TopicPlace, lacks_a_yes, may_be_no, names_a_topic, pieces};
use super::{Doubts, Fate, is_doubt, is_read_as_everyones, known::is_known_line};
use crate::robots::{LineKind, Matched};
use crate::systems::{LineScope, SYSTEMS, Site, Source, Statement, Viewpoint};
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
    pub fn of(site: &Site<'_>, viewpoint: &Viewpoint) -> Option<Self> {
        let Bound { lines: bound, has_candidate, lost_noes } = Bound::of(site);
        let mut found = Self::default();
        for path in lost_noes {
            found.others.add(path.as_deref());
        }
        if !has_candidate {
            return found.compiled();
        }
        let mut taken = TakenLines::default();
        for system in SYSTEMS {
            let scope = system.about().lines.scope;
            system.statements(&Source::Robots(site.robots), viewpoint, &mut |statement| {
                if let Some((binding, kind)) = statement.line.and_then(|line| bound.get(&line)) {
                    taken.add(statement);
                    let is_doubt = is_doubt_for(statement, *binding, site.selection.matched());
                    found.add(statement.path, is_doubt, (scope, *kind, *binding));
                }
            });
        }
        for record in bound.keys().filter_map(|line| site.robots.record_on(*line)) {
            let line = of_record(&record, false);
            let is_unrecognised = line.fate(&taken, CaptureKind::Robots) == Fate::Unrecognised;
            if is_unrecognised && line.may_be_no(CaptureKind::Robots) {
                found.others.add(line.path());
            }
        }
        found.compiled()
    }

    /// Adds a statement, which may be a doubt, by the scope of its system, the kind of its line, and its binding.
    fn add(&mut self, path: Option<&[u8]>, is_doubt: bool, place: (LineScope, LineKind, LineBinding)) {
        let is_no_path = is_doubt && path.is_some_and(|path| may_be_no(path, b"", TopicPlace::Name));
        // A path that is a no by its words was not meant as a path: `/train-ai=n`.
        let path = path.filter(|_| !is_no_path);
        match place {
            (LineScope::OpenPaths, LineKind::ExtensionRule, LineBinding::Group) if !is_no_path => {
                self.of_rules.add_rule(path, is_doubt);
            }
            (LineScope::OpenPaths, ..) if is_doubt => self.of_open_paths.add(path),
            (LineScope::Group | LineScope::Site, ..) if is_doubt => self.others.add(path),
            (LineScope::OpenPaths | LineScope::Group | LineScope::Site, ..) => {}
        }
    }

    fn compiled(self) -> Option<Self> {
        let all = [self.of_rules, self.of_open_paths, self.others];
        if !all.iter().any(|doubts| doubts.has_doubt) {
            return None;
        }
        let [of_rules, of_open_paths, others] = all.map(Doubts::compiled);
        Some(Self { of_rules, of_open_paths, others })
    }

    /// Returns whether a doubt counts for a page; `crawl` says whether the crawler may fetch it.
    pub fn hold(&self, path: Option<&UrlPath>, crawl: Preference) -> bool {
        let is_closed = crawl == Preference::Disallow;
        self.others.hold(path) || !is_closed && (self.of_open_paths.hold(path) || self.of_rules.hold(path))
    }
}

/// What may be a no among the lines that bind a crawler.
#[derive(Default)]
struct Bound {
    lines: BoundLines,
    /// Whether one of the lines may be a no.
    has_candidate: bool,
    /// The paths of other lines that may be a no: disallow lines that match nothing, because of their paths or since they are
    /// before all groups, and prose (`No AI training`).
    lost_noes: Vec<Option<Vec<u8>>>,
}

impl Bound {
    fn of(site: &Site<'_>) -> Self {
        let mut last = (None, Some(LineBinding::Outside));
        let mut binding = |group: Option<usize>| {
            if group != last.0 {
                last = (group, group.map_or(Some(LineBinding::Outside), |group| binding_of(site, group)));
            }
            last.1
        };
        let mut bound = Self { lost_noes: prose(site.robots).map(|_| None).collect(), ..Self::default() };
        for record in site.robots.records() {
            match record.kind {
                LineKind::Disallow if record.group.is_none() || matches_nothing(record.value) => {
                    if !record.value.is_empty() && binding(record.group).is_some() {
                        bound.lost_noes.push(meant_path(record.value));
                    }
                    continue;
                }
                LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => continue,
                LineKind::Other if is_known_line(CaptureKind::Robots, record.name) => continue,
                LineKind::ExtensionRule | LineKind::Other => {}
            }
            let Some(binding) = binding(record.group) else { continue };
            // A yes hidden in a group for no crawler is not a doubt; a no needs words for it.
            bound.has_candidate |= may_be_no(record.name, record.value, TopicPlace::Anywhere)
                || pieces(record.value).any(|piece| lacks_a_yes(piece, piece));
            bound.lines.insert(record.line, (binding, record.kind));
        }
        bound
    }
}

/// RFC 9309 2.2.2: a path begins with a slash or a star.
fn matches_nothing(value: &[u8]) -> bool {
    !matches!(value.first(), None | Some(b'/' | b'*'))
}

/// Returns the path that a disallow line was meant for: `https://a.example/b` and `b`, which match nothing, are `/b`, and
/// `&b=` is `/*&b=`. A topic in place of a path (`AI`) or only marks may mean any path.
fn meant_path(value: &[u8]) -> Option<Vec<u8>> {
    let begins =
        |scheme: &[u8]| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = [&b"https://"[..], b"http://"].into_iter().find(|scheme| begins(scheme));
    if let Some(rest) = scheme.and_then(|scheme| value.get(scheme.len()..)) {
        let slash = memchr::memchr(b'/', rest);
        return Some(slash.and_then(|at| rest.get(at..)).unwrap_or(b"/").to_vec());
    }
    if !matches_nothing(value) {
        return Some(value.to_vec());
    }
    let begin: &[u8] = match value.first()? {
        b'?' | b'&' | b'=' | b'.' => b"/*",
        byte if byte.is_ascii_alphanumeric() || *byte == b'_' => b"/",
        _ => return None,
    };
    let is_word = value.iter().any(u8::is_ascii_alphanumeric);
    (is_word && !names_a_topic(value)).then(|| [begin, value].concat())
}

/// Returns how the lines of a group bind a crawler, if they do.
fn binding_of(site: &Site<'_>, group: usize) -> Option<LineBinding> {
    if site.selection.has(group) {
        return Some(LineBinding::Group);
    }
    site.robots.group(group)?.names_nobody().then_some(LineBinding::Nobody)
}

/// Returns whether a statement that binds a crawler may be a no that is not understood, or a no that is for others.
fn is_doubt_for(statement: &Statement<'_>, binding: LineBinding, matched: Matched) -> bool {
    let is_no = statement.preference == Some(Preference::Disallow);
    match binding {
        LineBinding::Group => is_doubt(statement),
        // LIVE-2: for a crawler with its own group, a no before all groups is a doubt.
        LineBinding::Outside => {
            let is_of_others = is_read_as_everyones(statement) && matched == Matched::Explicit;
            is_of_others && is_no || is_doubt(statement)
        }
        LineBinding::Nobody => is_no || is_doubt(statement),
    }
}
