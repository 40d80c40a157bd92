//! `sites`: one row per origin, as of its newest capture, by the same decision as pages.

use crate::fixture::{options, run};
use crate::resolved::{
    Fields, page, pages, records, resolve, response, robots, rows, scanned, site_rows, view,
};
use crawlprefs::archive::CrawlId;
use crawlprefs::job::{Silent, scan};
use crawlprefs::store::FolderStore;
use crawlprefs::tables::ChosenTables;
use std::collections::BTreeMap;
use std::path::Path;

const LABELS: [&str; 5] = ["search", "train_ai", "train_genai", "ai_input", "tdm"];

/// Returns the rows of `sites` by origin.
fn sites(out: &Path) -> BTreeMap<String, Fields> {
    let by_origin = |row: Fields| (row.text("origin").expect("never null").to_owned(), row);
    site_rows(out).into_iter().map(by_origin).collect()
}

/// Returns the row of `https://a.example` where these records are all there is.
fn site_of(list: &[String]) -> Fields {
    let folder = scanned(list);
    resolve(folder.path(), folder.path(), &view());
    sites(folder.path())
        .remove("https://a.example")
        .expect("an origin that is known")
}

const URL: &str = "https://a.example/robots.txt";

#[test]
fn local_every_origin_with_a_page_a_robots_txt_or_another_site_file_has_a_row() {
    let folder = scanned(&[
        page("http://page.example/a", "08:00:00"),
        robots("robots.example:8443", "08:00:00", "User-agent: *\n"),
        response(
            "https://file.example/ai.txt",
            "08:00:00",
            200,
            "",
            "User-Agent: *\nDisallow: /\n",
        ),
        page("https://page.example/b?c", "08:00:00"),
    ]);
    resolve(folder.path(), folder.path(), &view());
    let found = sites(folder.path());
    let host = |origin: &str| {
        let row = &found[origin];
        (
            row.text("url_host_name").expect("never null").to_owned(),
            row.number("url_port"),
            row.number("pages"),
        )
    };
    assert_eq!(found.len(), 4);
    assert_eq!(
        host("http://page.example"),
        ("page.example".to_owned(), None, Some(1))
    );
    assert_eq!(
        host("https://page.example"),
        ("page.example".to_owned(), None, Some(1))
    );
    assert_eq!(
        host("https://robots.example:8443"),
        ("robots.example".to_owned(), Some(8443), Some(0))
    );
    assert_eq!(
        found["https://file.example"].texts("systems"),
        Some(vec!["ai_txt"])
    );
    assert_eq!(
        found["https://file.example"].text("robots_state"),
        Some("not_archived")
    );
}

#[test]
fn rfc9309_2_3_1_each_outcome_says_who_is_closed_and_unknown_is_null() {
    let answer = |status, fields| vec![response(URL, "08:00:00", status, fields, "")];
    let to = "Location: https://b.example/robots.txt\r\n";
    for (list, state, closed) in [
        (answer(404, ""), "unavailable", Some(0)),
        (answer(503, ""), "unreachable", Some(3)),
        (answer(301, to), "redirect_unresolved", None),
        (answer(600, ""), "other_status", None),
        (
            vec![page("https://a.example/", "08:00:00")],
            "not_archived",
            None,
        ),
        (
            vec![robots(
                "a.example",
                "08:00:00",
                "User-agent: *\nDisallow: /\n",
            )],
            "parsed",
            Some(3),
        ),
        (vec![robots("a.example", "08:00:00", "")], "parsed", Some(0)),
    ] {
        let row = site_of(&list);
        assert_eq!(row.text("robots_state"), Some(state));
        let some = |column| {
            let tokens = row.texts(column)?;
            Some(
                ["GPTBot", "CCBot", "ClaudeBot"]
                    .iter()
                    .filter(|token| tokens.contains(token))
                    .count(),
            )
        };
        assert_eq!(
            [some("agents_closed"), some("agents_restricted")],
            [closed; 2],
            "{state}"
        );
        assert_eq!(
            row.texts("agents_named"),
            closed.map(|_| Vec::new()),
            "{state}"
        );
    }
}

#[test]
fn rfc9309_2_2_1_tokens_are_closed_in_full_in_part_and_by_name() {
    let body = "User-agent: gptbot\nDisallow: /\n\nUser-agent: CCBot/2.0\nDisallow: /a\n\nUser-agent: *\nAllow: /\n";
    let row = site_of(&[robots("a.example", "08:00:00", body)]);
    assert_eq!(row.texts("agents_closed"), Some(vec!["GPTBot"]));
    assert_eq!(
        row.texts("agents_restricted"),
        Some(vec!["GPTBot", "CCBot"])
    );
    assert_eq!(row.texts("agents_named"), Some(vec!["GPTBot", "CCBot"]));
}

