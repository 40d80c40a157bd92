//! What holds for every file, however broken.
//!
//! Example of an input: `User-agent: *` with bytes replaced, cut out and put in.
//! Left out: what the lines mean; that is tested beside the parser.

use crate::random::one_of;
use crate::rounds::rounds;
use crate::statement_rows::viewpoint;
use crawlprefs::robots::{AGENTS_TEXT_BYTES, Extent, ParseLimit, RobotsTxt};
use crawlprefs::systems::{SYSTEMS, Source};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use crawlprefs::web::steps;
use fastrand::Rng;

const SEED_FILE: &str = "\u{feff}User-agent: *\r\nDisallow: /a*b$ # c\rAllow: /%7e\u{e9}\n\nUser agent: MJ12bot/1.4\n\
    Crawl-delay: 1\nuser-agent *\ndissallow /x\nContent-Usage: /y train-ai=n\nSitemap: https://a.example/\n";

fn byte(random: &mut Rng) -> u8 {
    if random.bool() {
        one_of(random, b"\r\n\0\t #:*$%/\xEF\xBB\xBF\xFF-aA")
    } else {
        random.u8(..)
    }
}

fn mutated(random: &mut Rng, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    for _ in 0..=random.usize(..12) {
        let at = random.usize(..file.len());
        match random.usize(..4) {
            0 => file[at] = byte(random),
            1 => file.insert(at, byte(random)),
            2 if file.len() > 1 => drop(file.remove(at)),
            _ => file.extend_from_within(at..),
        }
        file.truncate(5_000);
    }
    file
}

fn parse(file: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(file)
}

/// Everything that a file says, apart from where its bytes are.
fn said(file: &[u8]) -> String {
    let robots = parse(file);
    let records: Vec<_> = robots.records().collect();
    format!("{records:?} {:?} {}", robots.defects(), robots.line_count())
}

#[test]
fn rfc9309_2_3_1_5_no_bytes_are_refused() {
    let mut random = Rng::with_seed(0x5EED_0004);
    let token = ProductToken::new("MJ12bot").expect("a token");
    for _ in 0..rounds(4_000, 20_000) {
        let file = mutated(&mut random, SEED_FILE.as_bytes());
        let robots = parse(&file);
        let path = UrlPath::new(&mutated(&mut random, b"/a/b%7E"), None);
        for how in [TokenMatch::Exact, TokenMatch::Prefix] {
            let rules = robots.rules(&robots.selection(&token, how));
            let access = rules.access(&path);
            let record = access.line.and_then(|line| robots.record_on(line));
            assert_eq!(record.map(|record| record.text), access.rule);
        }
        for record in robots.records() {
            assert!(record.text.starts_with(record.name), "{record:?}");
            assert!(
                record.value.is_empty() || record.text.ends_with(record.value),
                "{record:?}"
            );
            assert!(
                !record.text.contains(&b'#')
                    && record.text.trim_ascii().len() + 2 > record.text.len()
            );
        }
        let groups = robots.groups().flat_map(|group| group.records()).count();
        assert_eq!(
            groups + robots.records_before_groups().count(),
            robots.records().len()
        );
    }
}

#[test]
fn rfc9309_2_2_the_three_line_ends_are_equal() {
    let mut random = Rng::with_seed(0x5EED_0005);
    for _ in 0..2_000 {
        let file = mutated(&mut random, SEED_FILE.as_bytes());
        let lines: Vec<&[u8]> = file.split(|byte| matches!(byte, b'\r' | b'\n')).collect();
        let with = |end: &[u8]| said(&lines.join(end));
        let expected = with(b"\n");
        assert_eq!(with(b"\r"), expected);
        assert_eq!(with(b"\r\n"), expected);
    }
}

#[test]
fn rfc9309_2_2_comments_blanks_and_case_of_names_change_nothing() {
    let verdicts = |file: &str| {
        let robots = parse(file.as_bytes());
        let token = ProductToken::new("mj12bot").expect("a token");
        let rules = robots.rules(&robots.selection(&token, TokenMatch::Exact));
        ["/axb", "/~é", "/x", "/y"].map(|path| {
            let access = rules.access(&UrlPath::new(path.as_bytes(), None));
            (access.verdict, access.line)
        })
    };
    let plain = "user-agent: MJ12bot\ndisallow: /a*b\nallow: /~\ndisallow: /x\nallow: /y";
    let expected = verdicts(plain);
    assert_eq!(verdicts(&plain.replace('\n', " # note\n")), expected);
    assert_eq!(
        verdicts(&plain.replace('\n', "\t\n  ").replace(": ", "\t :\t")),
        expected
    );
    assert_eq!(
        verdicts(
            &plain
                .replace("allow", "ALLOW")
                .replace("user-agent", "User-Agent")
        ),
        expected
    );
}

#[test]
fn local_large_and_odd_files_take_linear_time() {
    for piece in [
        "a",
        "#",
        ":",
        " ",
        "\r",
        "\0a",
        "user-agent: a\n",
        "disallow: /*a\n",
        "user-agent:\tb",
        "\u{feff}a",
        "%",
    ] {
        let file = piece.repeat(1_000_000 / piece.len());
        let (robots, taken) = steps::counted(|| {
            RobotsTxt::parse_within(file.as_bytes(), Extent::Whole, ParseLimit::MOST)
        });
        assert_eq!(robots.bytes().len(), file.len());
        let most = 4 * file.len() as u64;
        assert!(
            taken > 0 && taken <= most,
            "{piece:?}: {taken} steps, at most {most}"
        );
    }
}

/// A file of 500 KiB, half of it names and half of it lines for them, gives rows in linear time and space.
#[test]
fn local_the_names_of_a_group_are_shown_up_to_1_kib() {
    let viewpoint = viewpoint("a");
    let long = format!("User-agent: {}\n", "\u{e9}".repeat(125_000));
    let rules =
        "Usage:ai=n\nContent-Usage:train-ai=n\nContent-Signal:search=no\nDisallowAITraining:/\n";
    for names in [long, "User-agent:a\n".repeat(19_000)] {
        let file = [names, rules.repeat(2_800)].concat();
        let robots = parse(file.as_bytes());
        let mut rows = 0;
        let ((), taken) = steps::counted(|| {
            for system in SYSTEMS {
                system.statements(&Source::Robots(&robots), &viewpoint, &mut |row| {
                    rows += 1;
                    assert!(
                        row.agent
                            .as_ref()
                            .is_none_or(|agent| agent.len() <= AGENTS_TEXT_BYTES)
                    );
                });
            }
        });
        assert!(rows > 4 * 2_700, "{rows} rows");
        let most = 20 * file.len() as u64;
        assert!(taken > 0 && taken <= most, "{taken} steps, at most {most}");
    }
    let two = parse(b"User-agent: A\nUser-agent: b/1\nDisallow:\n");
    assert_eq!(
        two.group(0).map(|group| group.agents_text()).as_deref(),
        Some("A, b/1")
    );
}
