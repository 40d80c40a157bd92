//! What every system of preferences can be asked.

use super::aipref_vocab::Vocabulary;
use super::app_directives::Applications;
use crate::robots::{Extent, RobotsTxt, Selection};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::field::Field;
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::{ProductToken, TokenMatch};
use serde_json::{Map, Value as Json};

/// For whom and in which words the verdict columns of `pages` are.
#[derive(Clone, Debug)]
pub struct Viewpoint {
    /// The crawler.
    pub token: ProductToken,
    /// How its name is compared with those in robots.txt.
    pub token_match: TokenMatch,
    /// The vocabulary of AI preferences.
    pub vocabulary: Vocabulary,
    /// The crawlers of applications to which App-Directives are addressed.
    pub applications: Applications,
}

/// A system of preferences.
pub trait System: Sync {
    /// Returns its name in the tables.
    fn system(&self) -> &'static str;

    /// Returns its columns in `pages`.
    fn columns(&self) -> &'static [Column];

    /// Compiles what a site's robots.txt says to the viewpoint, or, without one, nothing.
    fn compile(&self, site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Box<dyn Policy>;

    /// Returns the kind of site file that it reads instead of robots.txt, where it does.
    fn site_file(&self) -> Option<CaptureKind> {
        None
    }

    /// Compiles what the copies of that file say which were current: at most one for each of
    /// [`CaptureKind::paths`], in that order, and at least one.
    fn compile_copies(&self, copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Box<dyn Policy> {
        let _ = copies;
        self.compile(None, viewpoint)
    }

    /// Adds what the system answers to a scenario of `explain --json`, under the keys that
    /// `tests/vectors/README.md` tells.
    fn explain(&self, question: &Question<'_>, answer: &mut Map<String, Json>) {
        let _ = (question, answer);
    }

    /// Gives every statement of a source, also those that cannot be read.
    fn statements(&self, source: &Source<'_>, viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>));
}

/// What a system says of a site, compiled for one viewpoint.
pub trait Policy: Send + Sync {
    /// Adds the values of the system's columns for a page, in their order.
    fn answer(&self, page: &Page<'_>, viewpoint: &Viewpoint, values: &mut Vec<Value>);

    /// Gives what the system says of the page, category by category in its own words: already combined
    /// and resolved by its own rules, and only where that is a yes or a no.
    ///
    /// A system whose carriers each answer for themselves gives an answer for each; one that has one
    /// answer over all carriers gives that, with what it rests on.
    fn say<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, give: &mut dyn FnMut(Said<'a>)) {
        let _ = (page, viewpoint, give);
    }
}

/// A yes or a no of one system to one category of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// The category, in the system's words.
    pub category: &'a str,
    /// Which of the two.
    pub preference: Preference,
    /// What it rests on, at least one.
    pub grounds: Vec<Ground<'a>>,
}

/// A line or field on which an answer rests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground<'a> {
    /// Where it stands: robots, header, meta, or another site file.
    pub carrier: &'static str,
    /// Of a site file that may stand at several paths, which of the current copies, from 0.
    pub copy: usize,
    /// Line of the site file, from 1.
    pub line: Option<u32>,
    /// The field's value.
    pub raw: Option<&'a [u8]>,
}

impl<'a> Ground<'a> {
    /// Returns a line of a site file that has one path.
    #[must_use]
    pub const fn line(carrier: &'static str, line: u32) -> Self {
        Self { carrier, copy: 0, line: Some(line), raw: None }
    }

    /// Returns a header field or meta.
    #[must_use]
    pub fn field(signal: &Field<'a>) -> Self {
        Self { carrier: signal.carrier.as_str(), copy: 0, line: None, raw: Some(signal.value) }
    }
}

/// A site's robots.txt, read, and the groups in it that hold for the viewpoint.
pub struct Site<'a> {
    /// The file.
    pub robots: &'a RobotsTxt,
    /// The groups.
    pub selection: &'a Selection,
}

/// The body of a site file.
#[derive(Clone, Copy, Debug)]
pub struct FileBody<'a> {
    /// What was received of it, decoded.
    pub bytes: &'a [u8],
    /// Whether that is all.
    pub extent: Extent,
}

