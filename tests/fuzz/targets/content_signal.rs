//! Content-Signal, each line of the input one of the site's, held against a search of all members.

#![no_main]

use crawlprefs::systems::content_signal::{Category, ContentSignals, Use, members};
use crawlprefs::systems::path_rules::split_path;
use crawlprefs::web::path_pattern::PathPattern;
use crawlprefs::web::preference::Preference;
use fuzzing::path;
use libfuzzer_sys::fuzz_target;

/// The values that lines whose paths match give to a key, if they are some of these, with the longest of these paths.
fn longest(lines: &[&[u8]], page: &[u8], key: &str, values: &[&str]) -> Vec<String> {
    let path = path(page);
    let of_line = |line: &&[u8]| {
        let (pattern, text) = split_path(line);
        let pattern = pattern.map(PathPattern::new);
        let octets = pattern.as_ref().map_or(0, PathPattern::octet_count);
        let pieces = text.split(|byte| *byte == b',').filter_map(|piece| {
            let equals = piece.iter().position(|byte| *byte == b'=')?;
            let is_key = piece[..equals]
                .trim_ascii()
                .eq_ignore_ascii_case(key.as_bytes());
            let value = piece[equals + 1..]
                .trim_ascii()
                .escape_ascii()
                .to_string()
                .to_ascii_lowercase();
            (is_key && values.contains(&value.as_str())).then_some((octets, value))
        });
        let matches = pattern.is_none_or(|pattern| pattern.matches(&path));
        if matches {
            pieces.collect::<Vec<_>>()
        } else {
            Vec::new()
        }
    };
    let stated: Vec<_> = lines.iter().flat_map(of_line).collect();
    let most = stated.iter().map(|(octets, _)| *octets).max();
    stated
        .into_iter()
        .filter(|(octets, _)| Some(*octets) == most)
        .map(|(_, value)| value)
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
    let compiled = ContentSignals::compile(lines.iter().map(|value| (0, *value)));
    let stated = compiled.stated(Some(&path(page)));
    for category in Category::ALL {
        let said = longest(lines, page, category.as_str(), &["yes", "no"]);
        let expected = match (said.iter().any(|value| value == "no"), said.is_empty()) {
            (true, _) => Preference::Disallow,
            (false, false) => Preference::Allow,
            (false, true) => Preference::Unknown,
        };
        assert_eq!(stated.preferences.of(category as usize), expected);
    }
    let said = longest(lines, page, "use", &Use::ALL.map(Use::as_str));
    let least = Use::ALL
        .into_iter()
        .find(|usage| said.iter().any(|value| value == usage.as_str()));
    assert_eq!(stated.usage, least);
});
