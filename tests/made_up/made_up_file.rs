//! `made-up.txt`: a system with a file of its own that no document defines, to show what a new one takes.
//!
//! Example: the line `training: no` of `/made-up.txt` is a no to `training` for all pages of the site; of several lines a no wins.
//! Left out: everything else.

use super::{About, Answer, Compiled, Ground, Label, Mapping, Page, Source, Statement};
use super::{System, Value, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::lines::{numbered_lines, split_once};
use crate::web::preference::Preference;

const SYSTEM: &str = "made_up_file";
const CATEGORY: &str = "training";

/// The made-up system with a file.
pub static MADE_UP_FILE: System = System {
    about: &About {
        name: SYSTEM,
        title: "made-up.txt",
        documents: &["draft-nobody-made-up-file-00"],
        carriers: "`/made-up.txt`",
        left_out: "nothing",
        columns: &[Column::text(
            "made_up_file_training",
            "`training` of made-up.txt: allow, disallow, unknown",
        )],
        column_prefix: "made_up_file_",
        site_file: Some(CaptureKind::MadeUp),
        other_lines: "ai-contact",
        labels: &[Mapping::both(CATEGORY, &[Label::TrainAi])],
        ..About::NONE
    },
    compile: |files, _| {
        let lines = files
            .copies
            .first()
            .into_iter()
            .flat_map(|body| stated(body.bytes));
        Box::new(MadeUpFile(
            lines.map(|line| (line.number, line.preference)).collect(),
        ))
    },
    statements: |source, _, give| {
        let Source::SiteFile(CaptureKind::MadeUp, body) = source else {
            return;
        };
        for line in stated(body.bytes) {
            give(&Statement {
                category: Some(CATEGORY),
                preference: Some(line.preference),
                line: Some(line.number),
                ..Statement::unread(SYSTEM, CaptureKind::MadeUp.as_str(), line.raw)
            });
        }
    },
};

struct StatedLine<'a> {
    number: u32,
    raw: &'a [u8],
    preference: Preference,
}

/// Returns the lines that state a preference.
fn stated(bytes: &[u8]) -> impl Iterator<Item = StatedLine<'_>> {
    numbered_lines(bytes).filter_map(|(number, raw)| {
        let (name, value) = split_once(raw, b':')?;
        let preference = match value.trim_ascii() {
            b"yes" => Preference::Allow,
            b"no" => Preference::Disallow,
            _ => return None,
        };
        (name == CATEGORY.as_bytes()).then_some(StatedLine {
            number,
            raw,
            preference,
        })
    })
}

/// The lines of a site's file, with what they say.
struct MadeUpFile(Vec<(u32, Preference)>);

impl Compiled for MadeUpFile {
    fn answer<'a>(&'a self, _: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        let all = self
            .0
            .iter()
            .fold(Preference::Unknown, |all, (_, one)| all.and(*one));
        answer.values.push(Value::Word(all.as_str()));
        let decided = self.0.iter().filter(|(_, one)| *one == all);
        answer.opinion(
            CATEGORY,
            all,
            decided.map(|(line, _)| Ground::line(CaptureKind::MadeUp.as_str(), *line)),
        );
    }
}
