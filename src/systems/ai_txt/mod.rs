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

use super::path_rules::{PathRule, PathRules, first_lines, path_defect};
use super::words::decisive;
use super::{
    About, Answer, Compiled, FileBody, Give, Ground, Label, Mapping, Page, Source, Statement,
};
use super::{System, Value, Viewpoint};
use crate::robots::{Group, LineKind, ParseLimit, RobotsRecord, RobotsTxt, Selection};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use policy::{FilePolicy, Name, PolicyLine};
use std::collections::HashMap;

const SYSTEM: &str = "ai_txt";
const CATEGORY: &str = "ai-training";
const INDEXING: &str = "indexing";

pub static AI_TXT: System = System {
    about: &About {
        name: SYSTEM,
        title: "ai.txt",
        documents: &["Spawning ai.txt", "draft-car-ai-txt-wellknown-00"],
        carriers: "`/ai.txt`, `/.well-known/ai.txt`",
        left_out: "other files of that name: they state nothing, and are rows with the defect `other_text`",
        columns: &[Column::text(
            SYSTEM,
            "what ai.txt says of training with the page: allow, disallow, unknown",
        )],
        column_prefix: "ai_txt",
        site_file: Some(CaptureKind::AiTxt),
        other_lines: "contact description language last-updated name site-description site-name site-url \
                      spec-version title url version",
        is_file_about_ai: true,
        labels: &[
            Mapping::disallow(CATEGORY, &[Label::TrainAi, Label::TrainGenai]),
            Mapping::disallow(INDEXING, &[Label::AiInput]),
        ],
        ..About::NONE
    },
    compile: |files, viewpoint| Box::new(AiTxtPolicy::new(files.copies, viewpoint)),
    statements: |source, _, give| {
        if let Source::SiteFile(CaptureKind::AiTxt, body) = source {
            give_statements(body, give);
        }
    },
};

fn parse(copy: &FileBody<'_>) -> RobotsTxt {
    RobotsTxt::parse_text(copy.bytes, copy.extent, ParseLimit::default())
}

fn preference(record: &RobotsRecord<'_>) -> Option<Preference> {
    match record.kind {
        LineKind::Allow => Some(Preference::Allow),
        LineKind::Disallow => Some(Preference::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    }
}

/// In lower case. Ours: `*.c` is an extension, though as a path of robots.txt it would also match `/a.css`.
fn extension(value: &[u8]) -> Option<Vec<u8>> {
    let bare = value.strip_prefix(b"/").unwrap_or(value);
    let name = bare
        .strip_suffix(b"$")
        .unwrap_or(bare)
        .strip_prefix(b"*.")?;
    let is_extension = !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric);
    is_extension.then(|| name.to_ascii_lowercase())
}

/// What is said, with the copy and the line that say it.
type Said = (Preference, usize, u32);

/// A site's copies of ai.txt, as they apply to the viewpoint.
struct AiTxtPolicy(Vec<AiTxtCopy>);

struct AiTxtCopy {
    /// The rules of the groups for its crawler.
    rules: AiTxtRules,
    /// The rules of the groups that name it in a list. Of these, only the noes count (ACCT-5).
    listed: Option<AiTxtRules>,
    policy: FilePolicy,
}

impl AiTxtCopy {
    fn new(copy: &FileBody<'_>, viewpoint: &Viewpoint) -> Self {
        let file = parse(copy);
        let selection = file.selection(&viewpoint.token, viewpoint.token_match);
        Self {
            rules: AiTxtRules::new(&file, &selection),
            listed: selection
                .of_noes()
                .map(|noes| AiTxtRules::new(&file, &noes)),
            policy: FilePolicy::new(copy.bytes, viewpoint),
        }
    }

    /// Returns what is said of training, each with its line.
    fn training(&self, path: Option<&UrlPath>) -> Vec<(Preference, u32)> {
        let own = path.map(|path| self.rules.stated(path));
        let listed = path.and_then(|path| Some(self.listed.as_ref()?.stated(path)));
        let mut noes = listed.unwrap_or_default();
        noes.retain(|(preference, _)| *preference == Preference::Disallow);
        own.into_iter()
            .flatten()
            .chain(noes)
            .chain(self.policy.training(path))
            .collect()
    }
}

/// The rules with a path (`None`), and those of each extension.
struct AiTxtRules(HashMap<Option<Vec<u8>>, PathRules<Preference>>);

impl AiTxtRules {
    fn new(file: &RobotsTxt, selection: &Selection) -> Self {
        let mut lines = HashMap::<_, Vec<_>>::new();
        for record in file.records_of(selection) {
            if let Some(stated) = preference(&record) {
                let of_extension = lines.entry(extension(record.value)).or_default();
                of_extension.push((record.line, Some(record.value), stated));
            }
        }
        Self(
            lines
                .into_iter()
                .map(|(extension, lines)| (extension, PathRules::new(lines)))
                .collect(),
        )
    }

