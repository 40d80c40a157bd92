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

use super::{
    About, Answer, Compiled, FileBody, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::lines::numbered_lines;
use crate::web::preference::Preference;

/// trust.txt: JournalList.
pub struct TrustTxt;

const SYSTEM: &str = "trust_txt";
const CATEGORY: &str = "data-training";
const VARIABLE: &str = "datatrainingallowed";

const COLUMNS: [Column; 1] = [Column::text(
    "trust_txt_training",
    "datatrainingallowed of trust.txt: allow (yes), disallow (no), unknown",
)];

static ABOUT: About = About {
    name: SYSTEM,
    title: "trust.txt",
    documents: &["JournalList trust.txt 2024-04"],
    carriers: "`/trust.txt`, `/.well-known/trust.txt`",
    left_out: "its other variables, which are not preferences",
    columns: &COLUMNS,
    column_prefix: "trust_txt_",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: Some(CaptureKind::TrustTxt),
    labels: &[Mapping::both(CATEGORY, &[Label::TrainAi, Label::TrainGenai])],
};

impl System for TrustTxt {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(TrustTxtPolicy::new(files.copies))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::SiteFile(CaptureKind::TrustTxt, body) => {
                let is_read = |line: &TrustLine<'_>| line.preference().is_some();
                let last = TrustLine::all(body.bytes).filter(is_read).last().map(|line| line.number);
                for line in TrustLine::all(body.bytes) {
                    give(&line.statement(last));
                }
            }
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

struct TrustLine<'a> {
    number: u32,
    raw: &'a [u8],
    name: &'a [u8],
    value: &'a [u8],
}

impl<'a> TrustLine<'a> {
    fn all(bytes: &'a [u8]) -> impl Iterator<Item = Self> {
        numbered_lines(bytes).filter_map(|(number, line)| {
            let end = memchr::memchr(b'#', line).unwrap_or(line.len());
            let raw = line.get(..end).unwrap_or(line).trim_ascii();
            let at = memchr::memchr(b'=', raw)?;
            let (name, value) = (raw.get(..at)?.trim_ascii(), raw.get(at + 1..)?.trim_ascii());
            is_variable(name).then_some(Self { number, raw, name, value })
        })
    }

    fn preference(&self) -> Option<Preference> {
        if self.raw.iter().any(|byte| is_control(*byte)) {
            None
        } else if self.value.eq_ignore_ascii_case(b"yes") {
            Some(Preference::Allow)
        } else if self.value.eq_ignore_ascii_case(b"no") {
            Some(Preference::Disallow)
        } else {
            None
        }
    }

    /// `last` is the line that counts. An earlier line that says neither yes nor no is superseded.
    fn statement(&self, last: Option<u32>) -> Statement<'a> {
        let preference = self.preference();
        let is_superseded = last.is_some_and(|last| self.number < last);
        let defect = if is_superseded { "superseded" } else { "unknown_value" };
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

/// The answer of a site's copies for all of its pages.
pub struct TrustTxtPolicy {
    training: Preference,
    /// The lines that decided: the copy, and the line in it.
    lines: Vec<(usize, u32)>,
}

impl TrustTxtPolicy {
    /// Reads the copies.
    pub fn new(copies: &[FileBody<'_>]) -> Self {
        let last = |(copy, body): (usize, &FileBody<'_>)| {
            let stated =
                TrustLine::all(body.bytes).filter_map(|line| Some((line.number, line.preference()?)));
            stated.last().map(|(line, preference)| (copy, line, preference))
        };
        let stated: Vec<(usize, u32, Preference)> = copies.iter().enumerate().filter_map(last).collect();
        let training = stated.iter().fold(Preference::Unknown, |said, (_, _, one)| said.and(*one));
        let decided = stated.iter().filter(|(_, _, one)| *one == training);
        Self { training, lines: decided.map(|(copy, line, _)| (*copy, *line)).collect() }
    }
}

impl Compiled for TrustTxtPolicy {
    fn answer<'a>(&'a self, _page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        answer.values.push(Value::Word(self.training.as_str()));
        let carrier = CaptureKind::TrustTxt.as_str();
        let ground = |(copy, line): &(usize, u32)| Ground { copy: *copy, ..Ground::line(carrier, *line) };
        answer.opinion(CATEGORY, self.training, self.lines.iter().map(ground));
    }
}
