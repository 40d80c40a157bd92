//! AIPREF as a system of preferences: its columns, answers and statements.

use super::{
    CONTENT_USAGE, ContentUsage, Flaw, PagePreferences, RobotsPreferences, Stated, header_statement,
};
use crate::robots::{LineKind, Record};
use crate::systems::aipref_vocab::{Answers, COLUMNS, Meaning, PreferenceMember, Vocabulary};
use crate::systems::path_rules::{grounds_of, split_path};
use crate::systems::structured_field::{Defect, MAX_FIELD_BYTES, field_value};
use crate::systems::{
    About, Answer, Compiled, Condition, Ground, Label, LineScope, Lines, Mapping, Page, Site, SiteFiles,
    Source, Statement, System, Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::preference::Preference;

/// AIPREF: draft-ietf-aipref-attach, with a vocabulary of draft-ietf-aipref-vocab.
pub struct AiprefAttach;

const SYSTEM: &str = "aipref";

const PAGE_COLUMNS: [Column; COLUMNS.len()] = {
    let mut columns = [column(COLUMNS[0].1); COLUMNS.len()];
    let mut at = 1;
    while at < columns.len() {
        columns[at] = column(COLUMNS[at].1);
        at += 1;
    }
    columns
};

const fn column(name: &'static str) -> Column {
    const MEANING: &str = "AIPREF preference of header and robots.txt: allow, disallow, unknown, not_applicable (closed path, no header); NULL: the vocabulary has no such label";
    Column::text(name, MEANING).or_null()
}

static ABOUT: About = About {
    name: SYSTEM,
    title: "AIPREF",
    documents: &["draft-ietf-aipref-attach-03 to -05", "draft-ietf-aipref-vocab-01 to -08"],
    carriers: "header, robots.txt, and metas that are named like the header field",
    left_out: "exceptions in parameters: draft-zehta-aipref-parameters-00 has names without meanings; they are in `statements`",
    columns: &PAGE_COLUMNS,
    column_prefix: "aipref_",
    lines: Lines {
        names: &[CONTENT_USAGE],
        column: Some(Column::boolean("has_content_usage", "whether a Content-Usage line is there").or_null()),
        scope: LineScope::OpenPaths,
    },
    fields_of_others: &[],
    site_file: None,
    labels: &[
        Mapping::both("search", &[Label::Search]),
        // LABEL-5: 08 has `train-ai` for generative models alone, and a yes to a part is not a yes to the whole.
        Mapping::both("train-ai", &[Label::TrainAi]).only(Condition::VocabularyOtherThan("08")),
        Mapping::disallow("train-ai", &[Label::TrainAi]).only(Condition::Vocabulary("08")),
        // A training label counts for generative AI if the vocabulary has no label for that.
        Mapping::both("train-ai", &[Label::TrainGenai]).only(Condition::VocabularyWithout("train-genai")),
        Mapping::both("ai", &[Label::TrainAi]),
        Mapping::both("ai", &[Label::TrainGenai]).only(Condition::VocabularyWithout("genai")),
        Mapping::both("train-genai", &[Label::TrainGenai]),
        Mapping::both("genai", &[Label::TrainGenai]),
        Mapping::both("ai-output", &[Label::AiInput]),
        Mapping::both("ai-use", &[Label::AiInput]),
        Mapping::both("inference", &[Label::AiInput]),
        // The narrower labels of these have their own opinions, through the fallback.
        Mapping::both("bots", &[Label::Tdm]),
        Mapping::both("all", &[Label::Tdm]),
        Mapping::both("tdm", &[Label::Tdm]),
    ],
};

impl System for AiprefAttach {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(AiprefPolicy::new(files.robots, viewpoint))
    }

    fn statements(&self, source: &Source<'_>, viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => give_header_statements(fields, viewpoint, give),
            Source::Robots(robots) => {
                Statement::of_lines(SYSTEM, robots, is_rule, &mut |record, row| {
                    give_rule_statements(record, row, viewpoint, give);
                });
            }
            Source::SiteFile(..) => {}
        }
    }
}

/// A site's Content-Usage rules, as they apply to the viewpoint.
pub struct AiprefPolicy {
    rules: ContentUsage,
}

