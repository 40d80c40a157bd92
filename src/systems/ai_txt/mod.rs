//! ai.txt: which of a site's files may be used to train AI, by path and by extension.
//!
//! Document: Spawning's ai.txt, which has the grammar of robots.txt (RFC 9309). Example:
//!
//! ```text
//! User-Agent: *
//! Disallow: *.jpg      an extension, in any case: /a/b.JPG?c, but not /a.jpg/b
//! Disallow: /art/      a path
//! ```
//!
//! Ours: the longest rule counts, as in RFC 9309 2.2.2, but of equally long ones the no; if no rule matches, nothing is said,
//! which is not a yes. A file may also be a policy (`policy`), or both: then any no counts, as with two files that differ
//! (RULES LIVE-10). Left out: other texts of that name (Markdown for language models, prose, pages that say that nothing was
//! found), which say nothing; and lines of other documents in such a file.

mod glob;
mod policy;

use super::path_rules::{PathRules, Pattern, first_lines};
use super::{
    About, Answer, Compiled, FileBody, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::robots::{Group, LineKind, ParseLimit, Record, RobotsTxt};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::preference::Preference;
use crate::web::shown::shown;
use policy::{Name, Policy, PolicyAnswer, PolicyLine};

/// ai.txt: Spawning's, and policies.
pub struct AiTxt;

const SYSTEM: &str = "ai_txt";
const CATEGORY: &str = "ai-training";
const INDEXING: &str = "indexing";

const COLUMNS: [Column; 1] =
    [Column::text(SYSTEM, "what ai.txt says of training with the page: allow, disallow, unknown")];

static ABOUT: About = About {
    name: SYSTEM,
    title: "ai.txt",
    documents: &["Spawning ai.txt", "draft-car-ai-txt-wellknown-00"],
    carriers: "`/ai.txt`, `/.well-known/ai.txt`",
    left_out: "other files of that name: they state nothing, and are rows with the defect `other_text`",
    columns: &COLUMNS,
    column_prefix: "ai_txt",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: Some(CaptureKind::AiTxt),
    labels: &[
        Mapping::disallow(CATEGORY, &[Label::TrainAi, Label::TrainGenai]),
        Mapping::disallow(INDEXING, &[Label::AiInput]),
    ],
};

impl System for AiTxt {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(AiTxtPolicy::new(files.copies, viewpoint))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::SiteFile(CaptureKind::AiTxt, body) => statements(body, give),
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

fn parse(copy: &FileBody<'_>) -> RobotsTxt {
    RobotsTxt::parse_text(copy.bytes, copy.extent, ParseLimit::default())
}

fn preference(record: &Record<'_>) -> Option<Preference> {
    match record.kind {
        LineKind::Allow => Some(Preference::Allow),
        LineKind::Disallow => Some(Preference::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    }
}

struct Target {
    files: Files,
    octets: usize,
}

enum Files {
    /// Paths, as in robots.txt.
    Path(PathPattern),
    /// Files by their extension, in lower case and with its dot.
    Extension(Vec<u8>),
}

impl Pattern for Target {
    /// Ours: `*.c` is an extension, though as a path of robots.txt it would also match `/a.css`.
    fn new(value: &[u8]) -> Self {
        let bare = value.strip_prefix(b"/").unwrap_or(value);
        let bare = bare.strip_suffix(b"$").unwrap_or(bare);
        let pattern = PathPattern::new(value);
        let octets = pattern.octet_count();
        let files = match bare.strip_prefix(b"*") {
            Some([b'.', name @ ..]) if !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric) => {
                Files::Extension([b".", name].concat().to_ascii_lowercase())
            }
            Some(_) | None => Files::Path(pattern),
        };
        Self { files, octets }
    }

    fn octet_count(&self) -> usize {
        self.octets
    }

    fn normal_form(&self) -> Option<&[u8]> {
        match &self.files {
            Files::Path(pattern) => Some(pattern.as_bytes()),
            Files::Extension(_) => None,
        }
    }

    fn matches(&self, path: &UrlPath) -> bool {
        match &self.files {
            Files::Path(pattern) => pattern.matches(path),
            Files::Extension(extension) => {
                let path = path.without_query();
                let start = path.len().saturating_sub(extension.len());
                path.get(start..).is_some_and(|ending| ending.eq_ignore_ascii_case(extension))
            }
        }
    }
}

/// A site's copies of ai.txt, as they apply to the viewpoint.
pub struct AiTxtPolicy {
    copies: Vec<Copy>,
}

struct Copy {
    rules: PathRules<Preference, Target>,
    policy: Policy,
}

impl AiTxtPolicy {
    /// Compiles the rules of the groups, and the fields, that apply to the viewpoint's crawler.
    pub fn new(copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Self {
        let copy = |copy: &FileBody<'_>| {
            let file = parse(copy);
            let selection = file.selection(&viewpoint.token, viewpoint.token_match);
            let records = file.records_of(&selection);
            let rules =
                records.filter_map(|record| Some((record.line, Some(record.value), preference(&record)?)));
            let (rules, policy) = (PathRules::new(rules), Policy::new(copy.bytes, viewpoint));
            Copy { rules, policy }
        };
        Self { copies: copies.iter().map(copy).collect() }
    }

    /// Returns the copy, the line and the preference of each statement about training with a page.
    fn training(&self, path: Option<&UrlPath>) -> Vec<(usize, u32, Preference)> {
        let mut said = Vec::new();
        for (number, copy) in self.copies.iter().enumerate() {
            let rules = path.map(|path| copy.rules.longest(Some(path))).unwrap_or_default();
            let preference = rules.iter().fold(Preference::Unknown, |all, rule| all.and(*rule.stated()));
            let decided = rules.into_iter().filter(|rule| *rule.stated() == preference);
            said.extend(first_lines(decided).into_iter().map(|line| (number, line, preference)));
            said.extend(copy.policy.training(path).map(|(preference, line)| (number, line, preference)));
        }
        said
    }

    /// The same for indexing.
    fn indexing(&self) -> Vec<(usize, u32, Preference)> {
        let copies = self.copies.iter().enumerate();
        let said = copies.filter_map(|(number, copy)| {
            copy.policy.indexing().map(|(preference, line)| (number, line, preference))
        });
        said.collect()
    }
}

/// Any no counts.
fn give_opinion(
    category: &'static str,
    said: &[(usize, u32, Preference)],
    answer: &mut Answer<'_>,
) -> Preference {
    let preference = said.iter().fold(Preference::Unknown, |all, (.., one)| all.and(*one));
    let decided = said.iter().filter(|(.., one)| *one == preference);
    let carrier = CaptureKind::AiTxt.as_str();
    let grounds = decided.map(|(copy, line, _)| Ground { copy: *copy, ..Ground::line(carrier, *line) });
    answer.opinion(category, preference, grounds);
    preference
}

impl Compiled for AiTxtPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let training = give_opinion(CATEGORY, &self.training(page.path), answer);
        answer.values.push(Value::Word(training.as_str()));
        give_opinion(INDEXING, &self.indexing(), answer);
        if self.copies.iter().any(|copy| copy.policy.is_cut) {
            answer.unread.push(CaptureKind::AiTxt.as_str());
        }
    }
}

