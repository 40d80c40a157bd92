//! Content-Signal as a system of preferences: its columns, answers and statements.
//!
//! Example: `search=yes` in the header and `search=no, ai-train=no` in robots.txt disallow both. Of `search=yes`,
//! `ai-train=yes` and `/blog/ ai-train=no` the first counts for every page, and for pages under `/blog/` the third hides the
//! second.
//!
//! The table `statements` has one row for each member, for any crawler. Example: `Content-Signal: /a search=yes, x=1` on line 3
//! gives two rows, both with the path `/a` and line 3, the first flagged `with_path` and the second `unknown_key`.

use super::NAMES;
use super::member::{Category, StatedSignals, Use, less_open, members};
use crate::robots::Matched;
use crate::systems::LineScope::OpenPaths;
use crate::systems::path_rules::{PathRule, PathRules, grounds_of, lines_of, split_path};
use crate::systems::{
    About, Answer, Compiled, Give, Ground, Label, LabelPreferences, Lines, Mapping,
};
use crate::systems::{Page, Site, Source, Statement, System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, RENAMED, header_fields, twins};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use std::sync::LazyLock;

const SYSTEM: &str = "content_signal";

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

pub static CONTENT_SIGNAL: System = System {
    about: &About {
        name: SYSTEM,
        title: "Content-Signal",
        documents: &["draft-romm-aipref-contentsignals-00"],
        carriers: "robots.txt, header, and metas that are named like it",
        left_out: "the yes of metas: no document defines one, and their noes count",
        columns: &COLUMNS,
        column_prefix: "content_signal_",
        lines: Lines::new(
            &NAMES,
            "has_content_signal",
            "whether a Content-Signal line is there",
            OpenPaths,
        ),
        labels: &[
            Mapping::both("search", &[Label::Search]),
            Mapping::both("ai-input", &[Label::AiInput]),
            Mapping::both("ai-train", &[Label::TrainAi, Label::TrainGenai]),
        ],
        ..About::NONE
    },
    compile: |files, _| Box::new(ContentSignals::new(files.robots)),
    statements: |source, _, give| match source {
        Source::Record(fields) => {
            for field in header_fields(fields, &NAMES) {
                let mut row = Statement::of_field(SYSTEM, &field);
                if is_of_converter(fields, &field) {
                    let give = &mut |statement: &Statement<'_>| give(&statement.without_yes());
                    give_members(field.value, Some("vendor_default"), &mut row, give);
                } else {
                    give_members(field.value, None, &mut row, give);
                }
            }
            for field in twins(fields, &NAMES) {
                let give = &mut |statement: &Statement<'_>| give(&statement.without_yes());
                give_members(
                    field.value,
                    None,
                    &mut Statement::of_field(SYSTEM, &field),
                    give,
                );
            }
        }
        Source::Robots(robots) => {
            Statement::of_lines(
                SYSTEM,
                robots,
                |record| record.is_any(&NAMES),
                &mut |record, row| {
                    row.agent.get_or_insert_with(|| "*".to_owned());
                    // The published form demands a group.
                    let flaw = record.group.is_none().then_some("no_group");
                    give_members(record.value, flaw, row, give);
                },
            );
        }
        Source::SiteFile(..) => {}
    },
};

/// Ours: a row has one defect, first one that makes a member say nothing, then the group, because the path has its column.
fn give_members<'a>(
    value: &'a [u8],
    flaw: Option<&'static str>,
    row: &mut Statement<'a>,
    give: &mut Give<'_>,
) {
    let (path, text) = split_path(value);
    row.path = path;
    let members = members(text).map(|mut member| {
        member.defect = member.defect.or(flaw).or(path.map(|_| "with_path"));
        member
    });
    row.give_members(members, give);
}

/// A site's Content-Signal lines, as they apply to the viewpoint, or those of a header: for each key, the lines that state it.
#[derive(Clone, Debug)]
pub struct ContentSignals {
    preferences: [PathRules<Preference>; 3],
    usage: PathRules<Use>,
}

impl ContentSignals {
    /// Ours: a line outside any group is read as if it were in a group of `*`. So it holds for crawlers that no group names
    /// (RFC 9309 2.2.1), and only for those; some readers apply it to all.
    pub fn new(site: Option<&Site<'_>>) -> Self {
        let before = site
            .into_iter()
            .filter(|site| site.selection.matched() != Matched::Explicit);
        let before = before.flat_map(|site| site.robots.records_before_groups());
        let lines = before.chain(site.into_iter().flat_map(Site::lines));
        let lines = lines.filter(|record| record.is_any(&NAMES));
        Self::compile(lines.map(|record| (record.line, record.value)))
    }

