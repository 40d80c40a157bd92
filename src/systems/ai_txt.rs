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
//! Ours: the longest rule counts, as in RFC 9309 2.2.2, but of equally long ones the no; and where no
//! rule matches nothing is said, which is no yes.
//! Left out: other texts of that name (Markdown for language models, prose, pages that say that nothing
//! was found), which say nothing; and lines of other documents in such a file.

use super::path_rules::{PathRules, Pattern, first_lines};
use super::{
    About, Answer, Compiled, FileBody, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::robots::{Group, Kind, ParseLimit, Record, RobotsTxt};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::preference::Preference;

/// ai.txt: Spawning.
pub struct AiTxt;

const SYSTEM: &str = "ai_txt";
const CATEGORY: &str = "ai-training";

const COLUMNS: [Column; 1] =
    [Column::text(SYSTEM, "what a Spawning ai.txt says of the page: allow, disallow, unknown")];

static ABOUT: About = About {
    name: SYSTEM,
    title: "ai.txt",
    documents: &["Spawning ai.txt"],
    carriers: "its own file",
    left_out: "other files of that name: they state nothing, and are rows with the defect `other_text`",
    columns: &COLUMNS,
    column_prefix: "ai_txt",
    lines: Lines::NONE,
    site_file: Some(CaptureKind::AiTxt),
    labels: &[Mapping::disallow(CATEGORY, &[Label::TrainAi, Label::TrainGenai])],
};

impl System for AiTxt {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(AiTxtPolicy::new(files.copies.first(), viewpoint))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::SiteFile(CaptureKind::AiTxt, body) => statements(body, give),
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

fn parse(copy: &FileBody<'_>) -> RobotsTxt {
    RobotsTxt::parse_within(copy.bytes, copy.extent, ParseLimit::default())
}

/// Returns what a line says, if it is a rule.
fn preference(record: &Record<'_>) -> Option<Preference> {
    match record.kind {
        Kind::Allow => Some(Preference::Allow),
        Kind::Disallow => Some(Preference::Disallow),
        Kind::UserAgent | Kind::ExtensionRule | Kind::Other => None,
    }
}

/// What a rule names.
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
    /// Ours: `*.c` is an extension, though as a path of robots.txt it would match `/a.css`, too.
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

/// What a site's ai.txt says to the viewpoint.
pub struct AiTxtPolicy {
    rules: PathRules<Preference, Target>,
}

impl AiTxtPolicy {
    /// Compiles the rules of the groups that are for the viewpoint's crawler.
    #[must_use]
    pub fn new(copy: Option<&FileBody<'_>>, viewpoint: &Viewpoint) -> Self {
        let file = copy.map(parse);
        let selected =
            file.as_ref().map(|file| (file, file.selection(&viewpoint.token, viewpoint.token_match)));
        let records = selected.iter().flat_map(|(file, selection)| file.records_of(selection));
        let rules =
            records.filter_map(|record| Some((record.line, Some(record.value), preference(&record)?)));
        Self { rules: PathRules::new(rules) }
    }
}

impl Compiled for AiTxtPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let rules = page.path.map(|path| self.rules.longest(Some(path))).unwrap_or_default();
        let preference = rules.iter().fold(Preference::Unknown, |all, rule| all.and(*rule.stated()));
        answer.values.push(Value::Word(preference.as_str()));
        let decided = rules.into_iter().filter(|rule| *rule.stated() == preference);
        let ground = |line| Ground::line(CaptureKind::AiTxt.as_str(), line);
        answer.opinion(CATEGORY, preference, first_lines(decided).into_iter().map(ground));
    }
}

/// A file without a rule in a group is another text of that name, which is one row.
fn statements(copy: &FileBody<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let file = parse(copy);
    let carrier = CaptureKind::AiTxt.as_str();
    let has_rule = |group: &Group<'_>| group.records().any(|record| preference(&record).is_some());
    if !file.groups().any(|group| has_rule(&group)) {
        let whole = Statement::unread(SYSTEM, carrier, copy.bytes);
        return give(&Statement { defect: Some("other_text"), line: Some(1), ..whole });
    }
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

/// Returns why a rule has no effect (RFC 9309 2.2: an empty path matches nothing).
fn defect(path: &[u8]) -> Option<&'static str> {
    match path {
        [] => Some("no_path"),
        path if can_match(path) => None,
        _ => Some("path_without_slash"),
    }
}
