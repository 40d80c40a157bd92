//! A policy of `judge`, read from TOML.

#![no_main]

use crawlprefs::judge::Policy;
use crawlprefs::verdict::{AgentsTable, Resolver};
use fuzzing::viewpoint;
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use std::sync::LazyLock;

static RESOLVER: LazyLock<Resolver> = LazyLock::new(|| {
    let table = AgentsTable::read("token\nGPTBot\nCCBot\n").expect("a table");
    Resolver::new(viewpoint(), &table)
});

fn no_list(_: &str) -> Result<Vec<u8>, String> {
    Err("no file is read".to_owned())
}

fuzz_target!(|text: &str| {
    match Policy::read(text, &RESOLVER, None, &no_list) {
        Ok(policy) => {
            let names: HashSet<&str> = policy.rules.iter().map(|rule| rule.name.as_str()).collect();
            assert_eq!(names.len(), policy.rules.len(), "{}", policy.text());
            let again = Policy::read(text, &RESOLVER, None, &no_list).expect("it was read before");
            assert_eq!(again.text(), policy.text());
        }
        Err(error) => assert!(!error.is_empty() && !error.contains('\n'), "{error:?}"),
    }
});
