//! The other paths that the value of a line may mean (RULES ACCT-9).
//!
//! Examples: `/ (whole site)` may be `/` with a remark, `/a /p` two paths, `/p;` the path `/p`, and so may `"/p"`. A path of RFC 9309
//! has no blank: what follows one is a remark, a second path, or part of a path that its owner did not escape.
//! Ours: the noes of such a line count by each reading, and of a yes only what all readings share, which is the path as written.
//! Left out: URLs of a host, whose pages have a host (`verdict::account`).

use super::lines::trimmed;

/// Returns the paths that a value may mean beside the one that it is as written.
pub fn other_paths(value: &[u8]) -> Vec<Vec<u8>> {
    if is_plain(value) {
        return Vec::new();
    }
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut add = |path: Vec<u8>| {
        // Ours: `/*,` is about the mark, and not about everything.
        let is_of_mark = path == b"/*" && matches!(value, [b'/', b'*', b',' | b';', ..]);
        if path != value && !is_of_mark && !found.contains(&path) && found.len() < MOST_PATHS {
            found.push(path);
        }
    };
    around(value).chain(with_slashes(value)).for_each(&mut add);
    let latin = std::str::from_utf8(value)
        .is_err()
        .then(|| of_latin_1(value));
    let uncommented = before_comment(latin.as_deref().unwrap_or(value));
    // One path with quotes or marks around it, which may have blanks.
    let whole = bare(uncommented);
    if whole.starts_with(b"/") {
        add(whole.to_vec());
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let pieces = uncommented
        .split(is_blank)
        .filter(|piece| !piece.is_empty());
    if goes_on(pieces.clone()) {
        let joined: Vec<u8> = pieces.flatten().copied().collect();
        if joined.starts_with(b"/") && memchr::memmem::find(&joined, b"**").is_none() {
            add(joined);
        }
        return found;
    }
    // Behind a name with a colon is another line.
    let pieces = pieces.take_while(|piece| piece.starts_with(b"/") || !piece.ends_with(b":"));
    for (place, piece) in pieces.enumerate() {
        for path in lists(piece) {
            let path = bare(path);
            match path {
                // Ours: `/a /` is a path with a blank, and does not close everything.
                [b'/'] if place > 0 => {}
                [b'/', ..] => add(path.to_vec()),
                [b'*', b'/', rest @ ..]
                    if place == 0 && rest.iter().any(u8::is_ascii_alphanumeric) =>
                {
                    add(path.to_vec());
                }
                [b'.', b'/', rest @ ..] if place == 0 => add([b"/", rest].concat()),
                _ => {}
            }
        }
        if place == 0 && piece.starts_with(b"\\") {
            let slashes = piece
                .iter()
                .map(|byte| if *byte == b'\\' { b'/' } else { *byte });
            let path: Vec<u8> = slashes.collect();
            add(if path.len() > 1 {
                path.strip_suffix(b"/").unwrap_or(&path).to_vec()
            } else {
                path
            });
        }
    }
    found
}

/// Returns whether what follows a blank belongs to the pattern before it, and is no remark. Ours: a star or a dollar in it is
/// beside a mark of a path or a query (`/ a/*/b`, `/* id=$`); behind the root, which closes everything, it is one word.
/// Stars alone and words in stars are a remark: `/ *`, `/ ***everything***`.
fn goes_on<'a>(pieces: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let begins = |piece: &[u8]| match piece {
        [b'*', ..] => has_pattern(piece),
        _ => matches!(piece, [b'$' | b'%', ..]),
    };
    let mut first = pieces.clone();
    let is_root = matches!(first.next(), Some(b"/" | b"/*"));
    let is_word = |piece: &[u8]| {
        piece
            .first()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"?&=._-".contains(byte))
            && memchr::memmem::find(piece, b"://").is_none()
    };
    let only = first.next().filter(|_| is_root && first.next().is_none());
    only.is_some_and(|piece| is_word(piece) && has_pattern(piece))
        || pieces.skip(1).take(1).any(begins)
}