#[test]
fn local_a_set_of_agents_has_one_row_and_the_same_number_in_every_part() {
    let closed = |host: &str| robots(host, "08:00:00", "User-agent: GPTBot\nDisallow: /\n");
    let open = robots("c.example", "08:00:00", "");
    let unknown = page("https://d.example/", "08:00:00");
    let numbers = |list: &[String]| {
        let folder = scanned(list);
        resolve(folder.path(), folder.path(), &view());
        let of = |row: &Fields| row.number("agent_set");
        let sets: Vec<Option<i64>> = rows(folder.path(), "agent_sets").iter().map(of).collect();
        (
            sets,
            sites(folder.path()).values().map(of).collect::<Vec<_>>(),
        )
    };
    let (sets, of_sites) = numbers(&[closed("a.example"), closed("b.example"), open, unknown]);
    let [one, other, third, none] = of_sites[..] else {
        panic!("{of_sites:?}")
    };
    assert_eq!((one, none), (other, None));
    let mut found = vec![one, third];
    found.sort_unstable();
    assert_eq!(sets, found);
    assert_eq!(numbers(&[closed("e.example")]), (vec![one], vec![one]));
}

#[test]
fn rfc9309_2_3_1_2_the_file_after_redirects_counts_with_its_origin() {
    let to = |url: &str| format!("Location: {url}\r\n");
    let folder = scanned(&[
        response(
            URL,
            "08:00:00",
            301,
            &to("https://www.a.example/robots.txt"),
            "",
        ),
        response(
            "https://www.a.example/robots.txt",
            "08:00:01",
            302,
            &to("/r/robots.txt"),
            "",
        ),
        robots("c.example", "08:00:00", "User-agent: *\nDisallow: /\n"),
    ]);
    let hop = response(
        "https://www.a.example/r/robots.txt",
        "08:00:02",
        200,
        "",
        "User-agent: *\nDisallow: /x\n",
    );
    let name = "crawl-data/CC-MAIN-2026-34/segments/1.1/robotstxt/CC-MAIN-1-2-00000.warc.gz";
    let first = [
        response(
            URL,
            "08:00:00",
            301,
            &to("https://www.a.example/robots.txt"),
            "",
        ),
        response(
            "https://www.a.example/robots.txt",
            "08:00:01",
            302,
            &to("/r/robots.txt"),
            "",
        ),
        hop,
    ];
    let segment = tempfile::tempdir().expect("a temporary folder");
    run(vec![records(name, &first)], segment.path(), 1);
    resolve(segment.path(), segment.path(), &view());
    let found = sites(segment.path());
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        ["https://a.example", "https://www.a.example"]
    );
    for row in found.values() {
        assert_eq!(row.text("robots_state"), Some("parsed"));
        assert_eq!(
            row.text("robots_file_origin"),
            Some("https://www.a.example")
        );
        assert_eq!(row.number("robots_versions"), Some(1));
        assert_eq!(row.text("warc_segment"), Some("1.1"));
    }
    resolve(folder.path(), folder.path(), &view());
    assert_eq!(
        sites(folder.path())["https://a.example"].text("robots_file_origin"),
        None
    );
    assert_eq!(
        sites(folder.path())["https://c.example"].text("robots_file_origin"),
        Some("https://c.example")
    );
}

#[test]
fn local_the_newest_copies_count_and_distinct_bodies_are_versions() {
    let closed = "User-agent: *\nDisallow: /\n";
    let row = site_of(&[
        robots(
            "a.example",
            "06:00:00",
            "User-agent: *\nContent-Signal: ai-train=no\n",
        ),
        robots("a.example", "07:00:00", closed),
        robots("a.example", "09:00:00", closed),
        response(URL, "08:00:00", 404, "", ""),
        page("https://a.example/x", "07:30:00"),
        page("https://a.example/y", "08:30:00"),
    ]);
    assert_eq!(
        (row.number("robots_versions"), row.text("robots_state")),
        (Some(2), Some("parsed"))
    );
    assert_eq!(
        (row.number("pages"), row.number("pages_closed")),
        (Some(2), Some(1))
    );
    assert_eq!(
        (row.text("train_ai"), row.texts("systems")),
        (Some("unknown"), Some(vec![]))
    );
    assert!(row.text("robots_body_digest").is_some() && row.structs("other_files").is_empty());
    let captured: i64 = row.number("content_bytes").expect("never null");
    assert_eq!(
        captured,
        2 * "<!DOCTYPE html><title>A page</title>".len() as i64
    );
}