/// A file without a rule in a group and without a policy is another text of that name, which is one row.
fn statements(copy: &FileBody<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let file = parse(copy);
    let carrier = CaptureKind::AiTxt.as_str();
    let has_rule = |group: &Group<'_>| group.records().any(|record| preference(&record).is_some());
    let policy = policy::lines(copy.bytes);
    if policy.is_empty() && !file.groups().any(|group| has_rule(&group)) {
        let whole = Statement::unread(SYSTEM, carrier, copy.bytes);
        return give(&Statement { defect: Some("other_text"), line: Some(1), ..whole });
    }
    give_policy_statements(&policy, give);
    for group in file.groups().filter(has_rule) {
        let agent = group.agents_text();
        for record in group.records() {
            let Some(preference) = preference(&record) else { continue };
            give(&Statement {
                agent: Some(agent.clone()),
                path: Some(record.value),
                key: Some(record.name),
                value: Some(record.value),
                category: Some(CATEGORY),
                preference: Some(preference),
                defect: defect(record.value),
                line: Some(record.line),
                ..Statement::unread(SYSTEM, carrier, record.text)
            });
        }
    }
}

fn give_policy_statements(lines: &[PolicyLine<'_>], give: &mut dyn FnMut(&Statement<'_>)) {
    let is_conditional = lines
        .iter()
        .any(|line| line.name == Name::Training && line.answer == Some(PolicyAnswer::Conditional));
    for line in lines {
        let (category, is_answer) = match line.name {
            Name::Training => (Some(CATEGORY), true),
            Name::Indexing => (Some(INDEXING), true),
            Name::Scraping => (Some("scraping"), true),
            Name::Caching => (Some("caching"), true),
            Name::TrainingAllow | Name::TrainingDeny => (Some(CATEGORY), false),
            Name::Terms | Name::Agent => (None, false),
        };
        let (path, preference) = match line.name {
            Name::TrainingAllow => (Some(line.value), Some(Preference::Allow)),
            Name::TrainingDeny => (Some(line.value), Some(Preference::Disallow)),
            Name::Training | Name::Indexing | Name::Scraping | Name::Caching | Name::Terms | Name::Agent => {
                (None, line.answer.filter(|_| is_answer).map(PolicyAnswer::preference))
            }
        };
        let defect = match path {
            // AMB-AITXT-4: the draft ties patterns to conditional answers.
            Some(_) if !is_conditional => Some("path_without_conditional"),
            // LIVE-11: a pattern that allows opens nothing in a block.
            Some(_) if line.name == Name::TrainingAllow && line.agent.is_some() => Some("path_in_block"),
            Some(_) => None,
            None => (is_answer && line.answer.is_none()).then_some("unknown_value"),
        };
        give(&Statement {
            agent: line.agent.map(|agent| shown(agent).into_owned()),
            path,
            key: Some(line.key),
            value: Some(line.value),
            category,
            preference,
            defect,
            line: Some(line.number),
            ..Statement::unread(SYSTEM, CaptureKind::AiTxt.as_str(), line.raw)
        });
    }
    // AMB-AITXT-1: the owner did not write a default.
    if let Some(first) = lines.first().filter(|_| lines.iter().all(|line| line.name != Name::Training)) {
        let row = Statement::unread(SYSTEM, CaptureKind::AiTxt.as_str(), first.raw);
        give(&Statement { line: Some(first.number), defect: Some("training_missing"), ..row });
    }
}

/// RFC 9309 2.2: an empty path matches nothing.
fn defect(path: &[u8]) -> Option<&'static str> {
    match path {
        [] => Some("no_path"),
        path if can_match(path) => None,
        _ => Some("path_without_slash"),
    }
}
