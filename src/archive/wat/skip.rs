//! Skips an object or an array of JSON, most of it many bytes at a time.
//!
//! Document: RFC 8259. Example: in `[{"url":"/a]"}]` it finds that the last byte ends the array. An array ends with the bracket
//! that closes it, outside of strings: in a block without square brackets and backslashes, only the parity of its quotes
//! counts. Ours: nothing else is checked, not even brackets of the other kind. Left out: over 64 levels, which are refused.

const BLOCK: usize = 32;
/// The deepest nesting; deeper values are refused.
const DEPTH: usize = 64;

#[derive(Default)]
struct JsonPlace {
    in_string: bool,
    /// Behind a backslash that escapes.
    is_escaped: bool,
    depth: usize,
}

/// Returns the length of the object or array that `bytes` begin with, by its brackets; `None` if its end is missing.
pub fn nested(bytes: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut place = JsonPlace::default();
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (number, block) in blocks.iter().enumerate() {
        let (mut is_odd, mut has_stops) = (false, place.is_escaped);
        // Without an early exit, so that many bytes are compared at once.
        for byte in block {
            is_odd ^= *byte == b'"';
            has_stops |= *byte == open || *byte == close || *byte == b'\\';
        }
        if !has_stops {
            place.in_string ^= is_odd;
        } else if let Some(end) = place.end(block, open, close) {
            return Some(number * BLOCK + end);
        } else if place.depth > DEPTH {
            return None;
        }
    }
    place
        .end(rest, open, close)
        .map(|end| bytes.len() - rest.len() + end)
}

impl JsonPlace {
    /// Goes through a block; returns the end of the value in it.
    fn end(&mut self, block: &[u8], open: u8, close: u8) -> Option<usize> {
        for (at, byte) in block.iter().enumerate() {
            if self.in_string {
                self.in_string = *byte != b'"' || self.is_escaped;
                self.is_escaped = *byte == b'\\' && !self.is_escaped;
            } else if *byte == close {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(at + 1);
                }
            } else {
                self.in_string = *byte == b'"';
                self.depth += usize::from(*byte == open);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::nested;
    use fastrand::Rng;

    fn skipped(bytes: &[u8]) -> Option<usize> {
        let open = *bytes.first()?;
        nested(bytes, open, open + 2)
    }

    /// As `skipped`, one byte after the other.
    fn slow(bytes: &[u8]) -> Option<usize> {
        let open = *bytes.first()?;
        let (mut depth, mut at) = (0, 0);
        loop {
            match *bytes.get(at)? {
                b'"' => at = string_end(bytes, at + 1)?,
                byte if byte == open => depth += 1,
                byte if byte == open + 2 => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            match *bytes.get(at)? {
                b'"' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// A non-empty array of objects, arrays, strings with escapes and numbers.
    fn some_json(random: &mut Rng, depth: usize) -> String {
        let members = (0..=random.usize(..4)).map(|_| match random.usize(..4) {
            0 if depth > 0 => some_json(random, depth - 1),
            1 if depth > 0 => {
                format!(
                    "{{{}: {}}}",
                    some_text(random),
                    some_json(random, depth - 1)
                )
            }
            2 => random.usize(..1000).to_string(),
            _ => some_text(random),
        });
        format!("[{}]", members.collect::<Vec<_>>().join(","))
    }

    fn some_text(random: &mut Rng) -> String {
        const PIECES: [&str; 8] = [
            "\\\"",
            "\\\\",
            "]",
            "}",
            "{",
            "|",
            "\u{e9}",
            "a longer text, of words",
        ];
        let pieces: String = (0..random.usize(..9))
            .map(|_| PIECES[random.usize(..PIECES.len())])
            .collect();
        format!("\"{pieces}\"")
    }

    #[test]
    fn rfc8259_arrays_are_skipped_to_their_end_and_broken_ones_as_a_slow_reader_does() {
        let mut random = Rng::with_seed(1);
        let mut refused = 0;
        for _ in 0..300 {
            let text = some_json(&mut random, 5);
            serde_json::from_str::<serde_json::Value>(&text).expect("JSON was generated");
            let mut bytes = [text.as_bytes(), b",\"]"].concat();
            assert_eq!(skipped(&bytes), Some(text.len()), "{text}");
            let object = format!("{{\"a\":{text}}}");
            assert_eq!(
                skipped([&object, ",{}"].concat().as_bytes()),
                Some(object.len()),
                "{text}"
            );
            for _ in 0..20 {
                let at = random.usize(1..text.len());
                bytes[at] = b"\"\\[]{}|x"[random.usize(..8)];
                assert_eq!(skipped(&bytes), slow(&bytes), "{}", bytes.escape_ascii());
                assert_eq!(
                    skipped(&bytes[..at]),
                    slow(&bytes[..at]),
                    "{}",
                    bytes[..at].escape_ascii()
                );
                refused += usize::from(skipped(&bytes).is_none());
            }
        }
        assert!((1_000..5_900).contains(&refused), "{refused}");
    }

    #[test]
    fn local_quotes_and_backslashes_anywhere_are_read_as_a_slow_reader_does() {
        let mut random = Rng::with_seed(1);
        let mut ended = 0;
        for _ in 0..20_000 {
            let dense = b"\"\"\\\\\\[]{}aaaa";
            let kinds = random.usize(1..=dense.len());
            let text: Vec<u8> = (0..random.usize(..200))
                .map(|_| dense[random.usize(..kinds)])
                .collect();
            let bytes = [b"[\"", text.as_slice(), b"\"]"].concat();
            assert_eq!(skipped(&bytes), slow(&bytes), "{}", bytes.escape_ascii());
            ended += usize::from(skipped(&bytes).is_some());
        }
        assert!((1_000..19_000).contains(&ended), "{ended}");
    }

    #[test]
    fn local_deep_texts_are_refused() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(
            (skipped(deep(64).as_bytes()), skipped(deep(200).as_bytes())),
            (Some(128), None)
        );
        assert_eq!((skipped(b""), skipped(b"[{}")), (None, None));
    }
}
