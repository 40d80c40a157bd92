//! The test vectors: one JSON file per system, in the form that `tests/vectors/README.md` describes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crawlprefs::systems::aipref_vocab::{Label, Vocabulary};
use serde_json::Value;

/// A vector: its id, and the rest as it is in the file.
#[derive(Clone)]
pub struct Vector {
    pub id: String,
    json: Value,
}

impl Vector {
    pub fn input(&self, key: &str) -> Option<&Value> {
        self.json["input"].get(key)
    }

    pub fn input_text(&self, key: &str) -> Option<&str> {
        self.input(key)
            .map(|value| value.as_str().expect("a string"))
    }

    pub fn expected(&self, key: &str) -> Option<&Value> {
        self.json["expect"].get(key)
    }

    pub fn input_keys(&self) -> impl Iterator<Item = &str> {
        self.json["input"]
            .as_object()
            .expect("an object")
            .keys()
            .map(String::as_str)
    }

    pub fn expected_keys(&self) -> impl Iterator<Item = &str> {
        self.json["expect"]
            .as_object()
            .expect("an object")
            .keys()
            .map(String::as_str)
    }

    pub fn vocabulary(&self) -> Vocabulary {
        let name = self.input_text("vocabulary").expect("a vocabulary");
        Vocabulary::named(name).expect("a draft")
    }

    /// Returns the field lines of one name, compared without case.
    pub fn field_lines(&self, name: &str) -> Vec<&[u8]> {
        let Some(headers) = self.input("headers") else {
            return Vec::new();
        };
        let part =
            |line: &'_ Value, at: usize| line[at].as_str().map(str::to_owned).expect("a string");
        let of_name = |line: &&Value| part(line, 0).eq_ignore_ascii_case(name);
        let lines = headers.as_array().expect("a list").iter().filter(of_name);
        lines
            .map(|line| line[1].as_str().expect("a string").as_bytes())
            .collect()
    }
}

pub fn read(system: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(system)
        .with_extension("json");
    let text = fs::read(&path).expect("the vectors are in the project");
    let json: Value = serde_json::from_slice(&text).expect("JSON");
    let vectors = json["vectors"].as_array().expect("a list");
    vectors
        .iter()
        .map(|json| Vector {
            id: json["id"].as_str().expect("an id").to_owned(),
            json: json.clone(),
        })
        .collect()
}

/// Returns preferences as the vectors write them: a text for each label, or null.
pub fn shown(vocabulary: &Vocabulary, preference: impl Fn(Label) -> &'static str) -> Value {
    let of = |(label, text): (Label, &str)| (text.to_owned(), Value::from(preference(label)));
    serde_json::to_value(vocabulary.labels().map(of).collect::<BTreeMap<_, _>>()).expect("JSON")
}
