//! Content-Signal as a system of preferences: its columns, answers and statements.
//!
//! Example: `search=yes` in the header and `search=no, ai-train=no` in robots.txt disallow both.
//!
//! The table `statements` has one row for each member, for any crawler. Example: `Content-Signal: /a search=yes, x=1` on line 3
//! gives two rows, both with the path `/a` and line 3, the first flagged `with_path` and the second `unknown_key`.

use super::member::{SignalMember, members};
use super::rules::{ContentSignals, SignalLine};
use super::stated::{Category, StatedSignals, Use};
use super::{NAMES, SYSTEM};
use crate::robots::{Matched, RobotsTxt};
use crate::systems::path_rules::{grounds_of, split_path};
use crate::systems::{
    About, Answer, Compiled, Ground, Label, LineScope, Lines, Mapping, Page, Site, SiteFiles, Source,
    Statement, System, Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::preference::Preference;

/// Content-Signal lines of robots.txt, and the header field.
pub struct ContentSignal;

const COLUMNS: [Column; 4] = [
    Column::text(
        "content_signal_search",
        "Content-Signal `search` of header and robots.txt: allow, disallow, unknown, not_applicable (closed path, no header)",
    ),
    Column::text(
        "content_signal_ai_input",
        "Content-Signal `ai-input` (retrieval, grounding, answers), likewise",
    ),
    Column::text("content_signal_ai_train", "Content-Signal `ai-train`, likewise"),
    Column::text(
        "content_signal_use",
        "Content-Signal `use`, the less open of header and robots.txt: immediate, reference, full; NULL: not stated, or the path is closed",
    )
    .or_null(),
];

static ABOUT: About = About {
    name: SYSTEM,
    title: "Content-Signal",
    documents: &["draft-romm-aipref-contentsignals-00"],
    carriers: "robots.txt, header, and metas that are named like it",
    left_out: "the yes of metas: no document defines one, and their noes count",
    columns: &COLUMNS,
    column_prefix: "content_signal_",
    lines: Lines {
        names: &NAMES,
        column: Some(
            Column::boolean("has_content_signal", "whether a Content-Signal line is there").or_null(),
        ),
        scope: LineScope::OpenPaths,
    },
    fields_of_others: &[],
    site_file: None,
    labels: &[
        Mapping::both("search", &[Label::Search]),
        Mapping::both("ai-input", &[Label::AiInput]),
        Mapping::both("ai-train", &[Label::TrainAi, Label::TrainGenai]),
    ],
};

impl System for ContentSignal {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(ContentSignalPolicy::new(files.robots))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => {
                give_header(header_values(fields), give);
                for field in twins(fields, &NAMES) {
                    give_meta(&field, &mut |statement| give(&statement.without_yes()));
                }
            }
            Source::Robots(robots) => give_robots(robots, give),
            Source::SiteFile(..) => {}
        }
    }
}

/// A site's Content-Signal lines, as they apply to the viewpoint.
pub struct ContentSignalPolicy {
    rules: ContentSignals,
}

/// The statements for one page, carrier by carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSignals {
    /// What the header states; `None` if the field did not come.
    pub header: Option<StatedSignals>,
    /// The noes of metas that are named like the field (READ-19); `None` if there are none.
    pub metas: Option<StatedSignals>,
    /// What robots.txt states; `None` if it closes the page or could not be reached.
    pub robots: Option<StatedSignals>,
}

impl ContentSignalPolicy {
    /// Compiles the lines of the selected groups, and those before any group. Ours: a line outside any group is read as if it
    /// were in a group of `*`. So it holds for crawlers that no group names (RFC 9309 2.2.1), and only for those; some readers
    /// apply it to all.
    pub fn new(site: Option<&Site<'_>>) -> Self {
        let before = site.into_iter().filter(|site| match site.selection.matched() {
            Matched::Explicit => false,
            Matched::Wildcard | Matched::None => true,
        });
        let before = before.flat_map(|site| site.robots.records_before_groups());
        let selected = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        let lines = before.chain(selected).filter(|record| record.is_any(&NAMES));
        let lines = lines.map(|record| SignalLine { line: Some(record.line), value: record.value });
        Self { rules: ContentSignals::compile(lines) }
    }

    /// Returns the statements for a page.
    pub fn signals(&self, page: &Page<'_>) -> PageSignals {
        let robots = match page.crawl {
            // Ours: lines of a closed path state nothing, as in AIPREF; if the page was fetched all the same, its header holds.
            Preference::Disallow => None,
            Preference::Allow | Preference::Unknown => {
                let stated = page.path.map(|path| self.rules.stated(Some(path)));
                Some(stated.unwrap_or(StatedSignals::NOTHING))
            }
        };
        let metas = meta_noes(page).map(|(_, noes)| noes).reduce(|all, one| all.and(&one));
        PageSignals { header: header_stated(page), metas, robots }
    }
}

impl PageSignals {
    /// Returns what all carriers state; `None` if none applies. Ours: neither outranks the other, as with AIPREF
    /// (draft-ietf-aipref-vocab-03, Combining Preferences): disallow, else allow, else unknown; of two levels of use the less
    /// open one.
    pub fn combined(self) -> Option<StatedSignals> {
        [self.header, self.metas, self.robots].into_iter().flatten().reduce(|all, one| all.and(&one))
    }
}

