//! Path patterns, held against an obvious matcher. The first line is the pattern, the second the path.

#![no_main]

use crawlprefs::web::path_pattern::PathPattern;
use fuzzing::{first_line, path};
use libfuzzer_sys::fuzz_target;

/// Follows every place of the path which the pattern so far can have reached.
fn slowly(pattern: &[u8], path: &[u8]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = !pattern.is_empty();
    for (at, octet) in pattern.iter().enumerate() {
        match octet {
            b'$' if at + 1 == pattern.len() => return reached[path.len()],
            b'*' => {
                let first = reached
                    .iter()
                    .position(|place| *place)
                    .unwrap_or(reached.len());
                reached[first..].fill(true);
            }
            octet => {
                for place in (0..path.len()).rev() {
                    reached[place + 1] = reached[place] && path[place] == *octet;
                }
                reached[0] = false;
            }
        }
    }
    reached.contains(&true)
}

fuzz_target!(|input: &[u8]| {
    let (pattern, rest) = first_line(input);
    let (pattern, path) = (PathPattern::new(pattern), path(first_line(rest).0));
    assert!(path.as_bytes().starts_with(b"/") && path.as_bytes().is_ascii());
    assert_eq!(
        pattern.matches(&path),
        slowly(pattern.as_bytes(), path.as_bytes())
    );
});
