//! The list of an App-Directives rule, held against a list of the parser's own.

#![no_main]

use crawlprefs::systems::Source;
use crawlprefs::systems::app_directives::{APP_DIRECTIVES, DirectiveMember};
use crawlprefs::systems::path_rules::split_path;
use fuzzing::robots;
use libfuzzer_sys::fuzz_target;
use sfv::{BareItem, List, ListEntry, Parser};

fn application(entry: &ListEntry) -> (Option<&str>, usize) {
    match entry {
        ListEntry::Item(item) => match &item.bare_item {
            BareItem::Token(token) => (Some(token.as_str()), item.params.len()),
            _ => (None, 0),
        },
        ListEntry::InnerList(_) => (None, 0),
    }
}

/// Counts the keys of a member, which come once each in the parser's list.
fn keys(member: &DirectiveMember) -> usize {
    let mut names: Vec<&str> = member
        .directives
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}

fuzz_target!(|value: &[u8]| {
    let (path, text) = split_path(value);
    assert!(path.is_none_or(|path| path.starts_with(b"/")));
    let read = DirectiveMember::all(text);
    let list = Parser::new(text).parse::<List>();
    assert_eq!(read.is_ok(), list.is_ok());
    let (Ok(members), Ok(list)) = (read, list) else {
        return;
    };
    let ours: Vec<_> = members
        .iter()
        .map(|member| (member.application.as_deref(), keys(member)))
        .collect();
    assert_eq!(ours, list.iter().map(application).collect::<Vec<_>>());
    // A line with a control byte is unreadable, and a comment ends it.
    if value
        .iter()
        .any(|byte| matches!(byte, 0..b' ' | b'#') && *byte != b'\t')
    {
        return;
    }
    // Each value as written is the item that was read.
    let file = [b"User-agent: *\nApp-Directives: ", value].concat();
    let mut directives = members.iter().flat_map(|member| &member.directives);
    APP_DIRECTIVES.statements(
        &Source::Robots(&robots(&file)),
        &fuzzing::viewpoint(),
        &mut |row| {
            let Some(key) = row.key else { return };
            let (name, value) = directives.next().expect("a row for each directive");
            assert_eq!(key, name.as_bytes());
            let written = row.value.filter(|value| !value.is_empty()).unwrap_or(b"?1");
            let again = [b"a;k=", written].concat();
            let again = DirectiveMember::all(&again).expect("what is written parses");
            assert_eq!(again[0].directives[0].1, *value);
        },
    );
    assert_eq!(directives.next(), None);
});
