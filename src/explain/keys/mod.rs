//! What scenarios of `explain --json` ask of single systems, beside the columns of `pages`.
//!
//! Example: `"application": "examplesearch"` asks for the directives of one application.
//! Left out: what is the same for all systems (`answer`).

mod app_directives;
mod automation_preferences;
mod robots_tag;
mod sup;

use crate::systems::{FileBody, Page, Site, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use serde_json::{Map, Value as Json};

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
pub fn add_reason(answer: &mut Map<String, Json>, reason: Json) {
    if let Some(Json::Array(reasons)) = answer.get_mut("reasons") {
        reasons.push(reason);
    }
}

/// Adds the keys of all systems.
pub fn add(question: &Question<'_>, answer: &mut Map<String, Json>) {
    app_directives::explain(question, answer);
    automation_preferences::explain(question, answer);
    robots_tag::explain(question, answer);
    sup::explain(question, answer);
    columns(answer);
}

/// The keys that are columns of `pages` under other names.
fn columns(answer: &mut Map<String, Json>) {
    const RENAMED: [(&str, &str); 5] = [
        ("ai_training", "ai_training"),
        ("rsl_license", "rsl_license"),
        ("tdm", "tdm_reservation"),
        ("trust_txt", "trust_txt_training"),
        ("ai_txt", "ai_txt"),
    ];
    const CONTENT_SIGNAL: [(&str, &str); 4] = [
        ("search", "content_signal_search"),
        ("ai-input", "content_signal_ai_input"),
        ("ai-train", "content_signal_ai_train"),
        ("use", "content_signal_use"),
    ];
    let Some(columns) = answer.get("columns").cloned() else { return };
    for (key, column) in RENAMED {
        answer.insert(key.to_owned(), columns[column].clone());
    }
    let by_key = CONTENT_SIGNAL.map(|(key, column)| (key.to_owned(), columns[column].clone()));
    answer.insert("content_signal".to_owned(), Json::Object(by_key.into_iter().collect()));
}