/// Returns whether a text has a star beside a mark of a path or a query, or ends in a dollar and has such a mark.
fn has_pattern(text: &[u8]) -> bool {
    let is_mark = |byte: &u8| b"/=?&.".contains(byte);
    let is_beside = |pair: &[u8]| pair.contains(&b'*') && pair.iter().any(is_mark);
    text.windows(2).any(is_beside) || text.ends_with(b"$") && text.iter().any(is_mark)
}

/// So many other paths of a line are read; any number of this size.
const MOST_PATHS: usize = 16;

/// Returns whether a value has only one reading, like nearly all.
fn is_plain(value: &[u8]) -> bool {
    let (Some(first), Some(last)) = (value.first(), value.last()) else {
        return true;
    };
    let begins = matches!(first, b'/' | b'*');
    let ends = last.is_ascii_alphanumeric() || b"/*$-_.=?&+~%!:@".contains(last);
    let has_mark = || {
        let mark = memchr::memchr3(b' ', b',', b';', value);
        mark.or_else(|| memchr::memchr2(b'\t', b'<', value))
            .is_some()
    };
    begins && ends && value.is_ascii() && !has_mark()
        || !begins
            && !matches!(
                first,
                b'"' | b'\''
                    | b'`'
                    | b'.'
                    | b'\\'
                    | b'<'
                    | b'('
                    | b'['
                    | b'{'
                    | b'^'
                    | b'%'
                    | b':'
                    | 0x80..
            )
}

/// Returns a value without the comment or the tag of HTML behind it.
fn before_comment(value: &[u8]) -> &[u8] {
    let begins = |at: &usize| {
        let tag = value.get(at + 1..).unwrap_or_default();
        tag.starts_with(b"!--")
            || tag.starts_with(b"/")
            || tag.to_ascii_lowercase().starts_with(b"br")
    };
    let end = memchr::memchr_iter(b'<', value)
        .filter(|at| *at > 0)
        .find(begins)
        .unwrap_or(value.len());
    value.get(..end).unwrap_or(value)
}

/// Returns a path in brackets, behind a second colon or an anchor.
fn around(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let inner = trimmed(value, |byte| b"()[]{}<>^: \t".contains(&byte));
    let is_path = inner.starts_with(b"/") && !inner.iter().any(|byte| b"()[]{}<>^|".contains(byte));
    (is_path && !value.starts_with(b"/"))
        .then(|| bare(inner).to_vec())
        .into_iter()
}

/// Returns a path that begins with an escaped slash (`%2Fa`) or with one of another script (U+FF0F), with slashes.
fn with_slashes(value: &[u8]) -> Option<Vec<u8>> {
    let is_escaped = value
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"%2f"));
    let text = std::str::from_utf8(value)
        .ok()
        .filter(|text| is_escaped || text.starts_with('\u{FF0F}'))?;
    let path = text
        .replace("%2F", "/")
        .replace("%2f", "/")
        .replace('\u{FF0F}', "/");
    Some(bare(path.as_bytes()).to_vec())
}

/// Returns the pieces of a list of paths: `/a,/p`.
fn lists(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(piece);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let comma =
            memchr::memchr2_iter(b',', b';', text).find(|at| text.get(at + 1) == Some(&b'/'));
        let Some((path, following)) = comma.and_then(|at| text.split_at_checked(at)) else {
            return Some(text);
        };
        rest = following.get(1..);
        Some(path)
    })
}

/// Returns a path without quotes, marks that end a list, and invisible characters around it.
fn bare(path: &[u8]) -> &[u8] {
    let mut path = trimmed(path, |byte| b" \t\"'`;,\\<>".contains(&byte));
    loop {
        let invisible = |mark: &&&[u8]| path.ends_with(mark) || path.starts_with(mark);
        let Some(mark) = INVISIBLE.iter().find(invisible) else {
            return path;
        };
        path = path
            .strip_suffix(*mark)
            .or_else(|| path.strip_prefix(*mark))
            .unwrap_or(path);
        path = trimmed(path, |byte| b" \t\"'`;,\\<>".contains(&byte));
    }
}

