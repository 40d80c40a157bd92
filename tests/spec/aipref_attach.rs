//! draft-ietf-aipref-attach: where statements are, and what they give for a page.

use crawlprefs::systems::aipref_attach::{
    AiprefPolicy, CONTENT_USAGE, PagePreferences, header_statement,
};
use crawlprefs::systems::aipref_vocab::{Answers, Vocabulary};
use crawlprefs::systems::path_rules::lines_of;
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::preference::Preference;
use serde_json::{Value, json};

use crate::aipref_robots::{Lines, path_of};
use crate::vectors::{self, Vector};

/// Vectors that cannot be answered here, with the reason.
const NOT_ANSWERED: [(&str, &str); 12] = [
    ("combine-001", TIMELINE),
    ("combine-002", TIMELINE),
    ("combine-003", TIMELINE),
    ("combine-004", TIMELINE),
    ("combine-005", TIMELINE),
    ("combine-006", TIMELINE),
    ("combine-007", TIMELINE),
    ("combine-008", TIMELINE),
    ("combine-009", TIMELINE),
    ("combine-010", TIMELINE),
    ("combine-011", TIMELINE),
    ("combine-012", TIMELINE),
];
const TIMELINE: &str = "which copy of robots.txt was current is the matter of resolve";

/// Keys of vectors answered here that belong to other modules.
const NOT_CHECKED: [(&str, &str); 5] = [
    ("combine-014", "sup_preferences"),
    ("combine-015", "effective_tags"),
    // The answer for a method, with automation-preferences.txt; `robots_crawl` is checked.
    ("combine-016", "crawl"),
    ("combine-017", "directives"),
    ("combine-018", "effective_tags"),
];

/// What this module answers for a vector.
struct Found<'a> {
    vocabulary: Vocabulary,
    crawl: Preference,
    page: PagePreferences,
    rules: Vec<(u32, &'a str)>,
}

impl<'a> Found<'a> {
    fn of(vector: &'a Vector) -> Self {
        let vocabulary = vector.vocabulary();
        let header = header_statement(&vector.field_lines(CONTENT_USAGE), &vocabulary);
        let header = header
            .and_then(Result::ok)
            .map(|statement| statement.answers(&vocabulary));
        let Some(robots_txt) = vector.input_text("robots_txt") else {
            let crawl = Preference::Unknown;
            let page = PagePreferences {
                header,
                metas: None,
                robots: Some(Answers::UNKNOWN),
            };
            return Self {
                vocabulary,
                crawl,
                page,
                rules: Vec::new(),
            };
        };
        let path = path_of(vector.input_text("url").expect("a URL"));
        let lines = Lines::of(
            robots_txt,
            vector.input_text("product_token").expect("a token"),
        );
        let crawl = lines.crawl(path);
        let policy = AiprefPolicy::compile(lines.rule_lines(), &vocabulary);
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        let path = UrlPath::new(path.as_bytes(), query.map(str::as_bytes));
        let robots = (crawl != Preference::Disallow).then(|| policy.answers(&path));
        let rules = robots
            .map(|_| lines_of(policy.longest(&path)))
            .unwrap_or_default();
        let rules = rules
            .into_iter()
            .map(|line| (line, lines.text_of(line)))
            .collect();
        Self {
            vocabulary,
            crawl,
            page: PagePreferences {
                header,
                metas: None,
                robots,
            },
            rules,
        }
    }

    fn answers(&self, answers: Option<Answers>) -> Value {
        answers.map_or(Value::Null, |answers| {
            vectors::shown(&self.vocabulary, |label| answers.of(label).as_str())
        })
    }

    fn value(&self, key: &str) -> Value {
        match key {
            "crawl" | "robots_crawl" => self.crawl.as_str().into(),
            "preferences" => self.answers(self.page.combined()),
            "preference_rules" => self.rules.iter().map(|(_, text)| *text).collect(),
            "preference_rule_lines" => self.rules.iter().map(|(line, _)| *line).collect(),
            "by_source" => {
                json!({ "header": self.answers(self.page.header), "robots": self.answers(self.page.robots) })
            }
            other => panic!("{other} is not a key of this module"),
        }
    }
}

/// Checks the vectors of a file, and returns those not answered and the keys not checked.
fn check(system: &str) -> (Vec<String>, Vec<(String, String)>) {
    let (mut not_answered, mut not_checked) = (Vec::new(), Vec::new());
    for vector in vectors::read(system) {
        if vector.input_keys().any(|key| key == "robots_history") {
            not_answered.push(vector.id);
            continue;
        }
        let found = Found::of(&vector);
        for key in vector.expected_keys() {
            if NOT_CHECKED.contains(&(&vector.id, key)) {
                not_checked.push((vector.id.clone(), key.to_owned()));
                continue;
            }
            assert_eq!(
                Some(&found.value(key)),
                vector.expected(key),
                "{} {key}",
                vector.id
            );
        }
    }
    (not_answered, not_checked)
}

#[test]
fn aipref_attach_vectors() {
    assert_eq!(vectors::read("attach").len(), 28);
    assert_eq!(check("attach"), (Vec::new(), Vec::new()));
}

#[test]
fn aipref_attach_vectors_of_several_sources() {
    let (not_answered, not_checked) = check("combine");
    assert_eq!(not_answered, NOT_ANSWERED.map(|(id, _)| id));
    assert_eq!(
        not_checked,
        NOT_CHECKED.map(|(id, key)| (id.to_owned(), key.to_owned()))
    );
    assert_eq!(vectors::read("combine").len(), 18);
}
