//! `DisallowAITraining` and `AllowAITraining`: whether AI may be trained on the pages under a path.
//!
//! Document: draft-canel-robots-ai-control, expired; read as its lines are found in robots.txt. Example: under
//! `DisallowAITraining: /` and `AllowAITraining: /press/` only the pages under `/press/` may be used for training.
//!
//! Such a line is another record of RFC 9309 2.2.4: it ends no run of user-agent lines. Ours: it is also not an
//! access rule; Google's parser, which compares the starts of names, reads `Disallow` here.
//! Left out: the draft's header and meta, which are not found; its later families of names.

use super::path_rules::{PathRule, PathRules, grounds_of, path_defect};
use super::words::{decisive, meaning};
use super::{
    About, Answer, Compiled, Label, LineScope, Lines, Mapping, Page, Site, Source, Statement,
};
use super::{System, Value, Viewpoint};
use crate::robots::RobotsRecord;
use crate::web::column::Column;
use crate::web::preference::Preference;

const SYSTEM: &str = "ai_training";
const CATEGORY: &str = "ai-training";

/// The names of the lines, compared without case: first of a no, then of a yes.
pub const NAMES: [&str; 2] = ["DisallowAITraining", "AllowAITraining"];

pub static AI_TRAINING: System = System {
    about: &About {
        name: SYSTEM,
        title: "AI training",
        documents: &["draft-canel-robots-ai-control-00"],
        carriers: "`DisallowAITraining`, `AllowAITraining` in robots.txt",
        left_out: "the draft's header and meta: not found",
        columns: &[Column::text(
            SYSTEM,
            "DisallowAITraining and AllowAITraining of robots.txt: allow, disallow, unknown, not_applicable (closed path)",
        )],
        column_prefix: "ai_",
        lines: Lines {
            names: &NAMES,
            column: None,
            scope: LineScope::OpenPaths,
        },
        labels: &[Mapping::both(
            CATEGORY,
            &[Label::TrainAi, Label::TrainGenai],
        )],
        ..About::NONE
    },
    compile: |files, _| Box::new(AiTrainingPolicy::new(files.robots)),
    statements: |source, _, give| {
        let Source::Robots(robots) = source else {
            return;
        };
        Statement::of_lines(
            SYSTEM,
            robots,
            |record| preference(record).is_some(),
            &mut |record, row| {
                (row.path, row.key, row.value) =
                    (Some(record.value), Some(record.name), Some(record.value));
                (row.category, row.preference) = (Some(CATEGORY), preference(record));
                // RFC 9309 2.2: a rule is in a group. Ours: a line of training is not an exception.
                row.defect = if record.group.is_none() {
                    Some("no_group")
                } else {
                    path_defect(record.value)
                };
                give(row);
            },
        );
    },
};

fn preference(record: &RobotsRecord<'_>) -> Option<Preference> {
    let [no, yes] = NAMES;
    meaning(
        &[(no, Preference::Disallow), (yes, Preference::Allow)],
        record.name,
    )
}

pub struct AiTrainingPolicy(PathRules<Preference>);

impl AiTrainingPolicy {
    pub fn new(site: Option<&Site<'_>>) -> Self {
        // An empty path matches nothing (RFC 9309 2.2, empty-pattern), as the pattern knows.
        let records = site.into_iter().flat_map(Site::lines);
        let rules = records
            .filter_map(|record| Some((record.line, Some(record.value), preference(&record)?)));
        Self(PathRules::new(rules))
    }

    /// Returns what the lines say about a page, and those that say it; `None`: the page may not be fetched, so its lines state
    /// nothing. RFC 9309 2.2.2: the longest path that matches. Ours: of equally long ones a no wins, unlike with Allow and
    /// Disallow; if none matches, nothing is said, which is not a yes.
    pub fn training(&self, page: &Page<'_>) -> Option<(Preference, Vec<&PathRule<Preference>>)> {
        let rules = page
            .path
            .map(|path| self.0.longest(Some(path)))
            .unwrap_or_default();
        (page.crawl != Preference::Disallow).then(|| decisive(rules, |rule| rule.stated))
    }
}

impl Compiled for AiTrainingPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let training = self.training(page);
        answer.values.push(Value::preference(
            training.as_ref().map(|(preference, _)| *preference),
        ));
        if let Some((preference, rules)) = training {
            answer.opinion(CATEGORY, preference, grounds_of(rules));
        }
    }
}
