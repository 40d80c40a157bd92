//! App-Directives as a system of preferences: its column, its statements.

use std::collections::HashSet;

use super::NAMES;
use super::list::DirectiveMember;
use super::rules::{AppDirectives, Application, is_rule};
use super::written;
use crate::robots::Record;
use crate::systems::path_rules::split_path;
use crate::systems::{
    About, Answer, Compiled, LineScope, Lines, MAX_GROUNDS, Page, SiteFiles, Source, Statement, System,
    Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::path_pattern::UrlPath;

/// App-Directives: draft-nottingham-plan-b.
pub struct AppDirectivesSystem;

const SYSTEM: &str = "app_directives";

const FIELDS: &[Column] = &[
    Column::text("application", "identifier of the application, as written"),
    Column::text("name", "name of the directive; empty: the application is named without directives"),
    Column::text(
        "type",
        "type of the value: boolean, integer, decimal, string, token, binary, date, display_string; NULL: no directive",
    )
    .or_null(),
    Column::text("value", "true or false, a number, text, base64, Unix seconds; NULL: no directive").or_null(),
];

const COLUMNS: &[Column] = &[Column::structs(
    "app_directives",
    FIELDS,
    "App-Directives of robots.txt for each application that the longest matching path names, in the groups of its crawler (--applications), else of product_token; also on closed paths",
)];

static ABOUT: About = About {
    name: SYSTEM,
    title: "App-Directives",
    documents: &["draft-nottingham-plan-b 2026-06-13"],
    carriers: "robots.txt, both spellings",
    left_out: "what a directive means: its registry does not exist; `--applications` names the crawler of an application",
    columns: COLUMNS,
    column_prefix: "app_directives",
    lines: Lines {
        names: &NAMES,
        column: Some(
            Column::boolean("has_app_directives", "whether an App-Directives line is there").or_null(),
        ),
        scope: LineScope::Group,
    },
    fields_of_others: &[],
    site_file: None,
    labels: &[],
};

impl System for AppDirectivesSystem {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        let site = files.robots;
        let of_application =
            |(name, _): (&str, _)| (name.to_owned(), AppDirectives::compile_for(name, site, viewpoint));
        Box::new(AppDirectivesPolicy {
            rules: AppDirectives::compile(site),
            of_applications: viewpoint.applications.iter().map(of_application).collect(),
        })
    }

    fn statements(&self, source: &Source<'_>, _: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Robots(robots) => {
                for record in robots.records().filter(is_rule) {
                    give_rule_statements(&record, give);
                }
            }
            Source::Record(_) | Source::SiteFile(..) => {}
        }
    }
}

/// What a site's App-Directives rules say.
pub struct AppDirectivesPolicy {
    /// Those in the groups of the viewpoint's crawler.
    rules: AppDirectives,
    /// Those for each application whose crawler is known.
    of_applications: Vec<(String, AppDirectives)>,
}

impl AppDirectivesPolicy {
    /// Returns a row for each directive of each application that is named for a path.
    fn rows(&self, path: &UrlPath) -> Vec<Vec<Option<String>>> {
        let own_crawler = |name: &str| self.of_applications.iter().any(|(known, _)| known == name);
        let own_count = self.of_applications.len();
        let mut named = self.rules.first_applications(path, MAX_GROUNDS + own_count);
        named.retain(|application| !own_crawler(application.name));
        for (name, rules) in &self.of_applications {
            let applications = rules.first_applications(path, usize::MAX);
            named.extend(applications.into_iter().filter(|application| application.name == name));
        }
        named.iter().flat_map(rows).take(MAX_GROUNDS).collect()
    }
}

impl Compiled for AppDirectivesPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        answer.values.push(Value::Structs(page.path.map(|path| self.rows(path)).unwrap_or_default()));
    }
}

/// Returns a row for each directive; one without a directive where the application has none.
fn rows(application: &Application<'_>) -> Vec<Vec<Option<String>>> {
    let row = |name: &str, kind: Option<&str>, value: Option<String>| {
        vec![Some(application.name.to_owned()), Some(name.to_owned()), kind.map(str::to_owned), value]
    };
    if application.directives.is_empty() {
        return vec![row("", None, None)];
    }
    let directives = application.directives.iter();
    directives.map(|(name, value)| row(name, Some(value.kind()), Some(value.text().into_owned()))).collect()
}

fn give_rule_statements(record: &Record<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let (path, list) = split_path(record.value);
    let unread = Statement::unread(SYSTEM, "robots", record.text);
    let whole = Statement { path, line: Some(record.line), ..unread };
    let members = DirectiveMember::all(list);
    let defect = match &members {
        // "Each group contains zero or more App-Directive rules."
        _ if record.group.is_none() => Some("no_group"),
        Ok(members) if members.is_empty() => Some("no_statement"),
        Ok(_) => None,
        Err(defect) => Some(defect.as_str()),
    };
    match (members, defect) {
        (Ok(members), None) => give_members(&members, list, &whole, give),
        (Ok(_) | Err(_), defect) => give(&Statement { defect, ..whole }),
    }
}

/// Gives every directive of a list, and the members that have none.
fn give_members(
    members: &[DirectiveMember<'_>],
    list: &[u8],
    whole: &Statement<'_>,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let mut superseded = superseded(members).into_iter();
    for (member, text) in members.iter().zip(written::members(list)) {
        let Some(application) = member.application else {
            give(&Statement { value: Some(text), defect: Some("not_token"), ..whole.clone() });
            continue;
        };
        let named = Statement { agent: Some(application.to_owned()), ..whole.clone() };
        if member.directives.is_empty() {
            give(&named);
        }
        for (directive, value) in member.directives.iter().zip(written::values(text)) {
            let key = Some(directive.name.as_bytes());
            let defect = superseded.next().flatten();
            give(&Statement { key, value: Some(value), defect, ..named.clone() });
        }
    }
}

/// Returns, for each directive of a list, its defect if the same one comes again further on in the
/// line, where its value counts.
fn superseded(members: &[DirectiveMember<'_>]) -> Vec<Option<&'static str>> {
    let mut seen = HashSet::new();
    let directives = members
        .iter()
        .flat_map(|member| member.directives.iter().map(|directive| (member.application, directive.name)));
    let directives: Vec<_> = directives.collect();
    let mut defects: Vec<_> =
        directives.into_iter().rev().map(|key| (!seen.insert(key)).then_some("superseded")).collect();
    defects.reverse();
    defects
}
