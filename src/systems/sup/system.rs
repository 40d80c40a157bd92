//! SUP as a system of preferences: its columns, answers and statements.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Carrying Preference Expressions. Example: `Usage: tdm=n` in the group of
//! the crawler and `Content-Usage: search=y` with the page disallow everything except search.
//! Left out: which copy of robots.txt counts, and which of its groups (`verdict::site_captures`, `robots`).
//!
//! The header field `Content-Usage`, as this document reads it.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), HTTP Header Field. Example: of `Content-Usage: ai=n;x=1, ai=?0, search=y`
//! only `search` counts. Left out: fields of requests, which no archive of pages has.
//!
//! Ours: the field is a structured field dictionary by definition, but to parse it as one is a MAY. It is read as a plain
//! expression, in which `n` wins over `y` and junk harms nothing, because a lost `n` is the worse error for people who filter.
//! Members that are Booleans or have parameters drop out all the same, because their text is neither `y` nor `n`.

use super::expression::{ExpressionMeaning, LabelValues, Piece, SupLabel};
use super::{FIELD, RULE};
use crate::robots::{LineKind, Record};
use crate::systems::path_rules::{PathRules, grounds_of};
use crate::systems::structured_field::{dictionary, field_value};
use crate::systems::{
    About, Answer, Compiled, FieldOfOther, Ground, Label, LineScope, Lines, Mapping, Page, Site, SiteFiles,
    Source, Statement, System, Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::lines::trim_blanks;
use crate::web::preference::Preference;
use std::borrow::Cow;

/// SUP: draft-thomson-aipref-sup.
pub struct Sup;

const SYSTEM: &str = "sup";

/// In the order of [`SupLabel::ALL`].
const COLUMNS: [Column; SupLabel::ALL.len()] = [
    Column::text("sup_tdm", "SUP preference for any automated processing: allow, disallow, unknown"),
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

static ABOUT: About = About {
    name: SYSTEM,
    title: "SUP",
    documents: &["draft-thomson-aipref-sup 2025-07-21"],
    carriers: "`Usage:` lines, the `Content-Usage` header in its own reading, and metas that are named like it",
    left_out: "its limit of 1000 characters, which is optional; labels that a community adds, as in its table 1: they are unknown and ignored",
    columns: &COLUMNS,
    column_prefix: "sup_",
    lines: Lines {
        names: &[RULE],
        column: Some(Column::boolean("has_usage", "whether a Usage line is there").or_null()),
        scope: LineScope::Group,
    },
    // draft-thomson-aipref-sup, HTTP Header Field: the field is the one that draft-ietf-aipref-attach defines.
    fields_of_others: &[
        FieldOfOther { carrier: Carrier::Header, system: "aipref" },
        FieldOfOther { carrier: Carrier::Meta, system: "aipref" },
        FieldOfOther { carrier: Carrier::HttpEquiv, system: "aipref" },
        FieldOfOther { carrier: Carrier::Property, system: "aipref" },
        FieldOfOther { carrier: Carrier::AfterHead, system: "aipref" },
    ],
    site_file: None,
    labels: &[
        Mapping::both("search", &[Label::Search]),
        Mapping::both("tdm", &[Label::Tdm]),
        Mapping::both("genai", &[Label::TrainGenai]),
        // draft-thomson-aipref-sup: "training or use".
        Mapping::both("ai", &[Label::TrainAi, Label::AiInput]),
    ],
};

impl System for Sup {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(SupPolicy::new(files.robots))
    }

    fn statements(&self, source: &Source<'_>, _: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => give_header_statements(fields, give),
            Source::Robots(robots) => {
                Statement::of_lines(SYSTEM, robots, is_usage, &mut |record, row| match record.group {
                    // The "robots.txt" Format: a usage line is in a group.
                    None => give(&Statement { defect: Some("no_group"), ..row.clone() }),
                    Some(_) => give_pieces(record.value, row, &[], give),
                });
            }
            Source::SiteFile(..) => {}
        }
    }
}