impl Compiled for ContentSignalPolicy {
    /// Header, metas and robots.txt each give their own answer; `use` is neither a yes nor a no.
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let signals = self.signals(page);
        let stated = signals.combined();
        answer.values.extend(Category::ALL.map(|category| Value::Word(word(stated, category))));
        answer.values.push(usage(stated).map_or(Value::Null, Value::Word));
        for category in Category::ALL {
            let is_no = |noes: &StatedSignals| noes.of(category) == Preference::Disallow;
            let metas =
                meta_noes(page).filter(|(_, noes)| is_no(noes)).map(|(field, _)| Ground::field(&field));
            let metas: Vec<Ground<'_>> = metas.collect();
            if !metas.is_empty() {
                answer.opinion(category.as_str(), Preference::Disallow, metas);
            }
            if let Some(header) = signals.header {
                let grounds = header_fields(page.fields, &NAMES).map(|field| Ground::field(&field));
                answer.opinion(category.as_str(), header.of(category), grounds);
            }
            if let Some(robots) = signals.robots {
                let preference = robots.of(category);
                let rules = page.path.map(|path| self.rules.of(category, Some(path))).unwrap_or_default();
                let decided = rules.into_iter().filter(|rule| *rule.stated() == preference);
                answer.opinion(category.as_str(), preference, grounds_of(decided));
            }
        }
    }

    fn other_grounds<'a>(&'a self, page: &Page<'a>) -> Vec<Ground<'a>> {
        let path = page.path.filter(|_| page.crawl != Preference::Disallow);
        let lines = path.map(|path| self.rules.lines(path)).unwrap_or_default().into_iter();
        let fields = header_fields(page.fields, &NAMES).map(|field| Ground::field(&field));
        lines.map(|line| Ground::line("robots", line)).chain(fields).collect()
    }
}

fn word(stated: Option<StatedSignals>, category: Category) -> &'static str {
    stated.map_or("not_applicable", |stated| stated.of(category).as_str())
}

fn usage(stated: Option<StatedSignals>) -> Option<&'static str> {
    stated?.usage().map(Use::as_str)
}

/// Ours: the lines of a field add up like those of a file; a field that came but says nothing readable still counts as
/// sent, so that its page is unknown and not `not_applicable`.
fn header_stated(page: &Page<'_>) -> Option<StatedSignals> {
    let mut values = header_values(page.fields).peekable();
    values.peek()?;
    let lines = values.map(|value| SignalLine { line: None, value });
    Some(ContentSignals::compile(lines).stated(page.path))
}

/// The metas are those named like the field.
fn meta_noes<'s, 'a>(page: &'s Page<'a>) -> impl Iterator<Item = (Field<'a>, StatedSignals)> + use<'s, 'a> {
    twins(page.fields, &NAMES).filter_map(|field| Some((field, stated_by(field.value, page).noes()?)))
}

fn stated_by(value: &[u8], page: &Page<'_>) -> StatedSignals {
    ContentSignals::compile(std::iter::once(SignalLine { line: None, value })).stated(page.path)
}

fn header_values<'a>(fields: &[Field<'a>]) -> impl Iterator<Item = &'a [u8]> {
    header_fields(fields, &NAMES).map(|field| field.value)
}

/// Whether a line is in a group; the published form demands it.
#[derive(Clone, Copy)]
enum SignalPlace {
    Group,
    NoGroup,
    Header,
}

pub(super) fn give_header<'a>(values: impl Iterator<Item = &'a [u8]>, give: &mut dyn FnMut(&Statement<'_>)) {
    for value in values {
        let mut row = Statement::unread(SYSTEM, Carrier::Header.as_str(), value);
        give_members(value, SignalPlace::Header, &mut row, give);
    }
}

/// The meta is named like the header field.
pub(super) fn give_meta(field: &Field<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let mut row = Statement::unread(SYSTEM, field.carrier.as_str(), field.value);
    give_members(field.value, SignalPlace::Header, &mut row, give);
}

/// Lines before any group come first.
pub(super) fn give_robots(robots: &RobotsTxt, give: &mut dyn FnMut(&Statement<'_>)) {
    Statement::of_lines(SYSTEM, robots, |record| record.is_any(&NAMES), &mut |record, row| {
        let place = if record.group.is_some() { SignalPlace::Group } else { SignalPlace::NoGroup };
        row.agent.get_or_insert_with(|| "*".to_owned());
        give_members(record.value, place, row, give);
    });
}

fn give_members<'a>(
    value: &'a [u8],
    place: SignalPlace,
    row: &mut Statement<'a>,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let (path, text) = split_path(value);
    row.path = path;
    let mut found = members(text).peekable();
    if found.peek().is_none() {
        fill(row, None, Some("no_statement"));
        give(row);
    }
    for member in found {
        let defect = member.meaning.defect().or(flag(place, path));
        fill(row, Some(&member), defect);
        give(row);
    }
}

/// Returns the oddity of a readable statement. Ours: a row has one defect. A defect that makes a member say nothing comes
/// first, then the group, because the path has its own column.
fn flag(place: SignalPlace, path: Option<&[u8]>) -> Option<&'static str> {
    match place {
        SignalPlace::NoGroup => Some("no_group"),
        SignalPlace::Group | SignalPlace::Header => path.map(|_| "with_path"),
    }
}

fn fill<'a>(row: &mut Statement<'a>, member: Option<&SignalMember<'a>>, defect: Option<&'static str>) {
    row.key = member.map(|member| member.key);
    row.value = member.and_then(|member| member.value);
    row.category = member.and_then(|member| member.meaning.category());
    row.preference = member.and_then(|member| member.meaning.preference());
    row.defect = defect;
}
