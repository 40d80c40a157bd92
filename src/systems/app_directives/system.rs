//! App-Directives as a system of preferences: its column and statements.
//!
//! The table `statements` has the members and directives of a list as written. Document: RFC 9651 4.2.1. Example:
//! `a; x="1;2" , (b c)` has the members `a; x="1;2"` and `(b c)`, and the directive of the first is written `"1;2"`. Left out:
//! whether the list is valid, which is known before.

use super::rules::{AppDirectives, is_rule};
use super::{DirectiveMember, NAMES};
use crate::robots::RobotsRecord;
use crate::systems::LineScope::Group;
use crate::systems::path_rules::split_path;
use crate::systems::structured_field::split_outside;
use crate::systems::{About, Answer, Compiled, Give, Lines, MAX_GROUNDS, Page, Source, Statement};
use crate::systems::{System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::lines::split_once;
use crate::web::path_pattern::UrlPath;
use std::collections::HashSet;

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

pub static APP_DIRECTIVES: System = System {
    about: &About {
        name: SYSTEM,
        title: "App-Directives",
        documents: &["draft-nottingham-plan-b 2026-06-13"],
        carriers: "robots.txt, both spellings",
        left_out: "what a directive means: its registry does not exist; `--applications` names the crawler of an application",
        columns: COLUMNS,
        column_prefix: "app_directives",
        lines: Lines::new(
            &NAMES,
            "has_app_directives",
            "whether an App-Directives line is there",
            Group,
        ),
        ..About::NONE
    },
    compile: |files, viewpoint| {
        let site = files.robots;
        let of_application = |(name, _): (&str, _)| {
            (
                name.to_owned(),
                AppDirectives::compile_for(name, site, viewpoint),
            )
        };
        Box::new(AppDirectivesPolicy {
            rules: AppDirectives::compile(site),
            of_applications: viewpoint.applications.iter().map(of_application).collect(),
        })
    },
    statements: |source, _, give| {
        let Source::Robots(robots) = source else {
            return;
        };
        robots
            .other_records()
            .filter(is_rule)
            .for_each(|record| give_rule_statements(&record, give));
    },
};

struct AppDirectivesPolicy {
    /// From the groups of the viewpoint's crawler.
    rules: AppDirectives,
    /// For each application whose crawler is known.
    of_applications: Vec<(String, AppDirectives)>,
}

impl AppDirectivesPolicy {
    fn rows(&self, path: &UrlPath) -> Vec<Vec<Option<String>>> {
        let is = |one: &DirectiveMember, name: &String| one.application.as_ref() == Some(name);
        let has_own_crawler = |one: &&_| self.of_applications.iter().any(|(name, _)| is(one, name));
        let named = self
            .rules
            .first_applications(path, MAX_GROUNDS + self.of_applications.len());
        let mut rows = Vec::new();
        named
            .iter()
            .filter(|one| !has_own_crawler(one))
            .for_each(|one| push_rows(one, &mut rows));
        for (name, rules) in &self.of_applications {
            let named = rules.first_applications(path, usize::MAX);
            named
                .iter()
                .filter(|one| is(one, name))
                .for_each(|one| push_rows(one, &mut rows));
        }
        rows.truncate(MAX_GROUNDS);
        rows
    }
}

impl Compiled for AppDirectivesPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _: &'a Viewpoint, answer: &mut Answer<'a>) {
        answer.values.push(Value::Structs(
            page.path.map(|path| self.rows(path)).unwrap_or_default(),
        ));
    }
}

/// Adds a row for each directive, up to as many as are shown; one row without a directive if the application has none.
fn push_rows(member: &DirectiveMember, rows: &mut Vec<Vec<Option<String>>>) {
    let row = |name: &str, kind: Option<&str>, value: Option<String>| {
        vec![
            member.application.clone(),
            Some(name.to_owned()),
            kind.map(str::to_owned),
            value,
        ]
    };
    if member.directives.is_empty() {
        rows.push(row("", None, None));
    }
    let directives = member
        .directives
        .iter()
        .take(MAX_GROUNDS.saturating_sub(rows.len()));
    rows.extend(
        directives.map(|(name, value)| row(name, Some(value.kind), Some(value.text.clone()))),
    );
}

fn give_rule_statements(record: &RobotsRecord<'_>, give: &mut Give<'_>) {
    let (path, list) = split_path(record.value);
    let unread = Statement::unread(SYSTEM, "robots", record.text);
    let whole = Statement {
        path,
        line: Some(record.line),
        ..unread
    };
    let members = DirectiveMember::all(list);
    let defect = match &members {
        // "Each group contains zero or more App-Directive rules."
        _ if record.group.is_none() => "no_group",
        Ok(members) if members.is_empty() => "no_statement",
        Ok(members) => return give_members(members, list, &whole, give),
        Err(defect) => defect.as_str(),
    };
    give(&Statement {
        defect: Some(defect),
        ..whole
    });
}

