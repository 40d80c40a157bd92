//! The interface of every system of preferences.

use super::aipref_vocab::Vocabulary;
use super::app_directives::Applications;
use super::label::Mapping;
use super::statement::Give;
use crate::robots::{Extent, RobotsRecord, RobotsTxt, Selection};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::field::{Carrier, Field};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::{NotAToken, ProductToken, TokenMatch};
use crate::web::timestamp::Timestamp;
use crate::web::url::Scheme;

/// The crawler and the vocabulary of the verdict columns of `pages`.
#[derive(Clone, Debug)]
pub struct Viewpoint {
    /// The crawler.
    pub token: ProductToken,
    /// How its name is compared with the names in robots.txt.
    pub token_match: TokenMatch,
    /// The vocabulary of AI preferences.
    pub vocabulary: Vocabulary,
    /// The crawlers of applications to which App-Directives are addressed.
    pub applications: Applications,
}

impl Default for Viewpoint {
    /// Returns the viewpoint of Common Crawl's crawler.
    fn default() -> Self {
        Self::new("CCBot").unwrap_or_else(|_| unreachable!("a product token"))
    }
}

impl Viewpoint {
    /// Returns the viewpoint of a crawler with the default vocabulary (03, which attach-03 names), names compared whole, and no
    /// crawlers of applications.
    ///
    /// # Errors
    /// [`NotAToken`] if no user-agent line could name it, or if it is a whole User-Agent field.
    pub fn new(crawler: &str) -> Result<Self, NotAToken> {
        Ok(Self {
            token: ProductToken::of_crawler(crawler)?,
            token_match: TokenMatch::Exact,
            vocabulary: Vocabulary::default(),
            applications: Applications::default(),
        })
    }
}

/// What a system says about itself, once.
#[derive(Debug)]
pub struct About {
    /// Its name in the tables.
    pub name: &'static str,
    pub title: &'static str,
    /// The documents and revisions by which it is read; empty if there are none.
    pub documents: &'static [&'static str],
    /// Its carriers, for people.
    pub carriers: &'static str,
    pub left_out: &'static str,
    pub columns: &'static [Column],
    /// The start of its column names, which is left out beside its title.
    pub column_prefix: &'static str,
    pub lines: Lines,
    /// The system whose document defines the fields of records that it reads, by its name in the tables, if that is another
    /// one: counts of the users of a system leave these fields to it.
    pub fields_of: Option<&'static str>,
    /// The kind of site file that it reads instead of robots.txt, if any.
    pub site_file: Option<CaptureKind>,
    /// The names of lines of this file that state no preference about use, between blanks (RULES ACCT-1).
    pub other_lines: &'static str,
    /// Whether this file is about AI as a whole, so that its lines need not name the topic.
    pub is_file_about_ai: bool,
    pub labels: &'static [Mapping],
    /// Whether a system without labels can state a no, which withholds a yes of others.
    pub can_refuse: bool,
}

impl About {
    /// A system that reads nothing; each declares what it has.
    pub const NONE: Self = Self {
        name: "",
        title: "",
        documents: &[],
        carriers: "",
        left_out: "",
        columns: &[],
        column_prefix: "",
        lines: Lines::NONE,
        fields_of: None,
        site_file: None,
        other_lines: "",
        is_file_about_ai: false,
        labels: &[],
        can_refuse: true,
    };

    /// Returns the system for which the fields of a carrier were written, if that is another one.
    pub fn same_field_as(&self, carrier: &str) -> Option<&'static str> {
        self.fields_of.filter(|_| Carrier::named(carrier).is_some())
    }
}

/// The lines of a system in robots.txt.
#[derive(Debug)]
pub struct Lines {
    pub names: &'static [&'static str],
    /// The column of `robots` that says whether a file has such a line.
    pub column: Option<Column>,
    pub scope: LineScope,
}

/// The pages for which the lines of a system in robots.txt hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineScope {
    /// Pages that the file lets the crawlers of their group fetch (RULES LABEL-2).
    OpenPaths,
    /// Pages for the crawlers of their group, also closed ones.
    Group,
    /// The whole site; such a line needs no group.
    Site,
}

impl Lines {
    pub const NONE: Self = Self {
        names: &[],
        column: None,
        scope: LineScope::Site,
    };

    /// Returns the lines of a system with a column of `robots`: its name and description.
    pub const fn new(
        names: &'static [&'static str],
        column: &'static str,
        about: &'static str,
        scope: LineScope,
    ) -> Self {
        Self {
            names,
            column: Some(Column::boolean(column, about).or_null()),
            scope,
        }
    }
}

/// A system of preferences: what it says about itself, and how it reads.
pub struct System {
    pub(super) about: &'static About,
    pub(super) compile: fn(&SiteFiles<'_>, &Viewpoint) -> Box<dyn Compiled>,
    pub(super) statements: fn(&Source<'_>, &Viewpoint, &mut Give<'_>),
}

impl System {
    pub fn about(&self) -> &'static About {
        self.about
    }

    /// Compiles the files of a site for the viewpoint: its robots.txt, or those of [`About::site_file`].
    pub fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        (self.compile)(files, viewpoint)
    }

    /// Passes on every statement of a source, also unreadable ones.
    pub fn statements(&self, source: &Source<'_>, viewpoint: &Viewpoint, give: &mut Give<'_>) {
        (self.statements)(source, viewpoint, give);
    }
}

/// The content of a site's files for a system, compiled for one viewpoint.
pub trait Compiled: Send + Sync {
    /// Answers for a page: the values of the system's columns in their order, and its opinions.
    fn answer<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, answer: &mut Answer<'a>);

