//! The fast matcher beside an obvious slow one, over generated files: `agree [CASES]`, by default 10 million.
//!
//! RFC 9309 2.2.1 to 2.2.3: the groups that name a token, else those for `*`; of the rules that match, the one with the
//! most octets, and Allow where two are as long. The slow side is given the normal form of each piece by the
//! generator, tries every length for every star and asks every rule. `cargo test` has smaller comparisons.

use crawlprefs::robots::{Agents, RobotsTxt};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use fastrand::Rng;
use std::process::ExitCode;

/// Pieces as they are written, and their normal form.
const PIECES: [(&str, &str); 12] = [
    ("a", "a"),
    ("b", "b"),
    ("ab", "ab"),
    ("/", "/"),
    ("%61", "a"),
    ("%2f", "%2F"),
    ("\u{e9}", "%C3%A9"),
    ("%c3%A9", "%C3%A9"),
    (".html", ".html"),
    ("?", "?"),
    ("*", "*"),
    ("$", "$"),
];
/// So many of them may be in a path.
const OF_PATHS: usize = 10;
const TOKENS: [&str; 3] = ["alpha", "beta", "gamma"];
const PATHS: usize = 100;

/// Returns a text of up to seven pieces, as it is written and in normal form.
fn some_text(random: &mut Rng, pieces: &[(&str, &str)]) -> (String, String) {
    (0..random.usize(..8))
        .map(|_| pieces[random.usize(..pieces.len())])
        .collect()
}

/// A rule: its group, its pattern in normal form, whether it allows.
struct Rule(usize, String, bool);

fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        b"$" => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|from| matches(rest, &path[from..])),
        [octet, rest @ ..] => path.first() == Some(octet) && matches(rest, &path[1..]),
    }
}

/// Answers for a token by asking every rule.
fn is_allowed(rules: &[Rule], named: &[Vec<&str>], token: &str, path: &str) -> bool {
    let own = named.iter().any(|names| names.contains(&token));
    let wanted = if own { token } else { "*" };
    let matching = rules.iter().filter(|Rule(group, pattern, _)| {
        named[*group].contains(&wanted) && matches(pattern.as_bytes(), path.as_bytes())
    });
    matching
        .map(|Rule(_, pattern, allows)| (pattern.len(), *allows))
        .max()
        .is_none_or(|(_, allows)| allows)
}

/// Makes a file; returns it with its rules and the names of its groups.
fn file(random: &mut Rng) -> (String, Vec<Rule>, Vec<Vec<&'static str>>) {
    let (mut text, mut rules, mut named) = (String::new(), Vec::new(), Vec::new());
    for group in 0..random.usize(1..=4) {
        let mut names: Vec<&str> = (0..random.usize(1..=2))
            .map(|_| TOKENS[random.usize(..3)])
            .collect();
        if random.bool() {
            names = vec!["*"];
        }
        names
            .iter()
            .for_each(|name| text.extend(["User-agent: ", name, "\n"]));
        for _ in 0..random.usize(1..=12) {
            let allows = random.bool();
            let (written, normal) = some_text(random, &PIECES);
            let start = ["/", "/", "*"][random.usize(..3)];
            text.extend([
                ["Disallow: ", "Allow: "][usize::from(allows)],
                start,
                &written,
                "\n",
            ]);
            rules.push(Rule(group, format!("{start}{normal}"), allows));
        }
        named.push(names);
    }
    (text, rules, named)
}

fn main() -> ExitCode {
    let cases: usize = std::env::args()
        .nth(1)
        .map_or(10_000_000, |text| text.parse().expect("a number"));
    let tokens = TOKENS.map(|token| ProductToken::new(token).expect("a token"));
    let agents = Agents::new(&tokens, TokenMatch::Exact);
    let mut random = Rng::with_seed(0x5EED_0003);
    let (mut done, mut closed) = (0, 0);
    while done < cases {
        let (text, rules, named) = file(&mut random);
        let robots = RobotsTxt::parse(text.as_bytes());
        let all = robots.rules_for(&agents);
        let each = tokens
            .each_ref()
            .map(|token| robots.rules(&robots.selection(token, TokenMatch::Exact)));
        for _ in 0..PATHS {
            let (written, normal) = some_text(&mut random, &PIECES[..OF_PATHS]);
            let path = UrlPath::new(format!("/{written}").as_bytes(), None);
            let disallowed: Vec<u32> = all.disallowed(&path).iter().collect();
            for (place, token) in (0..).zip(TOKENS) {
                let expected = is_allowed(&rules, &named, token, &format!("/{normal}"));
                let found = each[place as usize].access(&path).is_allowed();
                if found != expected || disallowed.contains(&place) == expected {
                    eprintln!(
                        "{token} /{written}: allowed is {expected}, found {found}, {disallowed:?}\n{text}"
                    );
                    return ExitCode::FAILURE;
                }
                closed += usize::from(!expected);
                done += 1;
            }
        }
    }
    println!("{done} cases agree, {closed} of them are disallowed");
    ExitCode::SUCCESS
}
