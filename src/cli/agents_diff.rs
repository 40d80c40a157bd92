//! How the agents table differs from a newer list: `schema --agents-diff FILE`.
//!
//! A list is JSON whose keys are tokens, as ai.robots.txt's `robots.json` is, or text with a token on each line.
//! Example: `  Brightbot 1.0` is in no section, as it is compared like `Brightbot`, which is in the table.

use super::resolve::{Refusal, read};
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use crawlprefs::web::shown::visible;
use std::collections::BTreeMap;
use std::path::Path;

/// Tokens by what is compared.
type Tokens = BTreeMap<Vec<u8>, String>;

/// Returns the differences, for people.
pub fn agents_diff(file: &Path) -> Result<String, Refusal> {
    let bytes = read(file)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{}: not UTF-8", file.display()))?;
    let names = names(text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut no_tokens = Vec::new();
    let mut listed = Tokens::new();
    for name in names {
        match ProductToken::new(&name) {
            Ok(token) => drop(listed.insert(token.compared(TokenMatch::Exact).to_vec(), name)),
            Err(fault) => no_tokens.push(format!("{name}: {fault}")),
        }
    }
    let table = AgentsTable::bundled();
    let compared =
        |token: &ProductToken| (token.compared(TokenMatch::Exact).to_vec(), token.as_str().to_owned());
    let known: Tokens = table.tokens().iter().map(compared).collect();
    let missing = |of: &Tokens, other: &Tokens| -> Vec<String> {
        of.iter().filter(|(name, _)| !other.contains_key(*name)).map(|(_, token)| token.clone()).collect()
    };
    let sections = [
        ("In the list, not in the agents table", missing(&listed, &known)),
        ("In the agents table, not in the list", missing(&known, &listed)),
        ("In the list, but no product token", no_tokens),
    ];
    let section = |(title, tokens): &(&str, Vec<String>)| {
        let mut lines = vec![format!("{title}: {}", tokens.len())];
        lines.extend(tokens.iter().map(|token| format!("  {}", visible(token))));
        lines.join("\n") + "\n"
    };
    Ok(sections.iter().map(section).collect())
}

/// Reads the names of a list.
fn names(text: &str) -> Result<Vec<String>, serde_json::Error> {
    if text.trim_start().starts_with('{') {
        let list: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)?;
        return Ok(list.into_iter().map(|(name, _)| name).collect());
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::agents_diff;

    #[test]
    fn local_a_list_is_compared_as_files_are() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("list");
        for list in [r#"{"gptbot/2.0": {}, "NewBot": {}, "é": {}}"#, "# new\ngptbot/2.0\nNewBot\né\n"] {
            std::fs::write(&file, list).expect("it can be written");
            let text = agents_diff(&file).expect("a list");
            assert!(text.starts_with("In the list, not in the agents table: 1\n  NewBot\n"), "{text}");
            assert!(text.contains("\n  CCBot\n") && !text.contains("\n  GPTBot\n"), "{text}");
            assert!(text.contains("In the list, but no product token: 1\n  é: "), "{text}");
        }
        std::fs::write(&file, "{").expect("it can be written");
        assert!(agents_diff(&file).is_err());
    }
}
