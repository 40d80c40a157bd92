//! A robots tag: the first line a header's value, the rest a meta's content.

#![no_main]

use crawlprefs::systems::robots_tag::{Agent, MAX_RULES, ROBOTS_TAG, TagPlace, parse};
use crawlprefs::systems::{Answer, Page, SiteFiles, Value};
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::preference::Preference;
use fuzzing::{first_line, is_in, viewpoint};
use libfuzzer_sys::fuzz_target;

fn check(place: TagPlace<'_>, line: &[u8]) {
    let parsed = parse(place, line);
    assert!(parsed.rules.len() <= MAX_RULES);
    for rule in &parsed.rules {
        assert!(!rule.name.is_empty() && is_in(rule.name, line));
        match rule.agent {
            Agent::All => {}
            Agent::Named(name) => assert!(is_in(name, line) || place == TagPlace::Meta(rule.agent)),
        }
    }
}

fn bound(carrier: Carrier, name: &str, value: &[u8]) -> Vec<Value> {
    let viewpoint = viewpoint();
    let compiled = ROBOTS_TAG.compile(&SiteFiles::default(), &viewpoint);
    let fields = [Field {
        carrier,
        name,
        value,
    }];
    let page = Page {
        scheme: None,
        host: Some("a.example"),
        media_type: Some("text/html"),
        fetched_at: None,
        path: None,
        crawl: Preference::Allow,
        fields: &fields,
    };
    let mut answer = Answer::default();
    compiled.answer(&page, &viewpoint, &mut answer);
    answer.values
}

fuzz_target!(|input: &[u8]| {
    let (header, meta) = first_line(input);
    check(TagPlace::RobotsTag, header);
    check(TagPlace::XRobotsTag, header);
    for agent in [Agent::All, Agent::Named(b"ExampleBot")] {
        check(TagPlace::Meta(agent), meta);
    }
    // A rule for everyone in front binds, whatever follows it.
    for (carrier, name, value) in [
        (Carrier::Header, "x-robots-tag", header),
        (Carrier::Meta, "robots", meta),
    ] {
        let value = [b"noindex,", value].concat();
        assert_eq!(bound(carrier, name, &value)[0], Value::Truth(true));
    }
});
