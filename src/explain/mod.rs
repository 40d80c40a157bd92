//! Ask about one page, and see the decision with its reasons.
//!
//! ```
//! use crawlprefs::explain::{Scenario, explain};
//! use crawlprefs::systems::Label;
//! use crawlprefs::web::capture_kind::CaptureKind;
//! use crawlprefs::web::field::Carrier;
//! use crawlprefs::web::preference::Preference;
//! use crawlprefs::web::url::PageUrl;
//!
//! let url = PageUrl::new(b"https://a.example/private/b.html").unwrap();
//! let mut scenario = Scenario::of_page(url);
//! scenario.add_file(CaptureKind::Robots, b"User-agent: *\nAllow: /\nDisallow: /private/".to_vec());
//! scenario.add_field(Carrier::Header, "Content-Usage", b"train-ai=n");
//!
//! let page = explain(&scenario).page.unwrap();
//! let decision = page.decision;
//! assert_eq!(decision.access, Preference::Disallow);
//! assert_eq!((decision.access_line, decision.access_rule.as_deref()), (Some(3), Some("Disallow: /private/")));
//! assert_eq!(page.file.unwrap().also[0].line.text, "Allow: /");
//!
//! let no = page.evidence.iter().find(|one| one.label == Label::TrainAi).unwrap();
//! assert_eq!((no.system, no.preference), ("aipref", Preference::Disallow));
//! assert_eq!(no.citation.text.as_deref(), Some("train-ai=n"));
//! ```
//!
//! The decision is that of [`Resolver::decide`](crate::verdict::Resolver::decide), which also writes the tables. [`json`]
//! answers scenarios in JSON, `tables` takes a scenario from the tables of a run, and `history` shows what a host said over
//! time.

#[cfg(feature = "tables")]
pub mod history;
pub mod json;
pub mod lint;
mod page;
mod page_lints;
mod questions;
mod requests;
mod robots_lines;
mod scenario;
mod systems;
#[cfg(feature = "tables")]
pub mod tables;

pub use page::{AiprefAnswer, Explanation, PageExplanation, VENDOR_MEANINGS, VendorMeaning};
pub use page_lints::{PageLint, PageLints};
pub use questions::{Answered, AutomationAnswer, Preferences};
pub use requests::{CopyRole, RobotsRequest};
pub use robots_lines::{
    GroupAgents, MatchingRule, PageAccess, RobotsFile, RobotsLine, VendorLines,
};
pub use scenario::{Questions, Scenario, TagQuestion};
pub use systems::{Citation, DoubtCitation, LabelEvidence, SystemExplanation};

use crate::web::field::{Carrier, OwnedField};

pub fn explain(scenario: &Scenario) -> Explanation<'_> {
    let (viewpoint, questions) = (&scenario.viewpoint, &scenario.questions);
    let fields = OwnedField::all(&scenario.fields);
    let (page, sup) = scenario
        .url
        .as_ref()
        .map(|url| page::explain(scenario, url, &fields))
        .unzip();
    let has_header = fields.iter().any(|field| field.carrier == Carrier::Header);
    let has_sup = has_header || questions.expressions.is_some();
    let has_tags = page.is_some() || !fields.is_empty();
    let tags = has_tags.then(|| questions::robots_tags(&fields, &viewpoint.token));
    let statements = questions.statements.as_ref();
    Explanation {
        statements: statements.map(|texts| questions::statements(texts, &viewpoint.vocabulary)),
        tags: tags
            .into_iter()
            .chain(questions.tag.as_ref().map(questions::tag))
            .collect(),
        sup: sup.or_else(|| has_sup.then(|| questions::sup(questions, None, &fields))),
        page,
    }
}
