//! Names that differ by a slip of the pen.
//!
//! Example: `acess` is one letter away from `access`, `GTPBot` one exchange of two letters away from `GPTBot`. Left out: what a
//! person means whose word is another one.

/// Returns how many letters have to be added, removed, replaced, or exchanged with the next one, without case.
pub fn distance(one: &str, other: &str) -> usize {
    let letters = |text: &str| {
        text.chars()
            .flat_map(char::to_lowercase)
            .collect::<Vec<char>>()
    };
    let (one, other) = (letters(one), letters(other));
    let (mut before, mut above) = (Vec::new(), (0..=other.len()).collect::<Vec<usize>>());
    for (row, letter) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, other_letter) in other.iter().enumerate() {
            let cell =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let replaced = cell(&above, column) + usize::from(letter != other_letter);
            let mut least = replaced
                .min(cell(&above, column + 1) + 1)
                .min(cell(&line, column) + 1);
            let is_exchanged = |row: usize, column: usize| {
                one.get(row) == Some(other_letter) && other.get(column) == Some(letter)
            };
            if let (Some(row), Some(column)) = (row.checked_sub(1), column.checked_sub(1))
                && is_exchanged(row, column)
            {
                least = least.min(cell(&before, column) + 1);
            }
            line.push(least);
        }
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or_default()
}

/// Returns the nearest of some names, if it is at most a third of its letters away, or begins with what was found.
pub fn nearest<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let is_near = |name: &str, letters: usize| {
        let has_beginning =
            found.len() > 2 && name.to_lowercase().starts_with(&found.to_lowercase());
        letters <= (name.len() / 3).clamp(1, 3) || has_beginning
    };
    let names = names.into_iter().map(|name| (distance(found, name), name));
    names
        .filter(|(letters, name)| is_near(name, *letters))
        .min_by_key(|(letters, _)| *letters)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn local_letters_between_two_names_are_counted() {
        for (one, other, letters) in [
            ("GPTBot", "gptbot", 0),
            ("GTPBot", "GPTBot", 1),
            ("GPTBt", "GPTBot", 1),
            ("GPTBoot", "GPTBot", 1),
            ("GPTBod", "GPTBot", 1),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
        ] {
            assert_eq!(
                (distance(one, other), distance(other, one)),
                (letters, letters),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn local_the_nearest_name_is_found_if_one_is_near() {
        let names = ["access", "disallowed_agents", "train_ai", "tdm"];
        for (found, name) in [
            ("acess", Some("access")),
            ("disallowed", Some("disallowed_agents")),
            ("trainai", Some("train_ai")),
            ("tmd", Some("tdm")),
            ("policy", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, names), name, "{found}");
        }
    }
}
