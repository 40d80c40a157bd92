//! Names on user-agent lines. The first line is a token that is asked for.

#![no_main]

use crawlprefs::robots::Matched;
use crawlprefs::web::product_token::{AgentName, ProductToken, TokenMatch};
use fuzzing::{first_line, robots};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (token, value) = first_line(input);
    let Ok(token) = ProductToken::new(&String::from_utf8_lossy(token)) else {
        return;
    };
    // A line that gives back what is compared finds the crawler.
    let file = [
        b"User-agent: ",
        token.compared(TokenMatch::Exact),
        b"\nDisallow: /\n",
    ]
    .concat();
    assert_eq!(
        robots(&file).selection(&token, TokenMatch::Exact).matched(),
        Matched::Explicit
    );
    for how in [TokenMatch::Exact, TokenMatch::Prefix] {
        let name = AgentName::new(value.trim_ascii(), how);
        let named = name.is_token(token.compared(how));
        assert!(!named || !token.compared(how).is_empty());
        assert_eq!(
            AgentName::new(&value.trim_ascii().to_ascii_uppercase(), how)
                .is_token(token.compared(how)),
            named
        );
    }
});
