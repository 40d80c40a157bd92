//! What is made from `data/agents.tsv`: the view `agents`, and how many tokens there are.

use std::collections::BTreeMap;
use std::fs;

/// The rows of `data/agents.tsv`, by the names of its columns.
pub struct AgentsFile {
    version: String,
    rows: Vec<BTreeMap<String, String>>,
}

/// Purposes that have nothing to do with AI.
const NOT_OF_AI: [&str; 4] = ["search", "ads", "seo", "preview"];

impl AgentsFile {
    pub fn read() -> Self {
        let text = fs::read_to_string("data/agents.tsv").expect("the table");
        let version = text
            .lines()
            .find_map(|line| line.strip_prefix("# Version: "))
            .expect("a version");
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.next().expect("the names").split('\t').collect();
        let row = |line: &str| {
            let cells = names.iter().copied().zip(line.split('\t'));
            cells
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect()
        };
        Self {
            version: version.to_owned(),
            rows: lines.map(row).collect(),
        }
    }

    pub fn in_words(&self) -> String {
        let others = self
            .rows
            .iter()
            .filter(|row| NOT_OF_AI.contains(&row["purpose"].as_str()));
        format!(
            "The table of this version ({}) has {} tokens; {} of them are of search engines, advertisers, SEO tools and previews.\n",
            self.version,
            self.rows.len(),
            others.count()
        )
    }

    pub fn view(&self) -> String {
        let values: Vec<String> = self.rows.iter().map(view_row).collect();
        format!(
            "-- The agents table of this version ({}): who runs an agent, for which purpose, since which month it is\n\
             -- known (NULL: not known), and by which month it was known (`known_by`; older than the list that has it first, where `since`\n\
             -- is NULL). A run with --agents had a table of its own. Made from data/agents.tsv by tests/generated.\n\
             CREATE OR REPLACE TEMPORARY VIEW agents AS\n\
             SELECT agent, operator, purpose, since, known_by\n\
             FROM (\n    VALUES\n{}\n) AS listed (agent, operator, purpose, since, known_by);\n",
            self.version,
            values.join(",\n")
        )
    }
}

/// Returns a row of the view: a list of crawlers has the month in which it took a token.
fn view_row(row: &BTreeMap<String, String>) -> String {
    let cell = |name: &str| row.get(name).map_or("", String::as_str);
    let listed = cell("source")
        .split("listed by ")
        .nth(1)
        .unwrap_or_default();
    let listed = listed.get(..7).filter(|month| is_month(month));
    let known_by = match cell("since") {
        "" => listed.unwrap_or_default(),
        since => since,
    };
    let cells = [
        cell("token"),
        cell("operator"),
        cell("purpose"),
        cell("since"),
        known_by,
    ];
    format!("        ({})", cells.map(literal).join(", "))
}

fn is_month(text: &str) -> bool {
    let digits = text.replacen('-', "", 1);
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn literal(text: &str) -> String {
    if text.is_empty() {
        "NULL".to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