/// Blanks and marks of Unicode that show nothing, and typographic quotes.
const INVISIBLE: [&[u8]; 16] = [
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
    "\u{A0}".as_bytes(),
    "\u{200B}".as_bytes(),
    "\u{200C}".as_bytes(),
    "\u{200D}".as_bytes(),
    "\u{200E}".as_bytes(),
    "\u{200F}".as_bytes(),
    "\u{2060}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{FEFF}".as_bytes(),
    "\u{2018}".as_bytes(),
    "\u{2019}".as_bytes(),
    "\u{201C}".as_bytes(),
    "\u{201D}".as_bytes(),
];

/// Ours: bytes that are not UTF-8 are usually the letters of Latin-1.
fn of_latin_1(value: &[u8]) -> Vec<u8> {
    value
        .iter()
        .map(|byte| char::from(*byte))
        .collect::<String>()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::other_paths;

    #[test]
    fn acct_9_a_line_with_marks_or_a_remark_has_other_readings() {
        for (value, expected) in [
            ("/ (whole site)", "/"),
            ("/ // all", "/ //"),
            ("/a /p", "/a /p"),
            ("/a b", "/a"),
            ("/a /", "/a"),
            ("/* all", "/*"),
            ("/p<br>", "/p"),
            ("/a*;", "/a*"),
            ("/a*\\", "/a*"),
            ("/p;", "/p"),
            ("/p,", "/p"),
            ("\"/p\"", "/p"),
            ("\"/a b\"", "/a b|/a"),
            ("/a,/p", "/a /p"),
            ("/;/p/", "/ /p/"),
            ("/a,/p,", "/a,/p|/a /p"),
            ("/p\u{a0}", "/p"),
            ("/p\u{200e}", "/p"),
            ("/p <!-- no -->", "/p"),
            ("./p", "/p"),
            ("\\p\\", "/p"),
            ("/\\", "/"),
            ("/admin Allow: /", "/admin"),
            ("/ *", "/"),
            ("/ ***everything***", "/"),
            ("/ ** all **", "/"),
            ("/ see https://a.example/*", "/"),
            ("/ (a/*)", "/"),
            ("/ AI costs $", "/"),
            ("/ a/*/print/*", "/a/*/print/*"),
            ("/* id=$", "/*id=$"),
            ("/ *? Price = *", "/*?Price=*"),
            ("/ *session=*", "/*session=*"),
            ("/a b/*", "/a"),
        ] {
            let expected: Vec<&str> = match expected.split_once('|') {
                Some((whole, others)) => [whole].into_iter().chain(others.split(' ')).collect(),
                None if value == "/ // all"
                    || value.contains(" /p")
                    || value.contains(",/p")
                    || value.contains(";/p") =>
                {
                    expected.split(' ').collect()
                }
                None => vec![expected],
            };
            let found: Vec<String> = other_paths(value.as_bytes())
                .iter()
                .map(|path| String::from_utf8_lossy(path).into())
                .collect();
            assert_eq!(found, expected, "{value}");
        }
        assert_eq!(other_paths(b"/k\xF6nyvek/"), [b"/k\xC3\xB6nyvek/".to_vec()]);
    }

    #[test]
    fn acct_9_a_path_in_brackets_or_with_another_slash_has_the_reading_of_the_path() {
        for (value, expected) in [
            ("(/p)", "/p"),
            ("</p/>", "/p/"),
            ("^/p", "/p"),
            (": /p/*", "/p/*"),
            ("%2Fp%2f", "/p/"),
            ("\u{ff0f}p", "/p"),
        ] {
            assert_eq!(
                other_paths(value.as_bytes()),
                [expected.as_bytes()],
                "{value}"
            );
        }
    }

    #[test]
    fn acct_9_most_paths_have_one_reading() {
        for value in [
            "",
            "/",
            "/*",
            "/a",
            "/*.pdf$",
            "/a?b=c&d",
            "*ai",
            "a.html",
            "/a,b",
            "/ö",
            "/*,",
            "*;",
            "*/\\",
            "* http:*",
            "/* */*$",
            "/(x)/a",
            "/a:b",
            "https://a.example/",
        ] {
            assert!(other_paths(value.as_bytes()).is_empty(), "{value}");
        }
    }
}
