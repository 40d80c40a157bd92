//! Training lines of a robots.txt, held against a search. The first line is the page's path.

#![no_main]

use crawlprefs::systems::ai_training::AiTrainingPolicy;
use crawlprefs::systems::{Answer, Compiled, Page, Site};
use crawlprefs::web::preference::Preference;
use fuzzing::{first_line, path, robots, viewpoint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (line, file) = first_line(input);
    let (robots, path, viewpoint) = (robots(file), path(line), viewpoint());
    let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
    let site = Site {
        robots: &robots,
        selection: &selection,
    };
    let page = Page {
        scheme: None,
        host: Some("a.example"),
        media_type: Some("text/html"),
        fetched_at: None,
        path: Some(&path),
        crawl: Preference::Allow,
        fields: &[],
    };
    let policy = AiTrainingPolicy::new(Some(&site));
    let mut answer = Answer::default();
    policy.answer(&page, &viewpoint, &mut answer);

    let named = ["disallowaitraining", "allowaitraining"];
    let is_rule = |name: &[u8]| {
        named
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
    };
    let matching: Vec<_> = robots
        .records_of(&selection)
        .filter(|record| is_rule(record.name) && record.pattern().matches(&path))
        .collect();
    let most = matching
        .iter()
        .map(|record| record.pattern().octet_count())
        .max();
    let longest: Vec<_> = matching
        .iter()
        .filter(|record| Some(record.pattern().octet_count()) == most)
        .collect();
    let closed = longest
        .iter()
        .any(|record| record.name[0].eq_ignore_ascii_case(&b'd'));
    let expected = match (longest.is_empty(), closed) {
        (true, _) => Preference::Unknown,
        (false, true) => Preference::Disallow,
        (false, false) => Preference::Allow,
    };
    assert_eq!(
        policy.training(&page).map(|(preference, _)| preference),
        Some(expected)
    );

    // The opinion rests on the lines that decided.
    let grounds = answer.opinions.iter().flat_map(|opinion| &opinion.grounds);
    let lines: Vec<Option<u32>> = grounds.map(|ground| ground.line).collect();
    let deciding = longest
        .iter()
        .filter(|record| record.name[0].eq_ignore_ascii_case(&b'd') == closed);
    assert_eq!(
        lines,
        deciding.map(|record| Some(record.line)).collect::<Vec<_>>()
    );
});
