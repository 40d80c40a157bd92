//! Content-Signal, each line of the input one of the site's, held against a search of all members.

#![no_main]

use crawlprefs::systems::content_signal::{Category, ContentSignals, SignalLine, Use, members};
use crawlprefs::systems::path_rules::split_path;
use crawlprefs::web::path_pattern::PathPattern;
use crawlprefs::web::preference::Preference;
use fuzzing::path;
use libfuzzer_sys::fuzz_target;

/// The members of the lines with the longest path that matches.
fn longest<'a>(lines: &[&'a [u8]], page: &[u8]) -> Vec<(&'a [u8], &'a [u8])> {
    let path = path(page);
    let of_line = |line: &&'a [u8]| {
        let (pattern, text) = split_path(line);
        let pattern = pattern.map(PathPattern::new);
        let octets = pattern.as_ref().map_or(0, PathPattern::octet_count);
        pattern.is_none_or(|pattern| pattern.matches(&path)).then_some((octets, text))
    };
    let matching: Vec<_> = lines.iter().filter_map(of_line).collect();
    let most = matching.iter().map(|(octets, _)| *octets).max();
    let texts = matching.into_iter().filter(|(octets, _)| Some(*octets) == most);
    let pieces = texts.flat_map(|(_, text)| text.split(|byte| *byte == b','));
    pieces
        .filter_map(|piece| {
            let equals = piece.iter().position(|byte| *byte == b'=')?;
            Some((piece[..equals].trim_ascii(), piece[equals + 1..].trim_ascii()))
        })
        .collect()
}

fuzz_target!(|input: &[u8]| {
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let (page, lines) = lines.split_first().expect("a line at least");
    for line in lines {
        let (path, text) = split_path(line);
        assert!(path.is_none_or(|path| path.starts_with(b"/")));
        assert!(members(text).all(|member| !member.key.contains(&b'=')));
    }
    let compiled = ContentSignals::compile(lines.iter().map(|value| SignalLine { line: None, value }));
    let stated = compiled.stated(Some(&path(page)));
    let all = longest(lines, page);
    let has = |key: &str, value: &str| {
        all.iter().any(|(name, said)| {
            name.eq_ignore_ascii_case(key.as_bytes()) && said.eq_ignore_ascii_case(value.as_bytes())
        })
    };
    for category in Category::ALL {
        let expected = match (has(category.as_str(), "no"), has(category.as_str(), "yes")) {
            (true, _) => Preference::Disallow,
            (false, true) => Preference::Allow,
            (false, false) => Preference::Unknown,
        };
        assert_eq!(stated.of(category), expected);
    }
    assert_eq!(stated.usage(), Use::ALL.into_iter().find(|usage| has("use", usage.as_str())));
});