    /// Compiles the values of lines, each with its number, in the order of the file or of the header.
    pub fn compile<'a>(lines: impl IntoIterator<Item = (u32, &'a [u8])>) -> Self {
        let read = |(line, value)| {
            let (path, text) = split_path(value);
            (line, path, StatedSignals::parse(text))
        };
        let lines: Vec<(u32, Option<&[u8]>, StatedSignals)> = lines.into_iter().map(read).collect();
        let of = |category| {
            let lines = lines.iter().map(|(line, path, stated)| {
                (*line, *path, stated.preferences.of(category as usize))
            });
            PathRules::new(lines.filter(|(.., preference)| *preference != Preference::Unknown))
        };
        let usage = lines
            .iter()
            .filter_map(|(line, path, stated)| Some((*line, *path, stated.usage?)));
        Self {
            preferences: Category::ALL.map(of),
            usage: PathRules::new(usage),
        }
    }

    /// Returns the lines that decide a category: those with the longest path that matches and states it; a line without a
    /// path is the shortest. Ours: paths that differ but are equally long count together, as for `Content-Usage`.
    fn of(&self, category: Category, path: Option<&UrlPath>) -> Vec<&PathRule<Preference>> {
        self.preferences
            .get(category as usize)
            .map(|rules| rules.longest(path))
            .unwrap_or_default()
    }

    pub fn stated(&self, path: Option<&UrlPath>) -> StatedSignals {
        let mut stated = StatedSignals::NOTHING;
        for category in Category::ALL {
            self.of(category, path)
                .iter()
                .for_each(|rule| stated.preferences.add(category as usize, rule.stated));
        }
        stated.usage = self
            .usage
            .longest(path)
            .iter()
            .fold(None, |held, rule| less_open(held, Some(rule.stated)));
        stated
    }

    /// Returns the lines in the robots.txt that state something for the path, in order.
    pub fn lines(&self, path: &UrlPath) -> Vec<u32> {
        let mut lines = lines_of(
            Category::ALL
                .into_iter()
                .flat_map(|category| self.of(category, Some(path))),
        );
        lines.extend(lines_of(self.usage.longest(Some(path))));
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

impl Compiled for ContentSignals {
    /// Header, metas and robots.txt each give their own answer; `use` is neither a yes nor a no. Ours: neither outranks the
    /// other, as with AIPREF (draft-ietf-aipref-vocab-03, Combining Preferences): disallow, else allow, else unknown; of two
    /// levels of use the less open one.
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        // Ours: lines of a closed path state nothing, as in AIPREF; if the page was fetched all the same, its header holds.
        let robots = (page.crawl != Preference::Disallow).then(|| match page.path {
            Some(path) => self.stated(Some(path)),
            None => StatedSignals::NOTHING,
        });
        let metas: Vec<(Field<'a>, LabelPreferences<3>)> = meta_noes(page).collect();
        let of_metas = metas.iter().map(|(_, preferences)| StatedSignals {
            preferences: *preferences,
            usage: None,
        });
        let header = header_stated(page);
        let stated = header
            .into_iter()
            .chain(of_metas)
            .chain(robots)
            .reduce(|all, one| all.and(&one));
        answer.values.extend(Category::ALL.map(|category| {
            Value::preference(
                stated
                    .as_ref()
                    .map(|stated| stated.preferences.of(category as usize)),
            )
        }));
        let usage = stated.and_then(|stated| stated.usage);
        answer
            .values
            .push(usage.map_or(Value::Null, |usage| Value::Word(usage.as_str())));
        for category in Category::ALL {
            let says_no =
                |noes: &LabelPreferences<3>| noes.of(category as usize) == Preference::Disallow;
            let refusing = metas.iter().filter(|(_, noes)| says_no(noes));
            answer.noes(category.as_str(), refusing.map(|(field, _)| *field));
            if let Some(header) = header {
                let grounds = header_fields(page.fields, &NAMES).map(|field| Ground::field(&field));
                answer.opinion(
                    category.as_str(),
                    header.preferences.of(category as usize),
                    grounds,
                );
            }
            if let Some(robots) = robots {
                let preference = robots.preferences.of(category as usize);
                let rules = page
                    .path
                    .map(|path| self.of(category, Some(path)))
                    .unwrap_or_default();
                let decided = rules.into_iter().filter(|rule| rule.stated == preference);
                answer.opinion(category.as_str(), preference, grounds_of(decided));
            }
        }
    }

    fn other_grounds<'a>(&'a self, page: &Page<'a>) -> Vec<Ground<'a>> {
        let path = page.path.filter(|_| page.crawl != Preference::Disallow);
        let lines = path
            .map(|path| self.lines(path))
            .unwrap_or_default()
            .into_iter();
        let fields = header_fields(page.fields, &NAMES).map(|field| Ground::field(&field));
        lines
            .map(|line| Ground::line("robots", line))
            .chain(fields)
            .collect()
    }
}

/// `None` if the field did not come. Ours: the lines of a field add up like those of a file; a field that came but says nothing
/// readable still counts as sent, so that its page is unknown and not `not_applicable`.
fn header_stated(page: &Page<'_>) -> Option<StatedSignals> {
    let mut fields = header_fields(page.fields, &NAMES).peekable();
    fields.peek()?;
    let values = fields
        .filter(|field| !is_of_converter(page.fields, field))
        .map(|field| (0, field.value));
    Some(ContentSignals::compile(values).stated(page.path))
}

/// The values that intermediaries add to answers that they rewrote, each with the field beside which it is theirs.
static OF_CONVERTERS: LazyLock<Vec<(Vec<&str>, &str)>> = LazyLock::new(|| {
    let rows = include_str!("../../../data/vendor_headers.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let row = |row: &'static str| {
        let mut cells = row.split('\t').skip(1);
        let (value, beside) = (cells.next()?, cells.next()?);
        let mut members: Vec<&str> = value.split(", ").collect();
        members.sort_unstable();
        Some((members, beside))
    };
    rows.skip(1).filter_map(row).collect()
});

/// MANAGED-6: returns whether a field is the text of a vendor's converter, which is no yes of the owner.
fn is_of_converter(fields: &[Field<'_>], field: &Field<'_>) -> bool {
    // Also as an archive's writer renamed it (READ-18).
    let is_renamed = |other: &Field<'_>, name: &str| {
        let bare = RENAMED
            .iter()
            .find_map(|prefix| other.name.strip_prefix(prefix));
        other.carrier == Carrier::Header && bare == Some(name)
    };
    let is_there = |name: &str| {
        fields
            .iter()
            .any(|other| other.is_field(&[name]) || is_renamed(other, name))
    };
    let is_value = |members: &[&str]| {
        let value = field.value.to_ascii_lowercase();
        let mut found: Vec<&[u8]> = value
            .split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii)
            .collect();
        found.sort_unstable();
        found
            .into_iter()
            .eq(members.iter().map(|member| member.as_bytes()))
    };
    OF_CONVERTERS
        .iter()
        .any(|(members, beside)| is_there(beside) && is_value(members))
}

