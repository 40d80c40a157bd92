//! The flags of `lint`.

use super::explain::Colour;
use super::values::{FlagWord, FlagWords, words};
use super::view::{ViewpointArgs, with_default};
use clap::Args;
use crawlprefs::web::capture_kind::CaptureKind;
use std::path::PathBuf;
use std::sync::LazyLock;

#[derive(Args, Clone)]
#[command(mut_args(with_default))]
#[allow(clippy::struct_excessive_bools)] // independent switches of the command line
pub struct LintArgs {
    #[arg(value_name = "FILE", help = files_help(), required_unless_present_any = ["header", "meta"])]
    pub files: Vec<PathBuf>,
    /// What the files are, whatever their names are
    #[arg(long = "as", value_name = "KIND", value_parser = words(&KINDS))]
    pub kind: Option<LintKind>,
    /// A header field of a page of the site; can be given several times
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// A meta element of the page's head; can be given several times
    #[arg(long, value_name = "NAME=CONTENT")]
    pub meta: Vec<String>,
    /// The page that the files are asked about [default: the root of a site]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// How the findings are written: text; json, an object; sarif, for code scanning; github, for the annotations of its actions;
    /// html, a page with the files line by line
    #[arg(long, value_name = "FORMAT", value_parser = words(&FORMATS), default_value = "text")]
    pub format: LintFormat,
    /// End with status 1 for warnings, too
    #[arg(long)]
    pub strict: bool,
    /// Show as a diff, and write into the files, what is beyond doubt: line ends, marks in the middle of a file, a blank for a
    /// colon, the case of keys
    #[arg(long, conflicts_with = "format")]
    pub fix: bool,
    #[command(flatten)]
    pub viewpoint: ViewpointArgs,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Colour,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintKind {
    SiteFile(CaptureKind),
    /// An HTML page, whose head is read.
    Page,
    /// Header fields, one on each line.
    Header,
}

static KINDS: LazyLock<Vec<FlagWord<LintKind>>> = LazyLock::new(|| {
    let others = [
        ("page", "an HTML page", LintKind::Page),
        (
            "header",
            "header fields, one on each line",
            LintKind::Header,
        ),
    ];
    CaptureKind::site_files()
        .filter_map(site_file_word)
        .chain(others)
        .collect()
});

fn site_file_word(kind: CaptureKind) -> Option<FlagWord<LintKind>> {
    Some((kind.as_str(), kind.file_name()?, LintKind::SiteFile(kind)))
}

fn files_help() -> String {
    format!(
        "Files of a site: {}, an HTML page, a file of header fields (its name ends in .headers, or is _headers); a folder, as \
         the root of a site, for all of them by their places; - for standard input",
        site_file_names()
    )
}

/// Returns the names of the files in which sites state preferences, separated by commas.
pub fn site_file_names() -> String {
    let names: Vec<&str> = CaptureKind::site_files()
        .filter_map(CaptureKind::file_name)
        .collect();
    names.join(", ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintFormat {
    Text,
    Json,
    Sarif,
    GitHub,
    Html,
}

const FORMATS: FlagWords<LintFormat, 5> = [
    ("text", "For people", LintFormat::Text),
    ("json", "One JSON object", LintFormat::Json),
    ("sarif", "SARIF 2.1.0", LintFormat::Sarif),
    (
        "github",
        "Workflow commands of GitHub Actions",
        LintFormat::GitHub,
    ),
    ("html", "One page without scripts", LintFormat::Html),
];