/// Gives every directive of a list, and the members that have none.
fn give_members(
    members: &[DirectiveMember],
    list: &[u8],
    whole: &Statement<'_>,
    give: &mut Give<'_>,
) {
    let mut superseded = superseded(members).into_iter();
    for (member, text) in members.iter().zip(written_members(list)) {
        let Some(application) = &member.application else {
            give(&Statement {
                value: Some(text),
                defect: Some("not_token"),
                ..whole.clone()
            });
            continue;
        };
        let named = Statement {
            agent: Some(application.clone()),
            ..whole.clone()
        };
        if member.directives.is_empty() {
            give(&named);
        }
        for ((name, _), value) in member.directives.iter().zip(written_values(text)) {
            let defect = superseded.next().flatten();
            give(&Statement {
                key: Some(name.as_bytes()),
                value: Some(value),
                defect,
                ..named.clone()
            });
        }
    }
}

/// A directive that comes again later in the line is superseded: the later value counts.
fn superseded(members: &[DirectiveMember]) -> Vec<Option<&'static str>> {
    let mut seen = HashSet::new();
    let mut defects = Vec::new();
    for member in members.iter().rev() {
        let names = member
            .directives
            .iter()
            .rev()
            .map(|(name, _)| (&member.application, name));
        defects.extend(names.map(|key| (!seen.insert(key)).then_some("superseded")));
    }
    defects.reverse();
    defects
}

fn written_members(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_outside(list, b',').map(<[u8]>::trim_ascii)
}

/// The member is not an inner list; a value that is not written is empty.
fn written_values(member: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parameters = split_outside(member, b';').skip(1);
    parameters.map(|parameter| {
        split_once(parameter, b'=')
            .map(|(_, value)| value)
            .unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::app_directives::{DirectiveMember, DirectiveValue};

    #[test]
    fn rfc9651_4_2_1_separators_in_strings_are_none() {
        let list = br#"  a%;x="\",;";  y;z=%"\",(b "," 1);x , c ;"#;
        let found: Vec<&[u8]> = written_members(list).collect();
        let expected: [&[u8]; 3] = [br#"a%;x="\",;";  y;z=%"\""#, br#"(b "," 1);x"#, b"c ;"];
        assert_eq!(found, expected);
        let found: Vec<&[u8]> = written_values(expected[0]).collect();
        assert_eq!(found, [&br#""\",;""#[..], b"", br#"%"\""#]);
    }

    /// The written text is what was parsed: lists of odd pieces; those that do not parse are passed over.
    #[test]
    fn rfc9651_4_2_1_generated_lists_are_split_as_they_are_parsed() {
        let pieces =
            "a|*b%|,|, |\t,|;|; |k|=|=|\"x\\\"\"|\"|\\|%\"\\\"|%\"%22\"|(|)|1.5|-7|@3|:aGk=:|?0";
        let pieces: Vec<&str> = pieces.split('|').collect();
        let mut random = fastrand::Rng::with_seed(7);
        let mut parsed = 0;
        for _ in 0..400_000 {
            let list: String = (0..=random.usize(..9))
                .map(|_| pieces[random.usize(..pieces.len())])
                .collect();
            let Ok(read) = DirectiveMember::all(list.as_bytes()) else {
                continue;
            };
            parsed += usize::from(list.contains('='));
            let texts: Vec<&[u8]> = written_members(list.as_bytes())
                .filter(|text| !text.is_empty())
                .collect();
            assert_eq!(texts.len(), read.len(), "{list}");
            for (member, text) in read
                .iter()
                .zip(texts)
                .filter(|(member, _)| member.application.is_some())
            {
                let again: Vec<DirectiveValue> = written_values(text).map(alone).collect();
                let values: Vec<_> = member
                    .directives
                    .iter()
                    .map(|(_, value)| value.clone())
                    .collect();
                assert_eq!(again, values, "{list}");
            }
        }
        assert!(parsed > 200, "{parsed} lists with values");
    }

    fn alone(value: &[u8]) -> DirectiveValue {
        let equals: &[u8] = if value.is_empty() { b"" } else { b"=" };
        let list = [b"a;k", equals, value].concat();
        let members = DirectiveMember::all(&list).expect("a list");
        members[0].directives[0].1.clone()
    }
}