/// The metas are those named like the field (READ-19).
fn meta_noes<'a>(page: &Page<'a>) -> impl Iterator<Item = (Field<'a>, LabelPreferences<3>)> {
    twins(page.fields, &NAMES).filter_map(|field| {
        let stated = ContentSignals::compile([(0, field.value)]).stated(page.path);
        Some((field, stated.preferences.noes()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_2_of_each_key_the_longest_matching_path_that_states_it_counts() {
        let lines = [
            "search=yes",
            "/b ai-train=no",
            "ai-input=no",
            "/* ai-train=yes",
            "/b use=full",
        ];
        for (lines, path, expected, deciding) in [
            (
                &lines[..],
                "/b/c",
                "search=yes,ai-input=no,ai-train=no,use=full",
                &[1, 2, 3, 4, 5][..],
            ),
            (
                &lines,
                "/x",
                "search=yes,ai-input=no,ai-train=yes",
                &[1, 3, 4],
            ),
            (
                &["ai-train=no", "/docs/ ai-input=no"],
                "/docs/a",
                "ai-train=no,ai-input=no",
                &[1, 2],
            ),
            (
                &["ai-train=no", "/docs/ ai-train=yes"],
                "/docs/a",
                "ai-train=yes",
                &[2],
            ),
            (&["/b search=no"], "/x", "", &[]),
        ] {
            let rules =
                ContentSignals::compile((1..).zip(lines.iter().map(|line| line.as_bytes())));
            let page = UrlPath::new(path.as_bytes(), None);
            assert_eq!(
                rules.stated(Some(&page)),
                StatedSignals::parse(expected.as_bytes()),
                "{path}"
            );
            assert_eq!(rules.lines(&page), deciding);
        }
    }

    #[test]
    fn managed_6_the_default_of_a_converter_is_no_yes() {
        let yes = Field::header("content-signal", b"ai-train=yes, search=yes, ai-input=yes");
        let other = Field::header("content-signal", b"search=yes, ai-train=no");
        let tokens = Field::header("x-markdown-tokens", b"725");
        assert!(is_of_converter(&[yes, tokens], &yes) && !is_of_converter(&[yes], &yes));
        assert!(!is_of_converter(&[other, tokens], &other));
    }

    #[test]
    fn local_a_page_without_a_path_has_the_lines_without_one() {
        let rules = ContentSignals::compile([(0, &b"search=no"[..]), (0, b"/ search=yes")]);
        assert_eq!(rules.stated(None), StatedSignals::parse(b"search=no"));
    }
}