    fn longest(&self, path: &UrlPath) -> Vec<&PathRule<Preference>> {
        let with_path = self.0.get(&None).map(|rules| rules.longest(Some(path)));
        let extension = path.without_query().rsplit(|byte| *byte == b'.').next();
        let of_extension = self
            .0
            .get(&extension.map(<[u8]>::to_ascii_lowercase))
            .map(PathRules::all);
        let mut rules = with_path.unwrap_or_default();
        rules.extend(of_extension.into_iter().flatten());
        let most = rules.iter().map(|rule| rule.octets).max();
        rules.retain(|rule| Some(rule.octets) == most);
        rules
    }

    /// Returns what the longest rules say of a path, each with its first line.
    fn stated(&self, path: &UrlPath) -> Vec<(Preference, u32)> {
        let (preference, decided) = decisive(self.longest(path), |rule| rule.stated);
        let lines = first_lines(decided).into_iter();
        lines.map(|line| (preference, line)).collect()
    }
}

impl AiTxtPolicy {
    fn new(copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Self {
        let copies = copies.iter();
        Self(copies.map(|copy| AiTxtCopy::new(copy, viewpoint)).collect())
    }

    fn training(&self, path: Option<&UrlPath>) -> Vec<Said> {
        let copies = self.0.iter().enumerate();
        copies
            .flat_map(|(number, copy)| {
                let said = copy.training(path).into_iter();
                said.map(move |(preference, line)| (preference, number, line))
            })
            .collect()
    }
}

/// Any no counts.
fn give_opinion(
    category: &'static str,
    said: impl IntoIterator<Item = Said>,
    answer: &mut Answer<'_>,
) -> Preference {
    let (preference, decided) = decisive(said, |(preference, ..)| *preference);
    let grounds = decided
        .into_iter()
        .map(|(_, copy, line)| Ground::line_of_copy(CaptureKind::AiTxt, copy, line));
    answer.opinion(category, preference, grounds);
    preference
}

impl Compiled for AiTxtPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let training = give_opinion(CATEGORY, self.training(page.path), answer);
        answer.values.push(Value::Word(training.as_str()));
        let indexing = self.0.iter().enumerate().filter_map(|(number, copy)| {
            let (preference, line) = copy.policy.indexing?;
            Some((preference, number, line))
        });
        give_opinion(INDEXING, indexing, answer);
        if self.0.iter().any(|copy| copy.policy.is_cut) {
            answer.unread.push(CaptureKind::AiTxt.as_str());
        }
    }
}

/// A file without a rule in a group and without a policy is another text of that name, which is one row.
fn give_statements(copy: &FileBody<'_>, give: &mut Give<'_>) {
    let file = parse(copy);
    let carrier = CaptureKind::AiTxt.as_str();
    let has_rule = |group: &Group<'_>| group.records().any(|record| preference(&record).is_some());
    let policy = policy::lines(copy.bytes);
    if policy.is_empty() && !file.groups().any(|group| has_rule(&group)) {
        let whole = Statement::unread(SYSTEM, carrier, copy.bytes);
        return give(&Statement {
            defect: Some("other_text"),
            line: Some(1),
            ..whole
        });
    }
    give_policy_statements(&policy, give);
    for group in file.groups().filter(has_rule) {
        let agent = group.agents_text();
        for record in group.records() {
            let Some(preference) = preference(&record) else {
                continue;
            };
            give(&Statement {
                agent: Some(agent.clone()),
                path: Some(record.value),
                key: Some(record.name),
                value: Some(record.value),
                category: Some(CATEGORY),
                preference: Some(preference),
                defect: path_defect(record.value),
                line: Some(record.line),
                ..Statement::unread(SYSTEM, carrier, record.text)
            });
        }
    }
}

fn give_policy_statements(lines: &[PolicyLine<'_>], give: &mut Give<'_>) {
    let training = || {
        lines
            .iter()
            .filter(|line| line.name == Name::Answer(CATEGORY))
    };
    let is_conditional = training().any(|line| line.answer == Some(Preference::Unknown));
    for line in lines {
        // The answer is that of a field that takes one; a pattern is about a path.
        let (category, path, preference) = match line.name {
            Name::Answer(category) => (Some(category), None, line.answer),
            Name::Path(stated) => (Some(CATEGORY), Some(line.value), Some(stated)),
            Name::Terms | Name::Agent => (None, None, None),
        };
        let defect = match path {
            // AMB-AITXT-4: the draft ties patterns to conditional answers.
            Some(_) if !is_conditional => Some("path_without_conditional"),
            // LIVE-11: a pattern that allows opens nothing in a block.
            Some(_) if preference == Some(Preference::Allow) && line.agent.is_some() => {
                Some("path_in_block")
            }
            _ => (category.is_some() && preference.is_none()).then_some("unknown_value"),
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
    if let Some(first) = lines.first().filter(|_| training().next().is_none()) {
        let row = Statement::unread(SYSTEM, CaptureKind::AiTxt.as_str(), first.raw);
        give(&Statement {
            line: Some(first.number),
            defect: Some("training_missing"),
            ..row
        });
    }
}