#[test]
fn local_labels_are_those_of_a_page_at_the_root_without_headers() {
    let bodies = [
        "User-agent: *\nContent-Signal: search=yes, ai-train=no\n",
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /x search=n\n",
        "User-agent: *\nDisallow: /\nContent-Signal: ai-input=no\n",
        "User-agent: *\nDisallowAITraining: /\n",
        "User-agent: Google-Extended\nDisallow: /\n",
    ];
    let mut list = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let host = format!("n{number}.example");
        list.push(robots(&host, "07:00:00", body));
        list.push(response(
            &format!("https://{host}/.well-known/tdmrep.json"),
            "07:00:00",
            200,
            "",
            r#"[{"location": "/", "tdm-reservation": 1}]"#,
        ));
        list.push(response(
            &format!("https://{host}/"),
            "08:00:00",
            200,
            "",
            "",
        ));
    }
    let folder = scanned(&list);
    resolve(folder.path(), folder.path(), &view());
    let (pages, sites) = (pages(folder.path()), sites(folder.path()));
    let mut said = 0;
    for (origin, site) in &sites {
        for label in LABELS {
            let of_page = pages[&format!("{origin}/")].text(label);
            assert_eq!(site.text(label), of_page, "{origin} {label}");
            said += usize::from(of_page != Some("unknown"));
        }
    }
    assert_eq!(sites.len(), bodies.len());
    assert!(said >= 2 * bodies.len(), "{said}");
}

#[test]
fn local_systems_of_pages_are_counted_in_pages() {
    let tagged = |path: &str, fields: &str| {
        response(
            &format!("https://a.example/{path}"),
            "08:00:00",
            200,
            fields,
            "",
        )
    };
    let row = site_of(&[
        tagged("1", "X-Robots-Tag: noai\r\nX-Robots-Tag: noindex\r\n"),
        tagged("2", "X-Robots-Tag: noai\r\nContent-Signal: ai-train=no\r\n"),
        tagged("3", ""),
    ]);
    assert_eq!(
        row.structs("page_systems"),
        ["robots_tag 2 2 2", "content_signal 1 1 1"]
    );
    assert_eq!(row.texts("systems"), Some(vec![]));
}

/// AIPREF's document defines `Content-Usage`, and SUP's reads it as well.
#[test]
fn local_a_field_counts_for_the_system_that_it_was_written_for() {
    let list = [
        robots(
            "a.example",
            "07:00:00",
            "User-agent: *\nUsage: tdm=n\nContent-Usage: (\n",
        ),
        response(
            "https://a.example/1",
            "08:00:00",
            200,
            "Content-Usage: search=n, search=y\r\n",
            "",
        ),
        response(
            "https://a.example/2",
            "08:00:00",
            200,
            "Content-Usage: search=(\r\n",
            "",
        ),
        response(
            "https://a.example/3",
            "08:00:00",
            200,
            "Content-Usage: search=n, search=y\r\nContent-Signal: search=yes\r\n",
            "",
        ),
    ];
    let folder = scanned(&list);
    resolve(folder.path(), folder.path(), &view());
    let sites = sites(folder.path());
    let site = &sites["https://a.example"];
    assert_eq!(
        site.structs("page_systems"),
        ["aipref 3 3 2", "sup 3 0 0", "content_signal 1 1 1"]
    );
    assert_eq!(site.texts("systems"), Some(vec!["aipref", "sup"]));
    assert_eq!(site.texts("systems_valid"), Some(vec!["sup"]));

    let mut fields: Vec<String> = rows(folder.path(), "statements")
        .iter()
        .map(|row| {
            [
                row.text("system"),
                row.text("carrier"),
                row.text("same_field_as"),
            ]
        })
        .map(|texts| texts.map(|text| text.unwrap_or("-")).join(" "))
        .collect();
    fields.sort_unstable();
    fields.dedup();
    let wanted = [
        "aipref header -",
        "aipref robots -",
        "content_signal header -",
        "sup header aipref",
        "sup robots -",
    ];
    assert_eq!(fields, wanted);

    let pages = pages(folder.path());
    let conflicts = |page: &str| {
        let row = &pages[&format!("https://a.example/{page}")];
        (row.texts("conflict"), row.texts("conflict_of_readings"))
    };
    assert_eq!(conflicts("1"), (Some(vec!["search"]), Some(vec!["search"])));
    assert_eq!(conflicts("2"), (Some(vec![]), Some(vec![])));
    // Another field contradicts, too.
    assert_eq!(conflicts("3"), (Some(vec!["search"]), Some(vec![])));
}

