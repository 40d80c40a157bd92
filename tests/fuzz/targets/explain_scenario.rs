//! A scenario of `explain --json`: any JSON is answered.

#![no_main]

use crawlprefs::explain::json::explain;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &[u8]| {
    let Ok(scenario) = serde_json::from_slice::<Value>(text) else {
        return;
    };
    let answer = explain(&scenario);
    assert_eq!(answer["id"], scenario["id"]);
    assert!(answer["error"].is_null() || answer["error"].is_string());
    if answer["error"].is_null() && scenario["url"].is_string() {
        assert!(
            matches!(
                answer["access"].as_str(),
                Some("allow" | "disallow" | "unknown")
            ),
            "{answer}"
        );
    }
    assert_eq!(explain(&scenario), answer);
});
