//! trust.txt: whether a publisher's content may be used to train AI.
//!
//! Document: the trust.txt specification of JournalList, with the variable of April 2024. Example:
//!
//! ```text
//! member=https://association.example/
//! datatrainingallowed=no
//! ```
//!
//! The file may be at two paths, each with its own copies. Of several lines the last one counts.
//! Ours: of two files that differ a no wins; names and values have no case, as both occur. A line with another value than yes
//! and no, or with a control byte, is a defect; the last line that has a value counts.
//! Left out: who belongs to whom, which is what the file is otherwise about and not a preference.

use super::words::{YES_NO, decisive, meaning};
use super::{
    About, Answer, Compiled, FileBody, Ground, Label, Mapping, Page, Source, Statement, System,
};
use super::{Value, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::lines::{numbered_lines, split_once};
use crate::web::preference::Preference;

const SYSTEM: &str = "trust_txt";
const CATEGORY: &str = "data-training";
const VARIABLE: &str = "datatrainingallowed";

pub static TRUST_TXT: System = System {
    about: &About {
        name: SYSTEM,
        title: "trust.txt",
        documents: &["JournalList trust.txt 2024-04"],
        carriers: "`/trust.txt`, `/.well-known/trust.txt`",
        left_out: "its other variables, which are not preferences",
        columns: &[Column::text(
            "trust_txt_training",
            "datatrainingallowed of trust.txt: allow (yes), disallow (no), unknown",
        )],
        column_prefix: "trust_txt_",
        site_file: Some(CaptureKind::TrustTxt),
        other_lines: "belongto contact control controlledby customer disclosure member social vendor",
        labels: &[Mapping::both(
            CATEGORY,
            &[Label::TrainAi, Label::TrainGenai],
        )],
        ..About::NONE
    },
    compile: |files, _| Box::new(TrustTxtPolicy::new(files.copies)),
    statements: |source, _, give| {
        let Source::SiteFile(CaptureKind::TrustTxt, body) = source else {
            return;
        };
        let last = TrustLine::last(body).map(|(line, _)| line);
        TrustLine::all(body.bytes).for_each(|line| give(&line.statement(last)));
    },
};

struct TrustLine<'a> {
    number: u32,
    raw: &'a [u8],
    name: &'a [u8],
    value: &'a [u8],
}

impl<'a> TrustLine<'a> {
    fn all(bytes: &'a [u8]) -> impl Iterator<Item = Self> {
        numbered_lines(bytes).filter_map(|(number, line)| {
            let raw = line.split(|byte| *byte == b'#').next()?.trim_ascii();
            let (name, value) = split_once(raw, b'=')?;
            let (name, value) = (name.trim_ascii(), value.trim_ascii());
            is_variable(name).then_some(Self {
                number,
                raw,
                name,
                value,
            })
        })
    }

    /// Returns the line that counts, and what it says.
    fn last(body: &FileBody<'a>) -> Option<(u32, Preference)> {
        Self::all(body.bytes)
            .filter_map(|line| Some((line.number, line.preference()?)))
            .last()
    }

    fn preference(&self) -> Option<Preference> {
        meaning(&YES_NO, self.value).filter(|_| !self.raw.iter().any(|byte| is_control(*byte)))
    }

    /// `last` is the line that counts. An earlier line that says neither yes nor no is superseded.
    fn statement(&self, last: Option<u32>) -> Statement<'a> {
        let preference = self.preference();
        let is_superseded = last.is_some_and(|last| self.number < last);
        let defect = if is_superseded {
            "superseded"
        } else {
            "unknown_value"
        };
        Statement {
            key: Some(self.name),
            value: Some(self.value),
            category: Some(CATEGORY),
            preference,
            defect: preference.is_none().then_some(defect),
            line: Some(self.number),
            ..Statement::unread(SYSTEM, CaptureKind::TrustTxt.as_str(), self.raw)
        }
    }
}

/// Control bytes do not count here, so that a line with control bytes is seen and not lost.
fn is_variable(name: &[u8]) -> bool {
    let letters = name.iter().filter(|byte| !is_control(**byte));
    letters.map(u8::to_ascii_lowercase).eq(VARIABLE.bytes())
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

/// The answer of a site's copies for all of its pages: what they say, and the copies and lines that say it.
struct TrustTxtPolicy(Preference, Vec<(usize, u32, Preference)>);

impl TrustTxtPolicy {
    fn new(copies: &[FileBody<'_>]) -> Self {
        let last =
            |(copy, body)| TrustLine::last(body).map(|(line, preference)| (copy, line, preference));
        let (training, lines) =
            decisive(copies.iter().enumerate().filter_map(last), |(.., one)| *one);
        Self(training, lines)
    }
}

impl Compiled for TrustTxtPolicy {
    fn answer<'a>(&'a self, _page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let Self(training, lines) = self;
        answer.values.push(Value::Word(training.as_str()));
        let ground =
            |(copy, line, _): &_| Ground::line_of_copy(CaptureKind::TrustTxt, *copy, *line);
        answer.opinion(CATEGORY, *training, lines.iter().map(ground));
    }
}
