//! `DisallowAITraining` and `AllowAITraining`: whether AI may be trained on the pages under a path.
//!
//! Document: draft-canel-robots-ai-control, expired; read as its lines are found in robots.txt. Example: under
//! `DisallowAITraining: /` and `AllowAITraining: /press/` only the pages under `/press/` may be used for training.
//!
//! Such a line is another record of RFC 9309 2.2.4: it ends no run of user-agent lines. Ours: it is also not an
//! access rule; Google's parser, which compares the starts of names, reads `Disallow` here.
//! Left out: the draft's header and meta, which are not found; its later families of names.

use super::path_rules::{PathRules, grounds_of};
use super::{
    About, Answer, Compiled, Label, LineScope, Lines, Mapping, Page, Site, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::robots::{Record, RobotsTxt};
use crate::web::column::Column;
use crate::web::path_pattern::{UrlPath, can_match};
use crate::web::preference::Preference;

/// The training lines of robots.txt.
pub struct AiTraining;

const SYSTEM: &str = "ai_training";
const CATEGORY: &str = "ai-training";

/// The names of the lines, compared without case: first of a no, then of a yes.
pub const NAMES: [&str; 2] = ["DisallowAITraining", "AllowAITraining"];

const COLUMNS: [Column; 1] = [Column::text(
    SYSTEM,
    "DisallowAITraining and AllowAITraining of robots.txt: allow, disallow, unknown, not_applicable (closed path)",
)];

static ABOUT: About = About {
    name: SYSTEM,
    title: "AI training",
    documents: &["draft-canel-robots-ai-control-00"],
    carriers: "`DisallowAITraining`, `AllowAITraining` in robots.txt",
    left_out: "the draft's header and meta: not found",
    columns: &COLUMNS,
    column_prefix: "ai_",
    lines: Lines { names: &NAMES, column: None, scope: LineScope::OpenPaths },
    fields_of_others: &[],
    site_file: None,
    labels: &[Mapping::both(CATEGORY, &[Label::TrainAi, Label::TrainGenai])],
};

impl System for AiTraining {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(AiTrainingPolicy::new(files.robots))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Robots(robots) => statements(robots, give),
            Source::Record(_) | Source::SiteFile(..) => {}
        }
    }
}

fn preference(record: &Record<'_>) -> Option<Preference> {
    let [no, yes] = NAMES;
    if record.is_named(no) {
        Some(Preference::Disallow)
    } else if record.is_named(yes) {
        Some(Preference::Allow)
    } else {
        None
    }
}

/// The training lines of a site, as they apply to the viewpoint.
pub struct AiTrainingPolicy {
    rules: PathRules<Preference>,
}

/// What the lines say about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Training {
    Stated(Preference),
    /// The page may not be fetched, so its lines state nothing.
    NotApplicable,
}

impl Training {
    /// Returns the value as it is in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated(preference) => preference.as_str(),
            Self::NotApplicable => "not_applicable",
        }
    }
}

impl AiTrainingPolicy {
    /// Compiles the lines of the selected groups.
    pub fn new(site: Option<&Site<'_>>) -> Self {
        let records = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        // An empty path matches nothing (RFC 9309 2.2, empty-pattern), as the pattern knows.
        let rules =
            records.filter_map(|record| Some((record.line, Some(record.value), preference(&record)?)));
        Self { rules: PathRules::new(rules) }
    }

    /// Returns what the lines say about a page.
    pub fn training(&self, page: &Page<'_>) -> Training {
        match (page.crawl, page.path) {
            (Preference::Disallow, _) => Training::NotApplicable,
            (Preference::Allow | Preference::Unknown, Some(path)) => self.decide(path),
            (Preference::Allow | Preference::Unknown, None) => Training::Stated(Preference::Unknown),
        }
    }

    /// RFC 9309 2.2.2: the longest path that matches. Ours: of equally long ones a no wins, unlike with Allow and
    /// Disallow; if none matches, nothing is said, which is not a yes.
    fn decide(&self, path: &UrlPath) -> Training {
        Training::Stated(
            self.rules
                .longest(Some(path))
                .into_iter()
                .fold(Preference::Unknown, |all, rule| all.and(*rule.stated())),
        )
    }
}

impl Compiled for AiTrainingPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let training = self.training(page);
        answer.values.push(Value::Word(training.as_str()));
        if let (Training::Stated(preference), Some(path)) = (training, page.path) {
            // Of equally long paths a no wins; the lines that say yes did not decide.
            let decided =
                self.rules.longest(Some(path)).into_iter().filter(|rule| *rule.stated() == preference);
            answer.opinion(CATEGORY, preference, grounds_of(decided));
        }
    }
}

fn statements(robots: &RobotsTxt, give: &mut dyn FnMut(&Statement<'_>)) {
    Statement::of_lines(SYSTEM, robots, |record| preference(record).is_some(), &mut |record, row| {
        row.path = Some(record.value);
        row.key = Some(record.name);
        row.value = Some(record.value);
        row.category = Some(CATEGORY);
        row.preference = preference(record);
        row.defect = defect(record);
        give(row);
    });
}

fn defect(record: &Record<'_>) -> Option<&'static str> {
    match (record.group, record.value) {
        // RFC 9309 2.2: a rule is in a group. Ours: a line of training is not an exception.
        (None, _) => Some("no_group"),
        (Some(_), []) => Some("no_path"),
        (Some(_), path) if can_match(path) => None,
        (Some(_), _) => Some("path_without_slash"),
    }
}
