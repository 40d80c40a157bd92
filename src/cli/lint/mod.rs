//! `lint`: what is read of the files of a site, line by line, and how to write what was meant.
//!
//! Example: `crawlprefs lint robots.txt` prints each line that nobody reads, what to write instead, and what the file says now.
//! The findings are those of `explain::lint`, which has the rules; here are files, formats and exit statuses: 0 without errors, 1
//! with errors (`--strict`: or warnings), 2 where a flag or file cannot be used.

mod files;
mod fix;
mod formats;
mod html;
mod text;

use super::args::{LintArgs, LintFormat};
use super::call::Ended;
use super::event::Failure;
use super::explain::is_coloured;
use super::log::Log;
use super::{COULD_NOT_RUN, WRONG_USAGE, output, resolve};
use crawlprefs::explain::Scenario;
use crawlprefs::explain::lint::{
    FileSays, LintFinding, PlacedField, Severity, lint_fields, lint_file, said,
};
use crawlprefs::systems::Viewpoint;
use crawlprefs::verdict::{AgentsTable, Resolver};
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::url::PageUrl;
use files::{Content, LintedFile};

/// The page that files are asked about if none is named.
const SOME_PAGE: &str = "https://site.example/";

struct Linted {
    file: LintedFile,
    findings: Vec<LintFinding>,
}

/// All files of a call, and what they say together.
struct LintReport {
    files: Vec<Linted>,
    says: FileSays,
    agent: String,
    page: String,
    /// Whether a page was named, whose path counts, and not the root alone.
    is_named: bool,
}

impl LintReport {
    fn count(&self, severity: Severity) -> usize {
        self.files
            .iter()
            .flat_map(|linted| &linted.findings)
            .filter(|one| one.severity == severity)
            .count()
    }

    /// Returns how many findings are as grave as this, in words: `2 errors`.
    fn counted(&self, severity: Severity) -> String {
        counted(self.count(severity), severity.as_str())
    }
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Lints the files of the flags; returns the exit status.
pub fn lint(args: &LintArgs) -> Result<u8, Ended> {
    let report = match report_of(args) {
        Ok(report) => report,
        Err(refusal) => {
            Log::plain().error(Failure::bad_option(refusal));
            return Ok(WRONG_USAGE);
        }
    };
    if args.fix {
        return fix::fix(&report);
    }
    match args.format {
        LintFormat::Text => {
            output::print_bytes(text::text(&report, is_coloured(args.color)).as_bytes())?
        }
        LintFormat::Json => output::print_json(&formats::json(&report))?,
        LintFormat::Sarif => output::print_json(&formats::sarif(&report))?,
        LintFormat::GitHub => output::print(&formats::github(&report))?,
        LintFormat::Html => output::print_bytes(html::page(&report).as_bytes())?,
    };
    let has = |severity| report.count(severity) > 0;
    let fails = has(Severity::Error) || args.strict && has(Severity::Warning);
    Ok(if fails { COULD_NOT_RUN } else { 0 })
}

fn report_of(args: &LintArgs) -> Result<LintReport, String> {
    let (viewpoint, agents) = resolve::viewpoint(&args.viewpoint, Viewpoint::default())?;
    let agents = agents.unwrap_or_else(AgentsTable::bundled);
    let resolver = Resolver::new(viewpoint.clone(), &agents);
    let page = args.url.as_deref().unwrap_or(SOME_PAGE);
    let url = PageUrl::new(page.as_bytes()).map_err(|_| {
        format!("--url {page}: expected an http or https URL, such as https://a.example/page")
    })?;
    let agent = viewpoint.token.as_str().to_owned();
    let mut scenario = Scenario {
        viewpoint,
        agents,
        ..Scenario::of_page(url.into_owned())
    };
    let mut linted = Vec::new();
    for file in files::read(args)? {
        let findings = findings_of(&file, &resolver);
        add_to(&mut scenario, &file);
        linted.push(Linted { file, findings });
    }
    Ok(LintReport {
        files: linted,
        says: said(&scenario),
        agent,
        page: page.to_owned(),
        is_named: args.url.is_some(),
    })
}

fn findings_of(file: &LintedFile, resolver: &Resolver) -> Vec<LintFinding> {
    match &file.content {
        Content::SiteFile(kind) => lint_file(*kind, &file.bytes, resolver),
        Content::Fields(fields) => {
            let lines: Vec<&[u8]> = file.lines().collect();
            let placed = fields.iter().map(|one| PlacedField {
                field: Field {
                    carrier: one.carrier,
                    name: &one.name,
                    value: &one.value,
                },
                line: one.line,
                text: lines
                    .get((one.line as usize).saturating_sub(1))
                    .copied()
                    .unwrap_or_default(),
            });
            lint_fields(&placed.collect::<Vec<_>>(), resolver)
        }
    }
}

fn add_to(scenario: &mut Scenario, file: &LintedFile) {
    match &file.content {
        Content::SiteFile(kind) => scenario.add_file(*kind, file.bytes.clone()),
        Content::Fields(fields) => {
            for field in fields {
                scenario.add_field(field.carrier, &field.name, &field.value);
            }
        }
    }
}

/// A header field of a flag or file: `Name: value`.
fn header_field(text: &str) -> Option<(Carrier, String, Vec<u8>)> {
    let (name, value) = text.split_once(':')?;
    let is_name = !name.trim().is_empty() && !name.trim().contains(char::is_whitespace);
    is_name.then(|| {
        (
            Carrier::Header,
            name.trim().to_ascii_lowercase(),
            value.trim().as_bytes().to_vec(),
        )
    })
}
