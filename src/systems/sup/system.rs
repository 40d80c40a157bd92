//! SUP as a system of preferences: its columns, answers and statements.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Carrying Preference Expressions and HTTP Header Field. Examples:
//! `Usage: tdm=n` in the group of the crawler and `Content-Usage: search=y` with the page disallow everything except search; of
//! `Content-Usage: ai=n;x=1, ai=?0, search=y` only `search` counts.
//! Left out: which copy of robots.txt counts, and which of its groups (`verdict::site_captures`, `robots`).
//!
//! Ours: the field is a structured field dictionary by definition, but to parse it as one is a MAY. It is read as a plain
//! expression, in which `n` wins over `y` and junk harms nothing, because a lost `n` is the worse error for people who filter.
//! Members that are Booleans or have parameters drop out all the same, because their text is neither `y` nor `n`.

use super::expression::{LabelValues, SupLabel, pieces};
use super::{FIELD, RULE};
use crate::robots::{LineKind, RobotsRecord};
use crate::systems::path_rules::{PathRules, grounds_of};
use crate::systems::structured_field::{field_value, header_lines};
use crate::systems::{
    About, Answer, Compiled, Give, Ground, Label, LineScope, Lines, Mapping, Page,
};
use crate::systems::{Site, Source, Statement, System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::preference::Preference;

const SYSTEM: &str = "sup";

/// In the order of [`SupLabel::ALL`].
const COLUMNS: [Column; SupLabel::ALL.len()] = [
    Column::text(
        "sup_tdm",
        "SUP preference for any automated processing: allow, disallow, unknown",
    ),
    Column::text(
        "sup_ai",
        "SUP preference for training or use of AI; where it says nothing of that, the value of sup_tdm",
    ),
    Column::text(
        "sup_genai",
        "SUP preference for training or use of generative AI; where it says nothing of that, the value of sup_ai",
    ),
    Column::text(
        "sup_search",
        "SUP preference for search indexes and their use; where it says nothing of that, the value of sup_tdm",
    ),
];

pub static SUP: System = System {
    about: &About {
        name: SYSTEM,
        title: "SUP",
        documents: &["draft-thomson-aipref-sup 2025-07-21"],
        carriers: "`Usage:` lines, the `Content-Usage` header in its own reading, and metas that are named like it",
        left_out: "its limit of 1000 characters, which is optional; labels that a community adds, as in its table 1: they are unknown and ignored",
        columns: &COLUMNS,
        column_prefix: "sup_",
        lines: Lines::new(
            &[RULE],
            "has_usage",
            "whether a Usage line is there",
            LineScope::Group,
        ),
        // draft-thomson-aipref-sup, HTTP Header Field: the field is the one that draft-ietf-aipref-attach defines.
        fields_of: Some("aipref"),
        labels: &[
            Mapping::both("search", &[Label::Search]),
            Mapping::both("tdm", &[Label::Tdm]),
            Mapping::both("genai", &[Label::TrainGenai]),
            // draft-thomson-aipref-sup: "training or use".
            Mapping::both("ai", &[Label::TrainAi, Label::AiInput]),
        ],
        ..About::NONE
    },
    compile: |files, _| Box::new(SupPolicy::new(files.robots)),
    statements: |source, _, give| match source {
        Source::Record(fields) => give_header_statements(fields, give),
        Source::Robots(robots) => {
            Statement::of_lines(SYSTEM, robots, is_usage, &mut |record, row| {
                if record.group.is_some() {
                    row.give_members(pieces(record.value), give);
                } else {
                    // The "robots.txt" Format: a usage line is in a group.
                    row.give_whole("no_group", give);
                }
            });
        }
        Source::SiteFile(..) => {}
    },
};

#[derive(Clone, Debug)]
struct SupPolicy {
    robots: LabelValues,
    /// The same, line by line.
    lines: PathRules<LabelValues>,
}

impl SupPolicy {
    /// Records the lines of the selected groups, wherever they are in the groups. Ours: the grammar wants them before the rules
    /// and allows no white space after the colon; the draft's own example has it.
    fn new(site: Option<&Site<'_>>) -> Self {
        let mut robots = LabelValues::UNKNOWN;
        let lines = site.into_iter().flat_map(usage_lines).map(|record| {
            robots.record(record.value);
            (record.line, None, LabelValues::parse(record.value))
        });
        let lines = PathRules::new(lines);
        Self { robots, lines }
    }
}

impl Compiled for SupPolicy {
    /// One answer over header and robots.txt, and one of metas; it rests on the record of the label that decided.
    fn answer<'a>(&'a self, page: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        // The "robots.txt" Format has no path in the line: it covers the group. Ours: the text on the example in Examples says
        // that it covers `/article/`, but no rule of the draft makes it so. Ours: also for closed paths, as the draft separates use
        // from acquisition (Applicability). Line by line is equivalent to the field's lines joined by commas (Multiple Preference
        // Expressions).
        let mut values = self.robots;
        for line in header_lines(page.fields, &[FIELD]) {
            values.record(line);
        }
        let all_metas: Vec<Field<'_>> = twins(page.fields, &[FIELD]).collect();
        for label in SupLabel::ALL {
            let says_no = |field: &&Field<'_>| {
                LabelValues::parse(field.value).preference(label) == Preference::Disallow
            };
            let metas: Vec<Field<'_>> = all_metas.iter().filter(says_no).copied().collect();
            let by_metas = if metas.is_empty() {
                Preference::Unknown
            } else {
                Preference::Disallow
            };
            answer
                .values
                .push(Value::Word(values.preference(label).and(by_metas).as_str()));
            answer.noes(label.as_str(), metas);
            let Some((decided, preference)) = values.decided(label) else {
                continue;
            };
            let says = |values: LabelValues| values.recorded(decided) == preference;
            let fields = header_fields(page.fields, &[FIELD])
                .filter(|field| says(LabelValues::parse(field.value)));
            let lines = grounds_of(self.lines.all().iter().filter(|rule| says(rule.stated)));
            let grounds = fields.map(|field| Ground::field(&field)).chain(lines);
            answer.opinion(label.as_str(), preference, grounds);
        }
    }
}

pub fn usage_lines<'a>(site: &Site<'a>) -> impl Iterator<Item = RobotsRecord<'a>> + use<'a> {
    site.lines().filter(is_usage)
}

fn is_usage(record: &RobotsRecord<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_named(RULE)
}

fn give_header_statements(fields: &[Field<'_>], give: &mut Give<'_>) {
    if let Some(value) = field_value(&header_lines(fields, &[FIELD])) {
        // Statements are marked for which the reading as a dictionary differs.
        let (plain, dictionary) = (
            LabelValues::parse(&value),
            LabelValues::of_dictionary(&value),
        );
        let differs = |label| plain.recorded(label) != dictionary.recorded(label);
        let marked = pieces(&value).map(|mut piece| {
            let is_marked = piece
                .category
                .and_then(SupLabel::named)
                .is_some_and(differs);
            piece.defect = piece.defect.or(is_marked.then_some("dictionary_differs"));
            piece
        });
        Statement::unread(SYSTEM, Carrier::Header.as_str(), &value).give_members(marked, give);
    }
    // The metas are those named like the field: their noes count (READ-19).
    for field in twins(fields, &[FIELD]) {
        let mut row = Statement::of_field(SYSTEM, &field);
        row.give_members(pieces(field.value), &mut |statement| {
            give(&statement.without_yes());
        });
    }
}
