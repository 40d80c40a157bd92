//! How often each lint occurs in a corpus of real robots.txt files.

use crate::captures::rows_of;
use crate::corpus;
use crate::resolved::command;
use crawlprefs::verdict::site::Lint;
use parquet::record::Field;
use std::collections::BTreeMap;

/// Lints, and in how many of the 14,360 distinct files each was counted; the 12 that are not text have none (READ-3).
const FILES: [(&str, u32); 34] = [
    ("agent_all", 1),
    ("agent_missing", 4),
    ("agent_no_token", 1854),
    ("agent_undocumented", 26),
    ("agents_across_records", 635),
    ("allow_and_disallow_all", 2),
    ("blank_in_path", 125),
    ("byte_order_mark", 127),
    ("byte_order_mark_twice", 76),
    ("colon_missing", 12),
    ("comment_in_path", 9),
    ("cr_only", 15),
    ("cut", 6),
    ("disallow_misspelt", 3),
    ("empty", 47),
    ("html", 189),
    ("managed_block_open", 1),
    ("name_missing", 5),
    ("name_starts_like_rule", 1),
    ("near_miss", 45),
    ("no_groups", 382),
    ("no_record", 323),
    ("noindex_line", 192),
    ("other_copy", 2),
    ("path_without_slash", 261),
    ("regex_in_path", 40),
    ("rule_before_agent", 55),
    ("signal_in_last_group", 1),
    ("signal_on_closed_path", 2),
    ("token_match_differs", 119),
    ("unknown_label", 1),
    ("url_in_path", 80),
    ("user_agent_misspelt", 3),
    ("wildcard_groups_split", 536),
];

#[test]
fn wild_lints_of_real_files() {
    let Some(archive) = corpus("robots.warc.gz") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    command(&["run"], &[&archive], folder.path());
    let (mut files, mut lines) = (
        BTreeMap::<String, u32>::new(),
        BTreeMap::<String, i32>::new(),
    );
    for row in rows_of(&folder.path().join("robots_lints")) {
        let fields: BTreeMap<&str, &Field> = row
            .get_column_iter()
            .map(|(name, field)| (name.as_str(), field))
            .collect();
        let (Field::Str(lint), Field::Int(count)) = (fields["lint"], fields["line_count"]) else {
            panic!("{row:?}")
        };
        *files.entry(lint.clone()).or_default() += 1;
        *lines.entry(lint.clone()).or_default() += count;
    }
    for lint in Lint::ALL.map(Lint::as_str) {
        println!(
            "{lint:<24} {:>6} files {:>6} lines",
            files.get(lint).unwrap_or(&0),
            lines.get(lint).unwrap_or(&0)
        );
    }
    let expected: BTreeMap<String, u32> = FILES
        .iter()
        .map(|(lint, count)| ((*lint).to_owned(), *count))
        .collect();
    assert_eq!(files, expected);
}
