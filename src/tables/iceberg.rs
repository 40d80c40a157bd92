//! A script that makes tables known to a catalog of Apache Iceberg: Python, as Iceberg has no SQL for files that are there.
//!
//! Example: `crawlprefs schema --sql iceberg -o out > register.py`, then `python register.py`. `iceberg.py` is its text, but for
//! what is named here: the output and the tables. `tests/iceberg/check.py` runs it with a SQL catalog on a disk.

use super::Table;

const SCRIPT: &str = include_str!("iceberg.py");

/// Returns the script that registers `tables`, written below `out`, with pyiceberg.
pub fn iceberg(tables: &[&Table], out: &str) -> String {
    let pair = |table: &&Table| format!("    {}: {},\n", literal(table.name), literal(table.folder));
    let pairs: String = tables.iter().map(pair).collect();
    let out = format!("OUT = {}\n", literal(out));
    SCRIPT.replacen("TABLES = {}\n", &format!("TABLES = {{\n{pairs}}}\n"), 1).replacen(
        "OUT = \".\"\n",
        &out,
        1,
    )
}

/// Returns a text as a literal of Python.
fn literal(text: &str) -> String {
    let escaped = |character: char| match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\U{:08x}", u32::from(character)),
        _ => character.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::iceberg;
    use crate::tables::pages::PAGES;

    #[test]
    fn local_a_script_names_the_output_and_the_tables() {
        let script = iceberg(&[&PAGES], "s3://bucket/a \"b\\\n");
        assert!(script.contains(r#"OUT = "s3://bucket/a \"b\\\U0000000a""#), "{script}");
        assert!(script.contains("TABLES = {\n    \"pages\": \"pages\",\n}\n"), "{script}");
    }
}