/// A page that was fetched.
pub struct Page<'a> {
    /// Its host, in lower case, as an origin has it; `None` where its URL cannot be read.
    pub host: Option<&'a str>,
    /// Its path and query; `None` where its URL cannot be read.
    pub path: Option<&'a UrlPath>,
    /// Its media type, in lower case, where the response has one.
    pub media_type: Option<&'a str>,
    /// Whether the viewpoint's crawler may fetch it, by robots.txt alone.
    pub crawl: Preference,
    /// Its header fields and metas.
    pub fields: &'a [Field<'a>],
}

/// A scenario of `explain --json`, and what has been made of it.
pub struct Question<'a> {
    /// The scenario as it was given.
    pub scenario: &'a Json,
    /// For whom and in which words.
    pub viewpoint: &'a Viewpoint,
    /// The robots.txt that counts, where one was read.
    pub site: Option<&'a Site<'a>>,
    /// The page, where the scenario has one.
    pub page: Option<&'a Page<'a>>,
    /// The copies of other site files that were current, by their kinds.
    pub copies: &'a [(CaptureKind, FileBody<'a>)],
}

impl<'a> Question<'a> {
    /// Returns the copies of one kind of site file.
    #[must_use]
    pub fn copies_of(&self, kind: CaptureKind) -> Vec<FileBody<'a>> {
        self.copies.iter().filter(|(other, _)| *other == kind).map(|(_, body)| *body).collect()
    }
}

/// Adds a reason to the answer to a scenario, which lists them.
pub(crate) fn add_reason(answer: &mut Map<String, Json>, reason: Json) {
    if let Some(Json::Array(reasons)) = answer.get_mut("reasons") {
        reasons.push(reason);
    }
}

/// Where statements stand.
pub enum Source<'a> {
    /// A record's header fields and metas.
    Record(&'a [Field<'a>]),
    /// A robots.txt.
    Robots(&'a RobotsTxt),
    /// Another site file.
    SiteFile(CaptureKind, FileBody<'a>),
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Not looked at, or not there.
    Null,
    /// A word of the documentation.
    Word(&'static str),
    /// Other text.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
    /// True or false.
    Truth(bool),
    /// Structs: for each, its fields in their order.
    Structs(Vec<Vec<Option<String>>>),
}

/// One statement of preference, as the table `statements` holds it.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// The system by which it was read.
    pub system: &'static str,
    /// The vocabulary by which it was read.
    pub vocabulary: Option<&'a str>,
    /// header, meta, `http_equiv`, robots, or another site file.
    pub carrier: &'static str,
    /// The product tokens of its group as written, or the application, joined by comma and blank.
    pub agent: Option<String>,
    /// Path for which it is.
    pub path: Option<&'a [u8]>,
    /// Key as written.
    pub key: Option<&'a [u8]>,
    /// Value as written.
    pub value: Option<&'a [u8]>,
    /// Category of use, in the system's words.
    pub category: Option<&'a str>,
    /// What it says.
    pub preference: Option<Preference>,
    /// What is wrong with it.
    pub defect: Option<&'static str>,
    /// Line of the site file, from 1.
    pub line: Option<u32>,
    /// The whole line or field value.
    pub raw: &'a [u8],
}

impl<'a> Statement<'a> {
    /// Returns a line or field value of a system, before anything of it is read.
    #[must_use]
    pub const fn unread(system: &'static str, carrier: &'static str, raw: &'a [u8]) -> Self {
        Self {
            system,
            vocabulary: None,
            carrier,
            agent: None,
            path: None,
            key: None,
            value: None,
            category: None,
            preference: None,
            defect: None,
            line: None,
            raw,
        }
    }
}
