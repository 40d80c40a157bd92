//! Loops over all bytes of a text in which compilers use vectors.
//!
//! What is done with a byte must be plain comparisons and bit operations: not `matches!`, and no branch. Left out: searches
//! for a byte or a text, which `memchr` has.

/// The bytes that are combined apart from each other: a multiple of every vector's length.
const LANES: usize = 64;

/// Returns the bits that any byte has by `bits`: `bits` of all bytes, joined by `or`.
pub(crate) fn any_bits(bytes: &[u8], bits: impl Fn(u8) -> u8) -> u8 {
    let (chunks, rest) = bytes.as_chunks::<LANES>();
    let mut lanes = [0; LANES];
    for chunk in chunks {
        for (lane, byte) in lanes.iter_mut().zip(chunk) {
            *lane |= bits(*byte);
        }
    }
    let found = lanes.iter().fold(0, |found, lane| found | lane);
    rest.iter().fold(found, |found, byte| found | bits(*byte))
}

/// Counts the bytes that meet a condition.
pub(crate) fn count(bytes: &[u8], is_so: impl Fn(u8) -> bool) -> usize {
    let counted =
        |part: &[u8]| usize::from(part.iter().map(|byte| u8::from(is_so(*byte))).sum::<u8>());
    bytes.chunks(255).map(counted).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_all_bytes_are_seen_wherever_they_are() {
        let bits = |byte: u8| u8::from(byte == b'a') | u8::from(byte == b'b') << 1;
        for length in [0, 1, 63, 64, 65, 200, 300] {
            let mut text = vec![b'.'; length];
            assert_eq!(
                (any_bits(&text, bits), count(&text, |byte| byte == b'a')),
                (0, 0)
            );
            for at in 0..length {
                for (byte, bit) in [(b'a', 1), (b'b', 2)] {
                    text[at] = byte;
                    assert_eq!(any_bits(&text, bits), bit, "{at} of {length}");
                }
                text[at] = b'.';
            }
            assert_eq!(count(&vec![b'a'; length], |byte| byte == b'a'), length);
        }
    }
}