/// A site's `Usage` lines, as they apply to the viewpoint.
#[derive(Clone, Debug)]
pub struct SupPolicy {
    robots: LabelValues,
    /// The same, line by line.
    lines: PathRules<LabelValues>,
}

impl SupPolicy {
    /// Records the lines of the selected groups, wherever they are in the groups. Ours: the grammar wants them before the rules
    /// and allows no white space after the colon; the draft's own example has it.
    pub fn new(site: Option<&Site<'_>>) -> Self {
        let mut robots = LabelValues::UNKNOWN;
        let lines = site.into_iter().flat_map(usage_lines).map(|record| {
            robots.record(record.value);
            (record.line, None, LabelValues::of(record.value))
        });
        let lines = PathRules::new(lines);
        Self { robots, lines }
    }

    /// Returns the values of robots.txt and the header field for a page, recorded together. The "robots.txt" Format has no path
    /// in the line: it covers the group. Ours: the text on the example in Examples says that it covers `/article/`, but no rule
    /// of the draft makes it so. Ours: also for closed paths, as the draft separates use from acquisition (Applicability).
    pub fn values(&self, page: &Page<'_>) -> LabelValues {
        let mut values = self.robots;
        FieldLines::of(page.fields).record_into(&mut values);
        values
    }
}

impl Compiled for SupPolicy {
    /// One answer over header and robots.txt, and one of metas; it rests on the record of the label that decided.
    fn answer<'a>(&'a self, page: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        let values = self.values(page);
        for label in SupLabel::ALL {
            let says_no =
                |field: &Field<'_>| LabelValues::of(field.value).preference(label) == Preference::Disallow;
            let metas: Vec<Ground<'_>> =
                usage_metas(page.fields).filter(says_no).map(|field| Ground::field(&field)).collect();
            let by_metas = if metas.is_empty() { Preference::Unknown } else { Preference::Disallow };
            answer.values.push(Value::Word(values.preference(label).and(by_metas).as_str()));
            answer.opinion(label.as_str(), by_metas, metas);
            let Some((decided, preference)) = values.decided(label) else { continue };
            let says = |values: LabelValues| values.recorded(decided) == preference;
            let fields = usage_fields(page.fields).filter(|field| says(LabelValues::of(field.value)));
            let lines = grounds_of(self.lines.all().iter().filter(|rule| says(*rule.stated())));
            answer.opinion(
                label.as_str(),
                preference,
                fields.map(|field| Ground::field(&field)).chain(lines),
            );
        }
    }
}

/// Returns the `Usage` lines of the selected groups.
pub fn usage_lines<'a>(site: &'a Site<'a>) -> impl Iterator<Item = Record<'a>> {
    site.robots.records_of(site.selection).filter(is_usage)
}

fn is_usage(record: &Record<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_named(RULE)
}

fn give_header_statements(fields: &[Field<'_>], give: &mut dyn FnMut(&Statement<'_>)) {
    if let Some(value) = FieldLines::of(fields).value() {
        let whole = Statement::unread(SYSTEM, Carrier::Header.as_str(), &value);
        give_pieces(&value, &whole, &differing(&value), give);
    }
    for field in usage_metas(fields) {
        let row = Statement::unread(SYSTEM, field.carrier.as_str(), field.value);
        give_pieces(field.value, &row, &[], &mut |statement| give(&statement.without_yes()));
    }
}

/// Returns the labels for which the plain reading of a field value and the reading as a dictionary differ.
fn differing(value: &[u8]) -> Vec<SupLabel> {
    let mut plain = LabelValues::UNKNOWN;
    plain.record(value);
    let dictionary = read_as_dictionary(value);
    let differs = |label: &SupLabel| plain.recorded(*label) != dictionary.recorded(*label);
    SupLabel::ALL.into_iter().filter(differs).collect()
}

