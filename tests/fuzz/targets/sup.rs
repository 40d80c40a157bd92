//! Short Usage Preferences, each line of the input an expression, held against the draft's algorithm.

#![no_main]

use crawlprefs::systems::sup::{LabelValues, SupLabel};
use crawlprefs::web::preference::Preference;
use libfuzzer_sys::fuzz_target;

/// Whether a label has a value somewhere.
fn has(expressions: &[&[u8]], label: SupLabel, value: &str) -> bool {
    let text: Vec<String> = expressions
        .iter()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    text.join(",")
        .split(',')
        .filter_map(|piece| piece.split_once('='))
        .any(|(name, said)| {
            name.trim_matches([' ', '\t']) == label.as_str()
                && said.trim_matches([' ', '\t']) == value
        })
}

fn slowly(expressions: &[&[u8]], label: SupLabel) -> Preference {
    match (
        has(expressions, label, "n"),
        has(expressions, label, "y"),
        label.broader(),
    ) {
        (true, _, _) => Preference::Disallow,
        (false, true, _) => Preference::Allow,
        (false, false, Some(broader)) => slowly(expressions, broader),
        (false, false, None) => Preference::Unknown,
    }
}

fuzz_target!(|input: &[u8]| {
    let expressions: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let mut values = LabelValues::UNKNOWN;
    for expression in &expressions {
        values.record(expression);
        let _ = LabelValues::of_dictionary(expression);
    }
    for label in SupLabel::ALL {
        assert_eq!(
            values.preference(label),
            slowly(&expressions, label),
            "{}",
            label.as_str()
        );
    }
});
