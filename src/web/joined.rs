//! Texts that are joined when the crate is compiled, such as the meaning of a column with names of an enum.
//!
//! Example: `joined!("page, or ", SITE_FILES)`. Left out: texts that are known only when the program runs.

/// Joins constant texts to one.
macro_rules! joined {
    ($($part:expr),+ $(,)?) => { $crate::web::joined::joined_all!(&[$($part),+]) };
}

/// Joins the texts of a constant slice to one.
macro_rules! joined_all {
    ($parts:expr) => {{
        const PARTS: &[&str] = $parts;
        const BYTES: [u8; $crate::web::joined::bytes_of(PARTS)] =
            $crate::web::joined::joined_bytes(PARTS);
        match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    }};
}

pub(crate) use {joined, joined_all};

/// Returns how many bytes the texts have together.
pub(crate) const fn bytes_of(parts: &[&str]) -> usize {
    let (mut bytes, mut part) = (0, 0);
    while part < parts.len() {
        bytes += parts[part].len();
        part += 1;
    }
    bytes
}

/// Returns the bytes of the texts, one text after the other.
pub(crate) const fn joined_bytes<const N: usize>(parts: &[&str]) -> [u8; N] {
    let (mut bytes, mut written, mut part) = ([0; N], 0, 0);
    while part < parts.len() {
        let text = parts[part].as_bytes();
        let mut place = 0;
        while place < text.len() {
            bytes[written] = text[place];
            (written, place) = (written + 1, place + 1);
        }
        part += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn local_texts_are_joined_in_their_order() {
        const MIDDLE: &str = "\u{e9}b";
        assert_eq!(joined!("a ", MIDDLE, "", " c"), "a \u{e9}b c");
        assert_eq!(joined_all!(&[]), "");
    }
}
