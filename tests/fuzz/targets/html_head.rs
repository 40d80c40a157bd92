//! The metas of a page. The first line is its `Content-Type`, and how long a beginning is looked at.

#![no_main]

use crawlprefs::evidence::charset::scannable;
use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use crawlprefs::web::field::Carrier;
use fuzzing::first_line;
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

/// What carries a field, its name and its value.
type Found = (Carrier, Vec<u8>, Vec<u8>);

fn read(html: &[u8]) -> (Vec<Found>, HtmlHeadEnd) {
    let mut found = Vec::new();
    let end = head_fields(html, &mut |carrier, name, value| {
        found.push((carrier, name.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    });
    (found, end)
}

fuzz_target!(|input: &[u8]| {
    let (content_type, html) = first_line(input);
    if let Some(decoded) = scannable(html, Some(content_type)) {
        read(&decoded);
    }
    let (all, _) = read(html);
    // A mark of UTF-8 that is cut is text, which ends a head.
    let cut = content_type
        .iter()
        .map(|byte| usize::from(*byte))
        .sum::<usize>()
        .clamp(3, html.len().max(3));
    let (some, end) = read(html.get(..cut).unwrap_or(html));
    assert!(all.starts_with(&some));
    assert!(
        matches!(end, HtmlHeadEnd::Missing | HtmlHeadEnd::Early) || all == some,
        "a head that ended goes on"
    );
});
