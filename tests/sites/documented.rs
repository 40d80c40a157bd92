//! docs/site-index.md describes every column as it is declared.

use crawlprefs::tables::site_index::index_markdown;
use std::{env, fs};

#[test]
fn local_the_columns_of_the_index_are_in_its_page() {
    const PAGE: &str = "docs/site-index.md";
    const MARK: &str = "<!-- tables -->\n";
    let page = fs::read_to_string(PAGE).expect("the page");
    let (text, found) = page.split_once(MARK).expect("a mark before the tables");
    if env::var_os("CRAWLPREFS_WRITE_COLUMNS").is_some() {
        fs::write(PAGE, format!("{text}{MARK}{}", index_markdown())).expect("the page is written");
        return;
    }
    assert_eq!(
        found,
        index_markdown(),
        "CRAWLPREFS_WRITE_COLUMNS=1 cargo test --test sites writes it"
    );
}