#[test]
fn local_a_statement_says_how_many_origins_share_its_file() {
    let managed = "User-agent: *\nContent-Signal: ai-train=no\n";
    let mut list: Vec<String> = (0..1000)
        .map(|number| robots(&format!("n{number}.example"), "07:00:00", managed))
        .collect();
    list.push(robots(
        "old.example",
        "07:00:00",
        "User-agent: *\nContent-Signal: search=no\n",
    ));
    list.push(robots("old.example", "08:00:00", managed));
    list.push(response(
        "https://page.example/",
        "07:00:00",
        200,
        "Content-Signal: search=no\r\n",
        "",
    ));
    let folder = scanned(&list);
    resolve(folder.path(), folder.path(), &view());
    let mut origins: Vec<Option<i64>> = rows(folder.path(), "statements")
        .iter()
        .map(|row| row.number("origins"))
        .collect();
    origins.sort_unstable();
    assert_eq!(origins, [None, Some(0), Some(1001)]);
    let stated = sites(folder.path());
    let stated = stated
        .values()
        .filter(|row| row.texts("systems") == Some(vec!["content_signal"]));
    assert_eq!(stated.count(), 1001);
}

#[test]
fn local_inputs_without_a_segment_have_a_row_per_crawl_and_origin() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (crawl, at, rule) in [
        ("one", "06:00:00", "Allow"),
        ("two", "09:00:00", "Disallow"),
    ] {
        let list = [
            robots("a.example", at, &format!("User-agent: *\n{rule}: /\n")),
            page("https://a.example/", at),
        ];
        let mut options = options(vec![records(&format!("{crawl}.warc"), &list)], 1);
        options.crawl = CrawlId::new(crawl);
        scan(
            &options,
            &FolderStore::new(folder.path().to_owned()),
            &Silent,
        )
        .expect("the job can run");
    }
    resolve(folder.path(), folder.path(), &view());
    let mut found: Vec<(Option<i64>, bool)> = site_rows(folder.path())
        .iter()
        .map(|row| {
            (
                row.number("pages_closed"),
                row.texts("agents_closed").expect("known").is_empty(),
            )
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(Some(0), true), (Some(1), false)]);
    for crawl in ["one", "two"] {
        for table in ["sites", "agent_sets"] {
            assert!(
                folder
                    .path()
                    .join(format!("{table}/crawl={crawl}/part-all-site.parquet"))
                    .exists()
            );
        }
    }
}

#[test]
fn local_the_table_alone_can_be_chosen_and_is_the_same() {
    let list = [
        robots(
            "a.example",
            "07:00:00",
            "User-agent: *\nDisallow: /x\nContent-Signal: ai-train=no\n",
        ),
        response(
            "https://a.example/x",
            "08:00:00",
            200,
            "X-Robots-Tag: noai\r\n",
            "",
        ),
    ];
    let bytes = |tables: &str| {
        let folder = scanned(&list);
        let mut options = view();
        options.tables.chosen = ChosenTables::read(tables).expect("a list");
        resolve(folder.path(), folder.path(), &options);
        ["sites", "agent_sets"].map(|table| {
            let part = folder
                .path()
                .join(format!("{table}/crawl=local/part-all-site.parquet"));
            std::fs::read(part).expect("the table")
        })
    };
    assert_eq!(bytes("sites"), bytes("+robots_lines_full"));
}

/// The age counts to the newest capture of the origin; a no has no age, and neither has a list of agents.
#[test]
fn know_5_a_row_of_a_site_says_no_yes_by_a_file_that_is_too_old() {
    for (day, said, expected) in [
        ("2026-08-01", "yes", ("allow", true)),
        ("2026-01-01", "yes", ("unknown", true)),
        ("2026-01-01", "no", ("disallow", true)),
    ] {
        let file = format!("User-agent: *\nContent-Signal: ai-train={said}\nAllow: /\n");
        let row = site_of(&[
            robots("a.example", &format!("{day}T06:00:00Z"), &file),
            page("https://a.example/b", "08:00:00"),
        ]);
        let found = (
            row.text("train_ai").expect("never null"),
            row.number("agent_set").is_some(),
        );
        assert_eq!(found, expected, "{day} {said}");
        assert_eq!(row.text("robots_state"), Some("parsed"));
    }
}
