//! `Made-Up`: a system that no document defines, to show what a new one takes.
//!
//! Example: the header `made-up: no` and the line `Made-Up: yes` of robots.txt are a no to `training`.
//! Left out: everything else.

use super::{
    About, Answer, Compiled, Ground, Label, LineScope, Lines, Mapping, Page, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::preference::Preference;

/// The made-up system.
pub struct MadeUp;

static ABOUT: About = About {
    name: "made_up",
    title: "Made-Up",
    documents: &["draft-nobody-made-up-00"],
    carriers: "header, robots.txt",
    left_out: "nothing",
    columns: &[Column::text("made_up_training", "Made-Up `training`: allow, disallow, unknown")],
    column_prefix: "made_up_",
    lines: Lines {
        names: &["made-up"],
        column: Some(Column::boolean("has_made_up", "whether a Made-Up line is there").or_null()),
        scope: LineScope::Group,
    },
    fields_of_others: &[],
    site_file: None,
    labels: &[Mapping::both("training", &[Label::TrainAi])],
};

impl System for MadeUp {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _: &Viewpoint) -> Box<dyn Compiled> {
        let site = files.robots;
        let records = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        let lines = records.filter(|record| record.is_any(ABOUT.lines.names));
        Box::new(MadeUpLines(lines.map(|record| (record.line, preference(record.value))).collect()))
    }

    fn statements(&self, source: &Source<'_>, _: &Viewpoint, each: &mut dyn FnMut(&Statement<'_>)) {
        let statement = |carrier, raw| Statement {
            category: Some("training"),
            preference: Some(preference(raw)),
            ..Statement::unread(ABOUT.name, carrier, raw)
        };
        match source {
            Source::Record(fields) => {
                for field in fields.iter().filter(|field| field.is_field(ABOUT.lines.names)) {
                    each(&statement("header", field.value));
                }
            }
            Source::Robots(robots) => {
                for record in robots.records().filter(|record| record.is_any(ABOUT.lines.names)) {
                    each(&Statement { line: Some(record.line), ..statement("robots", record.value) });
                }
            }
            Source::SiteFile(..) => {}
        }
    }
}

fn preference(value: &[u8]) -> Preference {
    match value {
        b"yes" => Preference::Allow,
        b"no" => Preference::Disallow,
        _ => Preference::Unknown,
    }
}

/// The lines of a site, with what they say.
struct MadeUpLines(Vec<(u32, Preference)>);

impl Compiled for MadeUpLines {
    fn answer<'a>(&'a self, page: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        let lines = self.0.iter().map(|(line, preference)| (*preference, Ground::line("robots", *line)));
        let fields = page.fields.iter().filter(|field| field.is_field(ABOUT.lines.names));
        let fields = fields.map(|field| (preference(field.value), Ground::field(field)));
        let stated: Vec<(Preference, Ground<'a>)> = fields.chain(lines).collect();
        let all = stated.iter().fold(Preference::Unknown, |all, (one, _)| all.and(*one));
        answer.values.push(Value::Word(all.as_str()));
        let decided = stated.into_iter().filter(|(one, _)| *one == all);
        answer.opinion("training", all, decided.map(|(_, ground)| ground));
    }
}
