//! `Made-Up`: a system that no document defines, to show what a new one takes.
//!
//! Example: the header `made-up: no` and the line `Made-Up: yes` of robots.txt are a no to `training`.
//! Left out: everything else.

use super::{
    About, Answer, Compiled, Ground, Label, LineScope, Lines, Mapping, Page, Site, Source,
    Statement,
};
use super::{System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::preference::Preference;

const SYSTEM: &str = "made_up";

const NAMES: [&str; 1] = ["made-up"];

/// The made-up system.
pub static MADE_UP: System = System {
    about: &About {
        name: SYSTEM,
        title: "Made-Up",
        documents: &["draft-nobody-made-up-00"],
        carriers: "header, robots.txt",
        left_out: "nothing",
        columns: &[Column::text(
            "made_up_training",
            "Made-Up `training`: allow, disallow, unknown",
        )],
        column_prefix: "made_up_",
        lines: Lines {
            names: &NAMES,
            column: Some(
                Column::boolean("has_made_up", "whether a Made-Up line is there").or_null(),
            ),
            scope: LineScope::Group,
        },
        labels: &[Mapping::both("training", &[Label::TrainAi])],
        ..About::NONE
    },
    compile: |files, _| {
        let lines = files
            .robots
            .into_iter()
            .flat_map(Site::lines)
            .filter(|record| record.is_any(&NAMES));
        Box::new(MadeUpLines(
            lines
                .map(|record| (record.line, preference(record.value)))
                .collect(),
        ))
    },
    statements: |source, _, give| {
        let statement = |carrier, raw| Statement {
            category: Some("training"),
            preference: Some(preference(raw)),
            ..Statement::unread(SYSTEM, carrier, raw)
        };
        match source {
            Source::Record(fields) => {
                for field in fields.iter().filter(|field| field.is_field(&NAMES)) {
                    give(&statement("header", field.value));
                }
            }
            Source::Robots(robots) => {
                for record in robots.records().filter(|record| record.is_any(&NAMES)) {
                    give(&Statement {
                        line: Some(record.line),
                        ..statement("robots", record.value)
                    });
                }
            }
            Source::SiteFile(..) => {}
        }
    },
};

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
        let lines = self
            .0
            .iter()
            .map(|(line, preference)| (*preference, Ground::line("robots", *line)));
        let fields = page.fields.iter().filter(|field| field.is_field(&NAMES));
        let fields = fields.map(|field| (preference(field.value), Ground::field(field)));
        let stated: Vec<(Preference, Ground<'a>)> = fields.chain(lines).collect();
        let all = stated
            .iter()
            .fold(Preference::Unknown, |all, (one, _)| all.and(*one));
        answer.values.push(Value::Word(all.as_str()));
        let decided = stated.into_iter().filter(|(one, _)| *one == all);
        answer.opinion("training", all, decided.map(|(_, ground)| ground));
    }
}