impl AiprefPolicy {
    /// Compiles the rules of the selected groups.
    pub fn new(site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Self {
        let records = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        let lines = records.filter(is_rule).map(|record| (record.line, record.value));
        Self { rules: ContentUsage::compile(lines, &viewpoint.vocabulary) }
    }

    /// Returns the compiled rules.
    pub fn rules(&self) -> &ContentUsage {
        &self.rules
    }

    /// Returns the preferences of a page, source by source.
    pub fn preferences(&self, page: &Page<'_>, viewpoint: &Viewpoint) -> PagePreferences {
        let stated = page.path.map_or(Answers::UNKNOWN, |path| self.rules.answers(path));
        let statement = header_statement(&header_lines(page.fields), &viewpoint.vocabulary);
        let metas = meta_noes(page.fields, &viewpoint.vocabulary).map(|(_, noes)| noes);
        PagePreferences {
            metas: metas.reduce(|all, one| all.and(&one)),
            header: statement.map(|statement| {
                statement.map_or(Answers::UNKNOWN, |statement| statement.answers(&viewpoint.vocabulary))
            }),
            robots: RobotsPreferences::new(page.crawl, stated),
        }
    }
}

impl Compiled for AiprefPolicy {
    /// Header, metas and robots.txt each give their own answer.
    fn answer<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let preferences = self.preferences(page, viewpoint);
        let word = |label| Value::Word(preferences.of(label).as_str());
        answer
            .values
            .extend(viewpoint.vocabulary.columns().iter().map(|label| label.map_or(Value::Null, word)));
        if is_header_cut(page.fields) {
            answer.unread.push(Carrier::Header.as_str());
        }
        for (label, category) in viewpoint.vocabulary.labels().filter(|_| preferences.metas.is_some()) {
            let noes = meta_noes(page.fields, &viewpoint.vocabulary);
            let decided: Vec<Ground<'_>> = noes
                .filter(|(_, noes)| noes.of(label) == Preference::Disallow)
                .map(|(field, _)| Ground::field(&field))
                .collect();
            if !decided.is_empty() {
                answer.opinion(category, Preference::Disallow, decided);
            }
        }
        if let Some(header) = preferences.header {
            for (label, category) in viewpoint.vocabulary.labels() {
                let grounds = header_fields(page.fields, &[CONTENT_USAGE]).map(|field| Ground::field(&field));
                answer.opinion(category, header.of(label), grounds);
            }
        }
        if let (RobotsPreferences::Stated(robots), Some(path)) = (preferences.robots, page.path) {
            let rules = self.rules.longest(path);
            if rules.iter().any(|rule| is_cut(rule.stated())) {
                answer.unread.push("robots");
            }
            for (label, category) in viewpoint.vocabulary.labels() {
                let preference = robots.of(label);
                let decided =
                    rules.iter().copied().filter(|rule| rule.stated().answers.of(label) == preference);
                answer.opinion(category, preference, grounds_of(decided));
            }
        }
    }
}

/// LABEL-3: a longer header is not read.
fn is_header_cut(fields: &[Field<'_>]) -> bool {
    header_lines(fields).iter().map(|line| line.len()).sum::<usize>() > MAX_FIELD_BYTES
}

/// As for the header, for a rule that decides.
fn is_cut(stated: &Stated) -> bool {
    matches!(stated.flaw, Some(Flaw::Unreadable(Defect::TooLong { .. })))
}

/// The metas are those named like the header field.
fn meta_noes<'s, 'a>(
    fields: &'s [Field<'a>],
    vocabulary: &'s Vocabulary,
) -> impl Iterator<Item = (Field<'a>, Answers)> + use<'s, 'a> {
    twins(fields, &[CONTENT_USAGE]).filter_map(|field| {
        let statement = header_statement(&[field.value], vocabulary)?.ok()?;
        Some((field, statement.answers(vocabulary).noes()?))
    })
}

fn header_lines<'a>(fields: &'a [Field<'a>]) -> Vec<&'a [u8]> {
    header_fields(fields, &[CONTENT_USAGE]).map(|field| field.value).collect()
}

fn is_rule(record: &Record<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_named(CONTENT_USAGE)
}

fn give_header_statements(fields: &[Field<'_>], viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
    let lines = header_lines(fields);
    if let Some(value) = field_value(&lines) {
        let vocabulary = Some(viewpoint.vocabulary.name());
        let whole = Statement { vocabulary, ..Statement::unread(SYSTEM, Carrier::Header.as_str(), &value) };
        give_members(&value, &whole, viewpoint, give);
    }
    for field in twins(fields, &[CONTENT_USAGE]) {
        let vocabulary = Some(viewpoint.vocabulary.name());
        let row = Statement { vocabulary, ..Statement::unread(SYSTEM, field.carrier.as_str(), field.value) };
        give_members(field.value, &row, viewpoint, &mut |statement| give(&statement.without_yes()));
    }
}

fn give_rule_statements<'a>(
    record: &Record<'a>,
    row: &mut Statement<'a>,
    viewpoint: &'a Viewpoint,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let (path, value) = split_path(record.value);
    (row.path, row.vocabulary) = (path, Some(viewpoint.vocabulary.name()));
    if record.group.is_none() {
        // draft-ietf-aipref-attach-03: a rule is in a group.
        give(&Statement { defect: Some("no_group"), ..row.clone() });
    } else if value.is_empty() {
        give(&Statement { defect: Some("no_statement"), ..row.clone() });
    } else {
        give_members(value, row, viewpoint, give);
    }
}

/// Gives a dictionary's members, or the whole if it is not a dictionary.
fn give_members(
    value: &[u8],
    whole: &Statement<'_>,
    viewpoint: &Viewpoint,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let members = match PreferenceMember::all(value, &viewpoint.vocabulary) {
        Ok(members) => members,
        Err(defect) => {
            give(&Statement { defect: Some(defect.as_str()), ..whole.clone() });
            return;
        }
    };
    for member in members {
        let (label, preference, defect) = match member.meaning {
            Meaning::Stated(label, preference) => (Some(label), Some(preference), None),
            Meaning::UnknownValue(label) => {
                (Some(label), Some(Preference::Unknown), Some(member.meaning.as_str()))
            }
            Meaning::UnknownLabel | Meaning::Superseded | Meaning::LabelOfOtherSystem(_) => {
                (None, None, Some(member.meaning.as_str()))
            }
        };
        give(&Statement {
            key: Some(member.key.as_bytes()),
            value: Some(member.value),
            category: member.meaning.meant().or(label.and_then(|label| viewpoint.vocabulary.text(label))),
            preference,
            defect,
            ..whole.clone()
        });
    }
}
