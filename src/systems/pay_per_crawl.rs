//! Pay per crawl: the price that a site asks of a crawler for a page, and the price that it charged.
//!
//! Document: only the vendor's publications (RULES LIVE-9). Example: an answer with the status 402 has the header field
//! `crawler-price: USD 0.01`; an answer that was paid for has `crawler-charged: USD 0.01`.
//! Ours: the fields are read whatever the status, which `pages` has, as no other document uses their names.
//! Left out: a price is not a preference, so `pages` has no column for it and the labels ignore it.

use super::{About, Source, Statement, System};
use crate::web::field::header_fields;

const SYSTEM: &str = "pay_per_crawl";
const NAMES: [&str; 3] = ["crawler-price", "crawler-charged", "crawler-error"];

/// Prices of crawling.
pub static PAY_PER_CRAWL: System = System {
    about: &About {
        name: SYSTEM,
        title: "pay per crawl",
        carriers: "the headers `crawler-price`, `crawler-charged`, `crawler-error`",
        left_out: "what crawlers offer in requests, which archives of pages do not have",
        can_refuse: false,
        ..About::NONE
    },
    compile: |_, _| Box::new(()),
    statements: |source, _, give| {
        let Source::Record(fields) = source else {
            return;
        };
        for field in header_fields(fields, &NAMES) {
            give(&Statement {
                key: Some(field.name.as_bytes()),
                value: Some(field.value),
                category: field.name.strip_prefix("crawler-"),
                defect: field.value.is_empty().then_some("empty"),
                ..Statement::of_field(SYSTEM, &field)
            });
        }
    },
};