    /// Returns the grounds of column values that have no opinion. Only explanations ask for it.
    fn other_grounds<'a>(&'a self, _page: &Page<'a>) -> Vec<Ground<'a>> {
        Vec::new()
    }
}

impl Compiled for () {
    fn answer<'a>(&'a self, _: &Page<'a>, _: &'a Viewpoint, _: &mut Answer<'a>) {}
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer<'a> {
    pub values: Vec<Value>,
    /// Its opinions, category by category, combined and resolved by its own rules.
    pub opinions: Vec<Opinion<'a>>,
    /// The carriers that its own limit left partly unread (LABEL-3).
    pub unread: Vec<&'static str>,
}

/// The most lines and fields on which an opinion rests: one more than a row shows, so that a cut is visible.
pub const MAX_GROUNDS: usize = 33;

impl<'a> Answer<'a> {
    /// Adds an opinion if it is a yes or a no. A system whose carriers each give their own answer adds an opinion for each; a
    /// system with one answer over all carriers adds that one, with its grounds.
    pub fn opinion(
        &mut self,
        category: &'a str,
        preference: Preference,
        grounds: impl IntoIterator<Item = Ground<'a>>,
    ) {
        if preference != Preference::Unknown {
            self.opinions.push(Opinion {
                category,
                preference,
                grounds: grounds.into_iter().take(MAX_GROUNDS).collect(),
            });
        }
    }

    /// Adds a no that rests on these fields, if there are any: the metas of READ-19.
    pub fn noes(&mut self, category: &'a str, fields: impl IntoIterator<Item = Field<'a>>) {
        let grounds: Vec<Ground<'a>> = fields
            .into_iter()
            .map(|field| Ground::field(&field))
            .collect();
        if !grounds.is_empty() {
            self.opinion(category, Preference::Disallow, grounds);
        }
    }
}

/// A yes or a no of one system for one category of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion<'a> {
    pub category: &'a str,
    pub preference: Preference,
    /// Its grounds: at least one, at most [`MAX_GROUNDS`].
    pub grounds: Vec<Ground<'a>>,
}

/// A line or field on which an opinion rests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground<'a> {
    /// The carrier: robots, header, meta, or another site file.
    pub carrier: &'static str,
    /// Of a site file that may be at several paths, the number of the current copy, from 0.
    pub copy: usize,
    pub line: Option<u32>,
    pub raw: Option<&'a [u8]>,
}

impl<'a> Ground<'a> {
    /// Returns a line of a site file that has one path.
    pub const fn line(carrier: &'static str, line: u32) -> Self {
        Self {
            carrier,
            copy: 0,
            line: Some(line),
            raw: None,
        }
    }

    /// Returns a line of one of the copies of a site file.
    pub const fn line_of_copy(kind: CaptureKind, copy: usize, line: u32) -> Self {
        Self {
            copy,
            ..Self::line(kind.as_str(), line)
        }
    }

    pub fn field(field: &Field<'a>) -> Self {
        Self {
            carrier: field.carrier.as_str(),
            copy: 0,
            line: None,
            raw: Some(field.value),
        }
    }
}

/// The files of a site that a system compiles.
#[derive(Clone, Copy, Default)]
pub struct SiteFiles<'a> {
    pub robots: Option<&'a Site<'a>>,
    /// The copies of the system's own file that were current: at most one for each of [`CaptureKind::paths`], in that order.
    pub copies: &'a [FileBody<'a>],
}

/// A site's parsed robots.txt, and the groups in it that hold for the viewpoint.
pub struct Site<'a> {
    pub robots: &'a RobotsTxt,
    pub selection: &'a Selection,
}

impl<'a> Site<'a> {
    /// Returns the records of the groups that are neither user-agent lines nor rules of RFC 9309, in the order of the file.
    pub fn lines(&self) -> impl Iterator<Item = RobotsRecord<'a>> + use<'a> {
        let selection = self.selection;
        let is_selected = move |record: &RobotsRecord<'_>| {
            record.group.is_some_and(|group| selection.has_whole(group))
        };
        self.robots.other_records().filter(is_selected)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct FileBody<'a> {
    /// The bytes that were received, decoded.
    pub bytes: &'a [u8],
    /// Whether they are the whole body.
    pub extent: Extent,
}

#[derive(Default)]
pub struct Page<'a> {
    /// Its scheme; `None` if its URL cannot be read.
    pub scheme: Option<Scheme>,
    /// Its host, in lower case, as an origin has it; `None` if its URL cannot be read.
    pub host: Option<&'a str>,
    /// Its path and query; `None` if its URL cannot be read.
    pub path: Option<&'a UrlPath>,
    /// Its media type, in lower case, if the response has one.
    pub media_type: Option<&'a str>,
    /// When it was fetched, if that is known.
    pub fetched_at: Option<Timestamp>,
    /// Whether the viewpoint's crawler may fetch it, by robots.txt alone. Systems ask only whether it is disallow (LABEL-2).
    pub crawl: Preference,
    pub fields: &'a [Field<'a>],
}

pub enum Source<'a> {
    Record(&'a [Field<'a>]),
    Robots(&'a RobotsTxt),
    SiteFile(CaptureKind, FileBody<'a>),
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "explain", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum Value {
    /// Not examined, or absent.
    Null,
    /// A word of the documentation.
    Word(&'static str),
    /// Other text.
    Text(String),
    Texts(Vec<String>),
    /// True or false.
    Truth(bool),
    /// Structs: for each, its fields in their order.
    Structs(Vec<Vec<Option<String>>>),
}

impl Value {
    /// Returns a preference; `None`: the path may not be crawled and nothing else states preferences.
    pub fn preference(preference: Option<Preference>) -> Self {
        Self::Word(preference.map_or("not_applicable", Preference::as_str))
    }
}
