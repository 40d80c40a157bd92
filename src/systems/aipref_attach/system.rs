//! AIPREF as a system of preferences: its columns, answers and statements.

use super::CONTENT_USAGE;
use super::labels::{
    LabelNoes, MAPPINGS, OF_ANY_REVISION, further_noes, further_noes_of_header, label_noes,
};
use super::rules::{AiprefPolicy, PagePreferences, is_rule, meta_noes};
use crate::systems::aipref_vocab::{Answers, COLUMNS, Vocabulary, members};
use crate::systems::path_rules::{grounds_of, split_path};
use crate::systems::structured_field::{FieldDefect, MAX_FIELD_BYTES, field_value, header_lines};
use crate::systems::{About, Answer, Compiled, Give, Ground, LineScope, Lines};
use crate::systems::{Page, Source, Statement, System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::preference::Preference;

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

pub static AIPREF: System = System {
    about: &About {
        name: SYSTEM,
        title: "AIPREF",
        documents: &[
            "draft-ietf-aipref-attach-03 to -05",
            "draft-ietf-aipref-vocab-01 to -08",
        ],
        carriers: "header, robots.txt, and metas that are named like the header field",
        left_out: "exceptions in parameters: draft-zehta-aipref-parameters-00 has names without meanings; they are in `statements`",
        columns: &PAGE_COLUMNS,
        column_prefix: "aipref_",
        lines: Lines::new(
            &[CONTENT_USAGE],
            "has_content_usage",
            "whether a Content-Usage line is there",
            LineScope::OpenPaths,
        ),
        labels: MAPPINGS,
        ..About::NONE
    },
    compile: |files, viewpoint| Box::new(AiprefPolicy::new(files.robots, viewpoint)),
    statements: |source, viewpoint, give| match source {
        Source::Record(fields) => {
            if let Some(value) = field_value(&header_lines(fields, &[CONTENT_USAGE])) {
                let mut row = Statement::unread(SYSTEM, Carrier::Header.as_str(), &value);
                give_members(&value, &mut row, viewpoint, give);
            }
            for field in twins(fields, &[CONTENT_USAGE]) {
                let give = &mut |statement: &Statement<'_>| give(&statement.without_yes());
                give_members(
                    field.value,
                    &mut Statement::of_field(SYSTEM, &field),
                    viewpoint,
                    give,
                );
            }
        }
        Source::Robots(robots) => {
            Statement::of_lines(SYSTEM, robots, is_rule, &mut |record, row| {
                let (path, value) = split_path(record.value);
                (row.path, row.vocabulary) = (path, Some(viewpoint.vocabulary.name()));
                match (record.group, value) {
                    // draft-ietf-aipref-attach-03: a rule is in a group.
                    (None, _) => row.give_whole("no_group", give),
                    (Some(_), []) => row.give_whole("no_statement", give),
                    (Some(_), value) => give_members(value, row, viewpoint, give),
                }
            });
        }
        Source::SiteFile(..) => {}
    },
};

/// Gives a dictionary's members, or the whole if it is not a dictionary.
fn give_members<'a>(
    value: &'a [u8],
    row: &mut Statement<'a>,
    viewpoint: &'a Viewpoint,
    give: &mut Give<'_>,
) {
    row.vocabulary = Some(viewpoint.vocabulary.name());
    match members(value, &viewpoint.vocabulary) {
        Ok(members) => members.into_iter().for_each(|member| {
            row.fill(member);
            give(row);
        }),
        Err(defect) => row.give_whole(defect.as_str(), give),
    }
}

impl Compiled for AiprefPolicy {
    /// Header, metas and robots.txt each give their own answer.
    fn answer<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let vocabulary = &viewpoint.vocabulary;
        let preferences = self.preferences(page, viewpoint);
        let combined = preferences.combined();
        let word = |label| Value::preference(combined.map(|answers| answers.of(label)));
        answer.values.extend(
            vocabulary
                .columns()
                .iter()
                .map(|label| label.map_or(Value::Null, word)),
        );
        // LABEL-3: a longer header is not read.
        let header = header_lines(page.fields, &[CONTENT_USAGE]);
        if header.iter().map(|line| line.len()).sum::<usize>() > MAX_FIELD_BYTES {
            answer.unread.push(Carrier::Header.as_str());
        }
        for (label, category) in vocabulary.labels().filter(|_| preferences.metas.is_some()) {
            let noes = meta_noes(page.fields, vocabulary);
            let noes = noes.filter(|(_, noes)| noes.of(label) == Preference::Disallow);
            answer.noes(category, noes.map(|(field, _)| field));
        }
        if let Some(header) = preferences.header {
            for (label, category) in vocabulary.labels() {
                let grounds =
                    header_fields(page.fields, &[CONTENT_USAGE]).map(|field| Ground::field(&field));
                answer.opinion(category, header.of(label), grounds);
            }
        }
        if let (Some(robots), Some(path)) = (preferences.robots, page.path) {
            let rules = self.longest(path);
            // As for the header, for a rule that decides.
            if rules
                .iter()
                .any(|rule| matches!(rule.stated.flaw, Some(FieldDefect::TooLong { .. })))
            {
                answer.unread.push("robots");
            }
            for (label, category) in vocabulary.labels() {
                let preference = robots.of(label);
                let decided = rules
                    .iter()
                    .copied()
                    .filter(|rule| rule.stated.answers.of(label) == preference);
                answer.opinion(category, preference, grounds_of(decided));
            }
        }
        self.add_noes_of_any_revision(page, &preferences, vocabulary, answer);
    }
}

impl AiprefPolicy {
    /// KNOW-9: adds the noes that another revision than the viewpoint's gives.
    fn add_noes_of_any_revision<'a>(
        &'a self,
        page: &Page<'a>,
        preferences: &PagePreferences,
        vocabulary: &Vocabulary,
        answer: &mut Answer<'a>,
    ) {
        let is_new = |noes: &LabelNoes, known: Option<Answers>, label| {
            let is_known = || known.map(|known| label_noes(&known, vocabulary).of(label));
            noes.of(label) == Preference::Disallow && is_known() != Some(Preference::Disallow)
        };
        let header =
            further_noes_of_header(&header_lines(page.fields, &[CONTENT_USAGE]), vocabulary);
        let rules = page.path.filter(|_| preferences.robots.is_some());
        let rules = rules.map(|path| self.longest(path)).unwrap_or_default();
        let metas = twins(page.fields, &[CONTENT_USAGE]);
        let metas: Vec<(Field<'a>, LabelNoes)> = metas
            .map(|field| (field, further_noes(field.value, vocabulary)))
            .collect();
        for (category, label) in OF_ANY_REVISION {
            if is_new(&header, preferences.header, label) {
                let grounds =
                    header_fields(page.fields, &[CONTENT_USAGE]).map(|field| Ground::field(&field));
                answer.opinion(category, Preference::Disallow, grounds);
            }
            let refusing = metas
                .iter()
                .filter(|(_, noes)| is_new(noes, preferences.metas, label));
            answer.noes(category, refusing.map(|(field, _)| *field));
            let refusing = rules.iter().copied();
            let mut refusing = refusing
                .filter(|rule| is_new(&rule.stated.noes, preferences.robots, label))
                .peekable();
            if refusing.peek().is_some() {
                answer.opinion(category, Preference::Disallow, grounds_of(refusing));
            }
        }
    }
}
