//! An agents table, whose tokens make the same table when they are written alone.

#![no_main]

use crawlprefs::verdict::AgentsTable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(table) = AgentsTable::read(text) else {
        return;
    };
    let tokens: Vec<&str> = table.tokens().iter().map(|token| token.as_str()).collect();
    let written = format!("token\n{}\n", tokens.join("\n"));
    let again = AgentsTable::read(&written).expect("its tokens are a table");
    assert_eq!(again.tokens(), table.tokens());
});
