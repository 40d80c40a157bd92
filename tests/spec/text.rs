//! Texts that come into tables hold no NUL, and names that are alike are one, however they are written.

use crawlprefs::explain::json::explain;
use crawlprefs::verdict::{AgentsError, AgentsTable};
use crawlprefs::web::product_token::{NotAToken, ProductToken};
use crawlprefs::web::url::{NotWeb, PageUrl};
use serde_json::json;

/// Ours: some engines refuse NUL in text.
#[test]
fn local_a_nul_in_a_url_is_encoded() {
    let url = PageUrl::new(b"http://a.example/b\0\xe9?\0=c\0").expect("a web page");
    assert_eq!(url.as_str(), "http://a.example/b%00%E9?%00=c");
    assert_eq!((url.path(), url.query()), ("/b%00%E9", Some("%00=c")));
    assert_eq!(
        PageUrl::new(b"http://a\0.example/"),
        Err(NotWeb::Unparsable)
    );
}

/// Ours: a token is a token without the blanks around it.
#[test]
fn local_blanks_make_no_second_agent_of_a_token() {
    let twice = AgentsTable::read("token\tname\nGPTBot\tx\n gptbot \ty\n").unwrap_err();
    assert_eq!(
        twice,
        AgentsError::Twice {
            line: 3,
            token: "gptbot".to_owned()
        }
    );
}

/// Ours: a line with a control is unreadable, and the text is in `disallowed_agents`.
#[test]
fn local_no_control_character_is_in_a_product_token() {
    for (text, byte) in [("a/1.0\r", b'\r'), ("a \0", 0), ("a/\u{7f}", 0x7f)] {
        assert_eq!(
            ProductToken::new(text),
            Err(NotAToken::Byte(byte)),
            "{text:?}"
        );
    }
    assert_eq!(
        ProductToken::new("ChatGPT\tAgent/\u{e9}")
            .expect("a token")
            .as_str(),
        "ChatGPT\tAgent/\u{e9}"
    );
}

#[test]
fn local_a_nul_in_a_tdm_policy_is_shown() {
    let answer = explain(&json!({
        "id": "x", "url": "https://a.example/",
        "headers": [["tdm-reservation", "1"], ["tdm-policy", "https://a.example/\0p"]],
    }));
    assert_eq!(answer["columns"]["tdm_policy"], "https://a.example/\\x00p");
}
