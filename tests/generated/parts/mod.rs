//! Files, and parts of files, that are made from the registry of systems, the columns and `data/agents.tsv`.
//!
//! Example: the view `systems_beside_robots` of `queries/views.sql` lists each system with a site file of its own.

mod agents_file;
mod declarations;
mod rule_index;

use agents_file::AgentsFile;
use crawlprefs::systems::{About, SYSTEMS};
use crawlprefs::tables::site_index::index_markdown;
use crawlprefs::web::capture_kind::CaptureKind;
use std::fmt::Write as _;
use std::process::Command;

/// A part of a file and its text.
pub struct Part {
    pub file: &'static str,
    pub place: Place,
    pub text: String,
}

/// Where a part is in its file.
pub enum Place {
    WholeFile,
    /// Everything behind this line.
    Behind(&'static str),
    /// The lines from the one that begins with this text up to a blank line.
    Paragraph(&'static str),
}

impl Part {
    /// Returns the text of the file with this part as it must be.
    ///
    /// # Panics
    /// If the file has no such place.
    pub fn put_into(&self, file: &str) -> String {
        let found = |mark: &str| {
            file.find(mark)
                .unwrap_or_else(|| panic!("{}: no {mark}", self.file))
        };
        match self.place {
            Place::WholeFile => self.text.clone(),
            Place::Behind(mark) => format!("{}{mark}{}", &file[..found(mark)], self.text),
            Place::Paragraph(mark) => {
                let (before, rest) = file.split_at(found(mark));
                let after = rest.find("\n\n").map_or("", |end| &rest[end + 1..]);
                format!("{before}{}{after}", self.text)
            }
        }
    }
}

/// Returns the parts that are made from the systems and the kinds of site files.
pub fn parts_of_systems() -> Vec<Part> {
    vec![
        Part {
            file: "docs/tables.md",
            place: Place::WholeFile,
            text: schema("--markdown"),
        },
        Part {
            file: "docs/labels.md",
            place: Place::WholeFile,
            text: schema("--labels"),
        },
        Part {
            file: "docs/systems.md",
            place: Place::Paragraph("| system | document |"),
            text: schema("--systems"),
        },
        Part {
            file: "docs/site-index.md",
            place: Place::Behind("<!-- tables -->\n"),
            text: index_markdown(),
        },
        Part {
            file: "queries/views.sql",
            place: Place::Paragraph("-- The systems whose statements are in site files"),
            text: systems_view(),
        },
        Part {
            file: "python/crawlprefs/_report/_systems.py",
            place: Place::WholeFile,
            text: python_names(),
        },
        Part {
            file: "tests/hostile/lines.json",
            place: Place::WholeFile,
            text: declarations::declarations(),
        },
    ]
}

/// Returns the parts that are made from `data/agents.tsv`.
pub fn parts_of_agents() -> Vec<Part> {
    let table = AgentsFile::read();
    vec![
        Part {
            file: "docs/agents.md",
            place: Place::Paragraph("The table of this version"),
            text: table.in_words(),
        },
        Part {
            file: "queries/views.sql",
            place: Place::Paragraph("-- The agents table of this version"),
            text: table.view(),
        },
    ]
}

/// Returns the part that is made from the rules.
pub fn index_of_rules() -> Part {
    Part {
        file: "docs/rules/README.md",
        place: Place::Paragraph("| ids | where |"),
        text: rule_index::index(),
    }
}

/// Returns what `crawlprefs schema` prints with a flag.
fn schema(flag: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["schema", flag])
        .output();
    String::from_utf8(output.expect("the command starts").stdout).expect("UTF-8")
}

fn abouts() -> impl Iterator<Item = &'static About> {
    SYSTEMS.iter().map(|system| system.about())
}

fn systems_view() -> String {
    let beside = abouts().filter(|about| about.site_file.is_some());
    let names: Vec<&str> = beside.map(|about| about.name).collect();
    format!(
        "-- The systems whose statements are in site files of their own, beside robots.txt, in one row. Made\n\
         -- from the systems in the code by tests/generated.\n\
         CREATE OR REPLACE TEMPORARY VIEW systems_beside_robots AS\n\
         SELECT split('{}', ',') AS names;\n",
        names.join(",")
    )
}

fn python_names() -> String {
    let mut text = "\"\"\"Names for readers of systems and site files. Made from the systems in the code by tests/generated.\"\"\"\n\n\
        SYSTEMS = {\n    \"robots\": \"robots.txt\",\n"
        .to_owned();
    for about in abouts() {
        writeln!(text, "    \"{}\": \"{}\",", about.name, about.title).expect("a text grows");
    }
    text.push_str(
        "}\n\"\"\"The systems by their names in the tables, as `crawlprefs schema --systems` names them.\"\"\"\n\n\
         SITE_FILES = {\n",
    );
    for kind in CaptureKind::site_files() {
        let file = kind.file_name().expect("a site file has a path");
        writeln!(text, "    \"{}\": \"{file}\",", kind.as_str()).expect("a text grows");
    }
    text.push_str("}\n\"\"\"The names of site files by their kinds, which are carriers of statements.\"\"\"\n");
    text
}