/// Gives an expression's pieces, or the whole if it has none.
fn give_pieces(
    expression: &[u8],
    whole: &Statement<'_>,
    differing: &[SupLabel],
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let mut pieces = Piece::all(expression).peekable();
    if pieces.peek().is_none() {
        give(&Statement { defect: Some("no_statement"), ..whole.clone() });
    }
    for piece in pieces {
        let (label, preference, defect) = match piece.meaning() {
            ExpressionMeaning::Stated(label, preference) => {
                let differs = differing.contains(&label);
                (Some(label), Some(preference), differs.then_some("dictionary_differs"))
            }
            ExpressionMeaning::UnknownValue(label) => {
                (Some(label), Some(Preference::Unknown), Some("unknown_value"))
            }
            ExpressionMeaning::UnknownLabel => (None, None, Some("unknown_label")),
            ExpressionMeaning::NoValue => (None, None, Some("no_value")),
        };
        give(&Statement {
            key: Some(piece.label),
            value: piece.value,
            category: label.map(SupLabel::as_str),
            preference,
            defect,
            ..whole.clone()
        });
    }
}

pub(super) fn usage_fields<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    header_fields(fields, &[FIELD])
}

/// The metas are those named like the field: their noes count (READ-19).
pub(super) fn usage_metas<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    twins(fields, &[FIELD])
}

/// The values of the field's lines, in their order.
#[derive(Clone, Debug)]
pub struct FieldLines<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> FieldLines<'a> {
    /// Takes the field out of a record's fields.
    pub fn of(fields: &[Field<'a>]) -> Self {
        Self::from_lines(usage_fields(fields).map(|field| field.value))
    }

    /// Takes the values of the field's lines.
    pub fn from_lines(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        Self { lines: lines.map(trim_blanks).collect() }
    }

    /// Records the field on top of the earlier values. Line by line is equivalent to the lines joined by commas (Multiple
    /// Preference Expressions).
    pub fn record_into(&self, values: &mut LabelValues) {
        for line in &self.lines {
            values.record(line);
        }
    }

    /// Returns the whole value, `None` if the field did not come.
    pub fn value(&self) -> Option<Cow<'a, [u8]>> {
        field_value(&self.lines)
    }
}

/// Returns the record of a structured field parser for a field value: of a repeated key the last member, if it is a token `y`
/// or `n` without parameters, and nothing if the value is not a dictionary. It decides nothing; statements are marked if it
/// differs from the plain reading.
pub fn read_as_dictionary(value: &[u8]) -> LabelValues {
    let mut values = LabelValues::UNKNOWN;
    for member in dictionary(value).unwrap_or_default() {
        let Some(label) = SupLabel::named(member.key.as_bytes()) else { continue };
        *values.slot(label) = match member.token {
            // HTTP Header Field: "Dictionary members with parameters MUST be ignored."
            _ if !member.parameters.is_empty() => Preference::Unknown,
            Some("y") => Preference::Allow,
            Some("n") => Preference::Disallow,
            // "Boolean members MUST be ignored", and so are all others except those tokens.
            Some(_) | None => Preference::Unknown,
        };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    #[test]
    fn sup_header_field_as_a_dictionary() {
        for (value, expected) in [
            ("tdm=y,ai=n", [Allow, Disallow, Unknown, Unknown]),
            ("ai=n, ai=y", [Unknown, Allow, Unknown, Unknown]),
            ("ai=n, ai=y;x", [Unknown; 4]),
            ("ai=y;x=1, tdm=?1, genai, search=(n)", [Unknown; 4]),
            ("search=n, search=\"y\"", [Unknown; 4]),
            ("ai=n, Foo=y", [Unknown; 4]),
            ("ai=n,", [Unknown; 4]),
            ("", [Unknown; 4]),
        ] {
            let found = read_as_dictionary(value.as_bytes());
            assert_eq!(SupLabel::ALL.map(|label| found.recorded(label)), expected, "{value}");
        }
    }
}
